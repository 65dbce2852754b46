//! A file on its way out: a piece at a time, under headers that keep browsers from making more of it.

use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::Path;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use futures::stream;
use runtime::agent::workspace::Stamp;
use runtime::blocking;

use super::{condition, media};
use crate::limits::DOWNLOAD_CHUNK;

/// Whatever the file holds, it runs no script, sends no address on, and is looked up again before it is used again.
const GUARDS: [(HeaderName, &str); 5] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "private, no-cache"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    pub from: u64,
    pub length: u64,
}

/// A part of a file as a body. The next piece is read when the one before is gone.
pub fn body(file: File, part: Part) -> Body {
    Body::from_stream(stream::try_unfold((file, part), |(file, part)| async move {
        if part.length == 0 {
            return Ok(None);
        }
        let (file, read) = blocking::run(move || {
            let read = read(&file, part);
            (file, read)
        })
        .await;
        let bytes: Bytes = read?;
        let rest = Part { from: part.from + bytes.len() as u64, length: part.length - bytes.len() as u64 };
        Ok::<_, std::io::Error>(Some((bytes, (file, rest))))
    }))
}

/// A file that was cut short since is an error: what was announced cannot be sent any more.
fn read(file: &File, part: Part) -> std::io::Result<Bytes> {
    let mut buffer = vec![0; DOWNLOAD_CHUNK.min(usize::try_from(part.length).unwrap_or(DOWNLOAD_CHUNK))];
    let count = file.read_at(&mut buffer, part.from)?;
    if count == 0 {
        return Err(std::io::ErrorKind::UnexpectedEof.into());
    }
    buffer.truncate(count);
    Ok(buffer.into())
}

/// All that is said about a file.
pub fn describe(headers: &mut HeaderMap, path: &Path, etag: &str, stamp: &Stamp, length: u64) {
    identify(headers, etag, stamp);
    insert(headers, header::CONTENT_TYPE, media::of(path));
    insert(headers, header::CONTENT_LENGTH, &length.to_string());
    insert(headers, header::ACCEPT_RANGES, "bytes");
    insert(headers, header::CONTENT_DISPOSITION, &disposition(path));
}

/// What tells this state of the file from others.
pub fn identify(headers: &mut HeaderMap, etag: &str, stamp: &Stamp) {
    insert(headers, header::ETAG, etag);
    insert(headers, header::LAST_MODIFIED, &httpdate::fmt_http_date(condition::modified(stamp)));
    headers.extend(GUARDS.map(|(name, value)| (name, HeaderValue::from_static(value))));
}

pub fn insert(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    // All of them are made of printable ASCII.
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}

/// To be saved, not shown, under the file's own name.
fn disposition(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().as_bytes();
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~".contains(byte);
    let encoded: String = name
        .iter()
        .map(|byte| if plain(byte) { char::from(*byte).to_string() } else { format!("%{byte:02X}") })
        .collect();
    format!("attachment; filename*=UTF-8''{encoded}")
}
