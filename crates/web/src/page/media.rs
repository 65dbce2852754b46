//! What kind of thing an answer is: what it is called, and what it looks like.

use crate::Answer;

/// How much of a body is looked at.
const SNIFF: usize = 1024;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Media {
    Markdown,
    Html,
    Json,
    Feed,
    Text,
    /// With its media type.
    Binary(String),
}

pub(super) fn of(answer: &Answer) -> Media {
    sort(answer, Feeds::Known)
}

/// The same for a feed that turned out to be none.
pub(super) fn without_feeds(answer: &Answer) -> Media {
    sort(answer, Feeds::Ignored)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Feeds {
    Known,
    Ignored,
}

fn sort(answer: &Answer, feeds: Feeds) -> Media {
    let declared = answer.content_type().map(essence).unwrap_or_default();
    let start = &answer.body[..answer.body.len().min(SNIFF)];
    let looks = |media: Media| {
        if feeds == Feeds::Known && looks_like_feed(start, &media) { Media::Feed } else { media }
    };
    let named = match declared.as_str() {
        "text/markdown" | "text/x-markdown" => Media::Markdown,
        "text/html" | "application/xhtml+xml" => looks(Media::Html),
        "application/feed+json" => looks(Media::Json),
        "application/rss+xml" | "application/atom+xml" | "application/rdf+xml" if feeds == Feeds::Known => {
            Media::Feed
        }
        "text/xml" | "application/xml" => {
            looks(if looks_like_html(start) { Media::Html } else { Media::Text })
        }
        "text/json" | "application/json" => looks(Media::Json),
        json if json.ends_with("+json") => looks(Media::Json),
        "text/plain" if is_markdown_path(answer) => Media::Markdown,
        text if text.starts_with("text/") || is_textual(text) => Media::Text,
        "" | "application/octet-stream" | "binary/octet-stream" | "application/unknown" => {
            return sniff(answer, start, looks);
        }
        other => return Media::Binary(other.to_owned()),
    };
    // Servers call anything they do not know text.
    if named == Media::Text && is_binary(start) { Media::Binary(magic(start).to_owned()) } else { named }
}

fn sniff(answer: &Answer, start: &[u8], looks: impl Fn(Media) -> Media) -> Media {
    if is_binary(start) || magic(start) != UNKNOWN {
        return Media::Binary(magic(start).to_owned());
    }
    match first_byte(start) {
        Some(b'<') if looks_like_html(start) => looks(Media::Html),
        Some(b'<') => looks(Media::Text),
        Some(b'{' | b'[') => looks(Media::Json),
        _ if is_markdown_path(answer) => Media::Markdown,
        _ => Media::Text,
    }
}

/// `Text/HTML; charset=x` → `text/html`, and nothing that could not be a media type.
fn essence(content_type: &str) -> String {
    let name = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let is_type = name.len() < 100
        && name.split_once('/').is_some_and(|(kind, name)| !kind.is_empty() && !name.is_empty())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"/+-._".contains(&b));
    if is_type { name } else { String::new() }
}

fn is_markdown_path(answer: &Answer) -> bool {
    let path = answer.url.path().to_ascii_lowercase();
    path.ends_with(".md") || path.ends_with(".markdown")
}

/// Text under an `application/` name.
fn is_textual(name: &str) -> bool {
    matches!(
        name,
        "application/javascript"
            | "application/ecmascript"
            | "application/x-javascript"
            | "application/typescript"
            | "application/yaml"
            | "application/x-yaml"
            | "application/toml"
            | "application/sql"
            | "application/x-sh"
            | "application/x-ndjson"
            | "application/jsonl"
            | "application/graphql"
            | "application/x-httpd-php"
            | "application/xml-dtd"
    ) || name.ends_with("+xml") && !name.starts_with("image/")
}

fn first_byte(start: &[u8]) -> Option<u8> {
    let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
    start.trim_ascii_start().first().copied()
}

fn looks_like_html(start: &[u8]) -> bool {
    const TAGS: [&str; 9] = ["html", "head", "body", "title", "div", "p", "h1", "meta", "main"];
    let root = root_element(start).to_ascii_lowercase();
    TAGS.iter().any(|tag| root == tag.as_bytes())
}

fn looks_like_feed(start: &[u8], media: &Media) -> bool {
    let has = |what: &str| memchr::memmem::find(start, what.as_bytes()).is_some();
    match media {
        Media::Json => has("https://jsonfeed.org/version/") || has("https:\\/\\/jsonfeed.org\\/version\\/"),
        _ => matches!(root_element(start), b"rss" | b"feed" | b"rdf:RDF"),
    }
}

/// The name of the first tag, behind declarations and comments.
fn root_element(start: &[u8]) -> &[u8] {
    let mut rest = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start).trim_ascii_start();
    loop {
        let end: &[u8] = match rest {
            [b'<', b'?', ..] => b"?>",
            [b'<', b'!', b'-', b'-', ..] => b"-->",
            [b'<', b'!', ..] => b">",
            _ => break,
        };
        let Some(at) = memchr::memmem::find(rest, end) else { return b"" };
        rest = rest[at + end.len()..].trim_ascii_start();
    }
    let Some(name) = rest.strip_prefix(b"<") else { return b"" };
    let length =
        name.iter().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b':' | b'-' | b'_')).count();
    &name[..length]
}

/// UTF-16 has a mark; other text has no NUL and few control characters.
fn is_binary(start: &[u8]) -> bool {
    if start.starts_with(b"\xff\xfe") || start.starts_with(b"\xfe\xff") {
        return false;
    }
    let controls = start.iter().filter(|byte| matches!(byte, 1..=8 | 14..=26 | 28..=31)).count();
    start.contains(&0) || controls * 20 > start.len()
}

const UNKNOWN: &str = "application/octet-stream";

fn magic(start: &[u8]) -> &'static str {
    const MAGIC: [(&[u8], &str); 16] = [
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"\xff\xd8\xff", "image/jpeg"),
        (b"GIF87a", "image/gif"),
        (b"GIF89a", "image/gif"),
        (b"BM", "image/bmp"),
        (b"II*\0", "image/tiff"),
        (b"MM\0*", "image/tiff"),
        (b"%PDF-", "application/pdf"),
        (b"PK\x03\x04", "application/zip"),
        (b"\x1f\x8b", "application/gzip"),
        (b"\x28\xb5\x2f\xfd", "application/zstd"),
        (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
        (b"\x7fELF", "application/x-elf"),
        (b"OggS", "audio/ogg"),
        (b"ID3", "audio/mpeg"),
        (b"\0asm", "application/wasm"),
    ];
    if start.starts_with(b"RIFF") && start.get(8..12) == Some(b"WEBP") {
        return "image/webp";
    }
    if start.get(4..8) == Some(b"ftyp") {
        return if start.get(8..12) == Some(b"avif") { "image/avif" } else { "video/mp4" };
    }
    let found = MAGIC.iter().find(|(magic, _)| start.starts_with(magic));
    // Two letters are no proof in what reads as text.
    found.filter(|(magic, _)| magic.len() > 2 || is_binary(start)).map_or(UNKNOWN, |(_, name)| name)
}
