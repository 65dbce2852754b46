//! Which part of a file a request asks for.

use axum::http::{HeaderMap, header};

use super::download::Part;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    Whole,
    Part(Part),
    /// A part that the file does not have.
    Nothing,
}

/// One range of bytes. What is not understood, and more than one, is answered with the whole file, as HTTP allows.
pub fn wanted(headers: &HeaderMap, size: u64) -> Wanted {
    let mut values = headers.get_all(header::RANGE).iter();
    let one = match (values.next(), values.next()) {
        (Some(value), None) => value.to_str().ok().and_then(|text| text.strip_prefix("bytes=")),
        _ => None,
    };
    one.and_then(|range| parse(range.trim(), size)).unwrap_or(Wanted::Whole)
}

fn parse(range: &str, size: u64) -> Option<Wanted> {
    let (first, last) = range.split_once('-')?;
    let (from, length) = match (first, last) {
        ("", last) => {
            let length = number(last)?.min(size);
            (size - length, length)
        }
        (first, "") => {
            let from = number(first)?;
            (from, size.saturating_sub(from))
        }
        (first, last) => {
            let (from, last) = (number(first)?, number(last)?);
            (from <= last).then_some(())?;
            (from, size.min(last.saturating_add(1)).saturating_sub(from))
        }
    };
    Some(if length == 0 { Wanted::Nothing } else { Wanted::Part(Part { from, length }) })
}

/// Digits only; a number too large for any file stands for the largest one.
fn number(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_cut_to_the_file() {
        let part = |from, length| Wanted::Part(Part { from, length });
        for (text, expected) in [
            ("bytes=0-0", part(0, 1)),
            ("bytes=2-4", part(2, 3)),
            ("bytes=5-", part(5, 5)),
            ("bytes=-3", part(7, 3)),
            ("bytes=-99", part(0, 10)),
            ("bytes=9-99999999999999999999999", part(9, 1)),
            ("bytes=10-", Wanted::Nothing),
            ("bytes=99999999999999999999999-", Wanted::Nothing),
            ("bytes=-0", Wanted::Nothing),
            ("bytes=4-2", Wanted::Whole),
            ("bytes=0-1,4-5", Wanted::Whole),
            ("bytes=", Wanted::Whole),
            ("bytes=-", Wanted::Whole),
            ("bytes=+1-2", Wanted::Whole),
            ("bytes=a-b", Wanted::Whole),
            ("lines=1-2", Wanted::Whole),
        ] {
            let headers = HeaderMap::from_iter([(header::RANGE, text.parse().unwrap())]);
            assert_eq!(wanted(&headers, 10), expected, "{text}");
        }
        let headers = HeaderMap::from_iter([(header::RANGE, "bytes=0-".parse().unwrap())]);
        assert_eq!(wanted(&headers, 0), Wanted::Nothing);
        assert_eq!(wanted(&HeaderMap::new(), 10), Wanted::Whole);
    }
}
