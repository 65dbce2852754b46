//! Arguments as on a command line: words, with quotes as in a shell.

use std::time::Duration;

use crate::error::{Code, Error, Result};

/// Of the day, which is the same number of hours here on every day.
const HOURS: u64 = 24;
/// In the order in which they are shown: the largest that fits.
const SIZES: [(&str, u64); 4] = [("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10), ("B", 1)];

/// Splits a line into words. `'…'` is literal, `"…"` knows `\"` and `\\`; elsewhere `\'` and `\"` are quotes that open
/// nothing, a backslash at the end of a line joins it with the next, and any other is a character.
pub fn split(line: &str) -> Result<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        rest = match c {
            '\'' => {
                let (inner, after) = rest[1..].split_once('\'').ok_or_else(|| open_quote(line))?;
                word.get_or_insert_default().push_str(inner);
                after
            }
            '"' => {
                let (inner, after) = double_quoted(&rest[1..]).ok_or_else(|| open_quote(line))?;
                word.get_or_insert_default().push_str(&inner);
                after
            }
            '\\' if let Some((text, after)) = escaped(rest) => {
                if !text.is_empty() {
                    word.get_or_insert_default().push_str(text);
                }
                after
            }
            c => {
                match c.is_whitespace() {
                    true => words.extend(word.take()),
                    false => word.get_or_insert_default().push(c),
                }
                &rest[c.len_utf8()..]
            }
        };
    }
    words.extend(word);
    Ok(words)
}

/// What stands before a closing double quote, with `\"` and `\\` undone, and what stands after it.
pub fn double_quoted(text: &str) -> Option<(String, &str)> {
    let mut out = String::new();
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((out, &text[at + 1..])),
            '\\' if matches!(chars.peek(), Some((_, '"' | '\\'))) => out.extend(chars.next().map(|(_, c)| c)),
            c => out.push(c),
        }
    }
    None
}

/// What a backslash at the start stands for outside of quotes, with what follows it: a quote, or nothing at the end of a
/// line. None if it is a character like any other.
pub fn escaped(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix('\\')?;
    match rest.chars().next()? {
        '\'' | '"' => Some(rest.split_at(1)),
        _ => Some(("", rest.strip_prefix("\r\n").or_else(|| rest.strip_prefix('\n'))?)),
    }
}

/// Puts one word so that `split` gives it back as one word.
pub fn quote(word: &str) -> String {
    let plain = |c: char| !c.is_whitespace() && c != '\'' && c != '"';
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("\"{}\"", word.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A length of time as people write it: `90s`, `5m`, `1h30m`, `7d`. Never none at all.
pub fn duration(text: &str) -> Option<Duration> {
    let days = text.strip_suffix('d').and_then(|number| number.parse::<u64>().ok());
    let time = match days {
        Some(days) => Duration::from_secs(days.checked_mul(HOURS * 60 * 60)?),
        None => text.parse::<jiff::SignedDuration>().ok().and_then(|time| Duration::try_from(time).ok())?,
    };
    (!time.is_zero()).then_some(time)
}

/// A number of bytes as people write it: `500`, `64KB`, `10 MB`, `2GB`; each unit is 1024 of the one before.
pub fn bytes(text: &str) -> Option<u64> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let unit = unit.trim_start();
    let known = SIZES.into_iter().find(|(name, _)| unit.eq_ignore_ascii_case(name));
    let factor = if unit.is_empty() { 1 } else { known?.1 };
    number.parse::<u64>().ok()?.checked_mul(factor)
}

/// A number of bytes as [`bytes`] reads it, rounded to one digit behind the point.
pub fn shown_bytes(bytes: u64) -> String {
    let (unit, size) = SIZES.into_iter().find(|(_, size)| bytes >= *size).unwrap_or(("B", 1));
    let tenths = (u128::from(bytes) * 10).div_ceil(u128::from(size));
    match (tenths / 10, tenths % 10) {
        (whole, 0) => format!("{whole} {unit}"),
        (whole, tenth) => format!("{whole}.{tenth} {unit}"),
    }
}

pub fn open_quote(line: &str) -> Error {
    Error::new(Code::InvalidParams, format!("A quote is not closed: {}", crate::error::quoted(line)))
        .hint(r#"A quote that is text: "it's", 'it'\''s', "say \"hi\"""#)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, prop_assert_eq, proptest};

    use super::*;

    #[test]
    fn words_split_as_in_a_shell() {
        let table: &[(&str, &[&str])] = &[
            ("", &[]),
            ("  a   b ", &["a", "b"]),
            (r#"add x --home "/my dir""#, &["add", "x", "--home", "/my dir"]),
            (r#"'a "b" \' "#, &[r#"a "b" \"#]),
            (r#""a \"b\" \\ \n""#, &[r#"a "b" \ \n"#]),
            (r#"a'b'"c"d"#, &["abcd"]),
            (r#"'' """#, &["", ""]),
            (r"C:\x", &[r"C:\x"]),
            ("'two\nlines'", &["two\nlines"]),
            (r"'it'\''s' a\'b", &["it's", "a'b"]),
            ("a \\\n b\\\nc", &["a", "bc"]),
        ];
        for (line, expected) in table {
            assert_eq!(&split(line).unwrap(), expected, "{line}");
        }
        for line in ["'open", "\"open", "a 'b", "\"x\\\""] {
            assert_eq!(split(line).unwrap_err().code, Code::InvalidParams, "{line}");
        }
    }

    proptest! {
        #[test]
        fn a_quoted_word_comes_back(words in proptest::collection::vec(any::<String>(), 0..5)) {
            let line = words.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" ");
            prop_assert_eq!(split(&line).unwrap(), words);
        }
    }

    #[test]
    fn times_and_sizes_are_read_as_people_write_them() {
        let seconds = |text| duration(text).map(|time| time.as_secs());
        for (text, expected) in [
            ("90s", Some(90)),
            ("1h30m", Some(5_400)),
            ("7d", Some(604_800)),
            ("0s", None),
            ("0d", None),
            ("-1h", None),
            ("d", None),
            ("99999999999999999999d", None),
            ("soon", None),
        ] {
            assert_eq!(seconds(text), expected, "{text}");
        }
        for (text, expected) in [
            ("500", Some(500)),
            ("64KB", Some(65_536)),
            ("10 mb", Some(10_485_760)),
            ("2GB", Some(2_147_483_648)),
            ("0", Some(0)),
            ("", None),
            ("MB", None),
            ("1.5GB", None),
            ("1 parsec", None),
            ("99999999999GB", None),
        ] {
            assert_eq!(bytes(text), expected, "{text}");
        }
        for (count, expected) in [(0, "0 B"), (1_023, "1023 B"), (1_536, "1.5 KB"), (1 << 30, "1 GB")] {
            assert_eq!(shown_bytes(count), expected);
        }
    }
}
