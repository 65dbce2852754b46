//! From bytes to text: byte order mark, header, `<meta>`, then a guess.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8};

/// `<meta charset>` must be this near the start; browsers look at 1024.
const META_WITHIN: usize = 4096;
/// Enough to guess by.
const GUESS_BY: usize = 256 << 10;

/// Whether text may say its own encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meta {
    Html,
    None,
}

/// The text of `body`; what cannot be decoded becomes U+FFFD.
pub(super) fn decode<'a>(body: &'a [u8], content_type: Option<&str>, meta: Meta) -> Cow<'a, str> {
    if let Some((encoding, length)) = Encoding::for_bom(body) {
        return encoding.decode_without_bom_handling(&body[length..]).0;
    }
    let declared = content_type.and_then(header_charset).or_else(|| match meta {
        Meta::Html => meta_charset(&body[..body.len().min(META_WITHIN)]),
        Meta::None => None,
    });
    // Text that is UTF-8 is UTF-8, whatever it was called: other encodings make such bytes by accident only.
    if declared.is_none_or(Encoding::is_ascii_compatible)
        && let Ok(text) = std::str::from_utf8(body)
    {
        return Cow::Borrowed(text);
    }
    declared.unwrap_or_else(|| guess(body)).decode_without_bom_handling(body).0
}

/// The text of a file that is not UTF-8, and the name of its encoding; none if it does not look like text.
pub fn legacy_text(bytes: &[u8]) -> Option<(String, &'static str)> {
    let (encoding, start) = match Encoding::for_bom(bytes) {
        Some(found) => found,
        None => (guess(bytes), 0),
    };
    let (text, malformed) = encoding.decode_without_bom_handling(&bytes[start..]);
    // Programs and pictures hold control characters all over, texts only the few that lay them out.
    let is_odd = |c: char| c.is_control() && !matches!(c, '\t' | '\n' | '\r' | '\u{c}' | '\u{85}');
    (!malformed && !text.contains(is_odd)).then(|| (text.into_owned(), encoding.name()))
}

fn header_charset(content_type: &str) -> Option<&'static Encoding> {
    content_type.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let is_charset = name.trim().eq_ignore_ascii_case("charset");
        Encoding::for_label(value.trim().trim_matches(['"', '\'']).as_bytes()).filter(|_| is_charset)
    })
}

/// `charset=…` in the head, in either form of the tag.
fn meta_charset(head: &[u8]) -> Option<&'static Encoding> {
    let lower = head.to_ascii_lowercase();
    let mut rest = &lower[..];
    while let Some(at) = memchr::memmem::find(rest, b"<meta") {
        rest = &rest[at + 5..];
        let end = memchr::memchr(b'>', rest).unwrap_or(rest.len());
        let tag = &rest[..end];
        if let Some(at) = memchr::memmem::find(tag, b"charset") {
            let value =
                tag[at + 7..].trim_ascii_start().strip_prefix(b"=").unwrap_or_default().trim_ascii_start();
            let value = value
                .trim_ascii_start()
                .strip_prefix(b"\"")
                .or_else(|| value.strip_prefix(b"'"))
                .unwrap_or(value);
            let length =
                value.iter().take_while(|b| !b.is_ascii_whitespace() && !b"\"';/>".contains(b)).count();
            // A page whose ASCII tag could be read is not UTF-16, whatever it says.
            let encoding = Encoding::for_label(&value[..length]);
            if encoding.is_some() {
                return encoding
                    .map(|encoding| if encoding.is_ascii_compatible() { encoding } else { UTF_8 });
            }
        }
    }
    None
}

fn guess(body: &[u8]) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    let start = &body[..body.len().min(GUESS_BY)];
    detector.feed(start, start.len() == body.len());
    detector.guess(None, Utf8Detection::Allow)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_in_old_encodings_are_text_and_programs_are_not() {
        let encoded = |label: &str, text: &str| {
            let encoding = Encoding::for_label(label.as_bytes()).unwrap();
            encoding.encode(text).0.into_owned()
        };
        let russian = "# Заметка\n\nСъешь же ещё этих мягких французских булок да выпей чаю\n";
        let japanese = "日本語のウェブページはいろいろな文字コードで書かれています\n";
        let utf16: Vec<u8> =
            [0xfeff].into_iter().chain("Größe\n".encode_utf16()).flat_map(u16::to_le_bytes).collect();
        for (bytes, text, name) in [
            (encoded("windows-1251", russian), russian, "windows-1251"),
            (encoded("shift_jis", japanese), japanese, "Shift_JIS"),
            (b"na\xefve caf\xe9, d\xe9j\xe0 vu\n".to_vec(), "naïve café, déjà vu\n", "windows-1252"),
            (utf16, "Größe\n", "UTF-16LE"),
        ] {
            assert_eq!(legacy_text(&bytes), Some((text.to_owned(), name)));
        }
        for bytes in [&b"\x7fELF\x02\x01\0\xff"[..], b"\x89PNG\r\n\x1a\n\xff", b"abc\xff\0def"] {
            assert_eq!(legacy_text(bytes), None, "{bytes:?}");
        }
    }

    #[test]
    fn text_is_read_in_the_encoding_it_has() {
        let bytes = |label: &str, text: &str| {
            let encoding = Encoding::for_label(label.as_bytes()).unwrap();
            encoding.encode(text).0.into_owned()
        };
        let russian = "Съешь же ещё этих мягких французских булок да выпей чаю";
        let japanese = "日本語のウェブページはいろいろな文字コードで書かれています";
        let with_meta = |label: &str, text: &str| {
            let mut page = format!("<html><head><meta charset='{label}'></head><p>").into_bytes();
            page.extend(bytes(label, text));
            page
        };
        let cases: Vec<(Vec<u8>, Option<&str>, &str)> = vec![
            ("naïve".into(), None, "naïve"),
            (b"na\xefve caf\xe9".to_vec(), Some("text/html; charset=ISO-8859-1"), "naïve café"),
            (bytes("shift_jis", japanese), Some("text/html; charset=\"Shift_JIS\""), japanese),
            (bytes("euc-jp", japanese), None, japanese),
            (bytes("windows-1251", russian), None, russian),
            (with_meta("koi8-r", russian), Some("text/html"), russian),
            (with_meta("gbk", "中文网页"), None, "中文网页"),
            (b"\xef\xbb\xbfbom".to_vec(), Some("text/html; charset=latin1"), "bom"),
            (b"\xff\xfeh\0i\0".to_vec(), None, "hi"),
            (b"\xfe\xff\0h\0i".to_vec(), None, "hi"),
            ("überall".into(), Some("text/html; charset=windows-1252"), "überall"),
            (
                b"broken \xff\xfe\xfd utf".to_vec(),
                Some("text/plain; charset=utf-8"),
                "broken \u{fffd}\u{fffd}\u{fffd} utf",
            ),
            (b"<meta charset=utf-16>x\xc3\xa9".to_vec(), None, "<meta charset=utf-16>xé"),
            (b"".to_vec(), None, ""),
        ];
        for (body, content_type, expected) in cases {
            let text = decode(&body, content_type, Meta::Html);
            assert!(text.ends_with(expected), "{content_type:?}: {text:?} is not {expected:?}");
        }
    }
}
