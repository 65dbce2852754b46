//! Reading a body: decompressed as it arrives, and never more of it than was asked for.

use std::io;

use async_compression::tokio::bufread::{BrotliDecoder, GzipDecoder, ZstdDecoder};
use async_compression::zstd::DParameter;
use bytes::{Bytes, BytesMut};
use futures::TryStreamExt;
use http::{HeaderMap, header};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt};
use tokio_util::io::StreamReader;

use crate::limits::ZSTD_WINDOW_LOG;
use crate::{Beyond, Cut, Error, Limit};

/// What we can undo.
pub(super) const ACCEPT_ENCODING: &str = "gzip, br, zstd";

/// How much of a body has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrived {
    pub bytes: usize,
    /// If the server said so.
    pub of: Option<usize>,
}

/// Hears how much has come, each time that more has.
pub type Watch<'a> = dyn Fn(Arrived) + Send + Sync + 'a;

/// The body of an answer with `headers`, whose encoding headers are taken out: they describe it no longer.
pub(super) async fn read(
    headers: &mut HeaderMap,
    body: Incoming,
    limit: Limit,
    host: &str,
    watch: &Watch<'_>,
) -> Result<(Bytes, Cut), Error> {
    let encoding = headers.get(header::CONTENT_ENCODING).map(|value| {
        value.to_str().map(|text| text.trim().to_ascii_lowercase()).unwrap_or_else(|_| "?".to_owned())
    });
    let announced = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
    let broken = |error: io::Error| Error::Broken { host: host.to_owned(), reason: error.to_string() };
    let mut plain = StreamReader::new(body.into_data_stream().map_err(io::Error::other));
    // An answer without a body may still say how the body would have been encoded.
    let is_empty = plain.fill_buf().await.map_err(broken)?.is_empty();
    // With several members allowed, a decoder reads on to the end of the body, which frees the connection.
    let mut reader: Box<dyn AsyncRead + Send + Unpin> = match encoding.as_deref().filter(|_| !is_empty) {
        None | Some("" | "identity") => Box::new(plain),
        Some("gzip" | "x-gzip") => {
            let mut decoder = GzipDecoder::new(plain);
            decoder.multiple_members(true);
            Box::new(decoder)
        }
        Some("br") => {
            let mut decoder = BrotliDecoder::new(plain);
            decoder.multiple_members(true);
            Box::new(decoder)
        }
        Some("zstd") => {
            let window = DParameter::window_log_max(ZSTD_WINDOW_LOG);
            let mut decoder = ZstdDecoder::with_params(plain, &[window]);
            decoder.multiple_members(true);
            Box::new(decoder)
        }
        Some(other) => {
            let name: String = other.chars().take(40).collect();
            return Err(Error::Decode { what: format!("content encoding {name:?}") });
        }
    };
    let announced = announced.filter(|_| encoding.is_none());
    let result = fill(&mut reader, limit, announced, watch).await.map_err(|error| {
        let is_from_connection = error.get_ref().is_some_and(|inner| inner.is::<hyper::Error>());
        if is_from_connection || encoding.is_none() {
            broken(error)
        } else {
            Error::Decode { what: encoding.unwrap_or_default() }
        }
    })?;
    headers.remove(header::CONTENT_ENCODING);
    headers.remove(header::CONTENT_LENGTH);
    match (result, limit.beyond) {
        ((_, Cut::At(limit)), Beyond::Fail) => Err(Error::TooLarge { limit }),
        (result, _) => Ok(result),
    }
}

async fn fill(
    reader: &mut (dyn AsyncRead + Send + Unpin),
    limit: Limit,
    announced: Option<usize>,
    watch: &Watch<'_>,
) -> io::Result<(Bytes, Cut)> {
    /// What is set aside at first when the server does not say how much will come.
    const FIRST: usize = 16 << 10;
    let mut bytes = BytesMut::with_capacity(announced.unwrap_or(FIRST).min(limit.bytes) + 1);
    while bytes.len() <= limit.bytes {
        let read = (&mut *reader).take((limit.bytes + 1 - bytes.len()) as u64).read_buf(&mut bytes).await?;
        if read == 0 {
            return Ok((bytes.freeze(), Cut::Whole));
        }
        watch(Arrived { bytes: bytes.len(), of: announced });
        if bytes.len() == bytes.capacity() {
            bytes.reserve(bytes.len().max(FIRST));
        }
    }
    bytes.truncate(limit.bytes);
    Ok((bytes.freeze(), Cut::At(limit.bytes)))
}
