//! JSON as it was sent, only indented: order, duplicates and every digit stay. Letters that were sent as escapes are
//! shown as letters.

use std::borrow::Cow;
use std::fmt::Write;

use serde::de::IgnoredAny;

use crate::html::invisible::is_suspect;
use crate::limits::MAX_BODY;

/// Values deeper than this stay on one line.
const MAX_DEPTH: usize = 32;
/// Indenting may triple a text, but not without end.
const MAX_INDENTED: usize = 3 * MAX_BODY;

/// `text` indented by two spaces, or `None` if it is not JSON. Characters that nobody sees become escapes.
pub fn indent(text: &str) -> Option<String> {
    let text = text.trim_start_matches('\u{feff}').trim();
    // Checks without building anything, and without recursion.
    serde_json::from_str::<IgnoredAny>(text).ok()?;
    let mut out = String::with_capacity(text.len() + text.len() / 4);
    let mut depth = 0_usize;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => {
                let end = string_end(&text[at + 1..]) + at + 1;
                push_string(&text[at..end], &mut out);
                while chars.next_if(|(next, _)| *next < end).is_some() {}
            }
            '{' | '[' => {
                out.push(c);
                while chars.next_if(|(_, c)| c.is_ascii_whitespace()).is_some() {}
                if let Some((_, close)) = chars.next_if(|(_, c)| matches!(c, '}' | ']')) {
                    out.push(close);
                } else {
                    depth += 1;
                    new_line(depth, &mut out);
                }
            }
            '}' | ']' => {
                let was = depth;
                depth = depth.saturating_sub(1);
                if was <= MAX_DEPTH {
                    new_line(depth, &mut out);
                }
                out.push(c);
            }
            ',' => {
                out.push(c);
                if depth > MAX_DEPTH {
                    out.push(' ');
                } else {
                    new_line(depth, &mut out);
                }
            }
            ':' => out.push_str(": "),
            c if c.is_ascii_whitespace() => {}
            c => out.push(c),
        }
    }
    Some(out)
}

/// The text with each half of a surrogate pair that stands alone, which strict readers refuse, as U+FFFD. Cutting a
/// text in the middle of an emoji makes such halves.
pub fn whole_characters(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut cursor = 0;
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', &text.as_bytes()[at..]) {
        at += found;
        let unit = |at: usize| {
            let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
            u16::from_str_radix(digits, 16).ok()
        };
        match (unit(at), unit(at + 6)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => at += 12,
            (Some(0xd800..=0xdfff), _) => {
                out.push_str(&text[cursor..at]);
                out.push_str("\\ufffd");
                at += 6;
                cursor = at;
            }
            // The escaped character may be a backslash itself.
            _ => at = (at + 2).min(text.len()),
        }
        at = text.ceil_char_boundary(at);
    }
    if cursor == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[cursor..]);
    Cow::Owned(out)
}

fn new_line(depth: usize, out: &mut String) {
    if depth > MAX_DEPTH || out.len() > MAX_INDENTED {
        return;
    }
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", depth));
}

/// The length of a string's rest, its closing quote included.
fn string_end(rest: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in rest.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

fn push_string(string: &str, out: &mut String) {
    // Joiners and selectors belong to emoji and to scripts, where they are harmless one by one.
    let must_show =
        |c: char| is_suspect(c) && !matches!(c, '\u{200c}' | '\u{200d}' | '\u{fe0e}' | '\u{fe0f}');
    let has_escapes = string.contains("\\u");
    if !has_escapes && (string.is_ascii() || !string.chars().any(must_show)) {
        out.push_str(string);
        return;
    }
    let mut rest = string;
    while let Some(c) = rest.chars().next() {
        let letter = escaped_letter(rest).filter(|(letter, _)| !must_show(*letter));
        if let Some((letter, length)) = letter {
            out.push(letter);
            rest = &rest[length..];
            continue;
        }
        // The character after a backslash belongs to it: `\\\\u0041` is a backslash and some text.
        let length = if c == '\\' { 2.min(rest.len()) } else { c.len_utf8() };
        if must_show(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push_str(&rest[..length]);
        }
        rest = &rest[length..];
    }
}

/// The letter that an escape at the start of a text stands for, and the escape's length. What JSON or a terminal
/// could take for something else is none.
fn escaped_letter(text: &str) -> Option<(char, usize)> {
    let unit = |at: usize| u16::from_str_radix(text.get(at..at + 6)?.strip_prefix("\\u")?, 16).ok();
    let first = unit(0)?;
    let letter = |units: &[u16]| {
        let mut letters = char::decode_utf16(units.iter().copied());
        letters.next()?.ok().filter(|c| !c.is_ascii() && !c.is_control())
    };
    match first {
        0xd800..=0xdbff => Some((letter(&[first, unit(6)?])?, 12)),
        _ => Some((letter(&[first])?, 6)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_keeps_everything_but_its_spaces() {
        let cases = [
            ("{}", "{}"),
            ("[ ]", "[]"),
            ("{\"a\":1}", "{\n  \"a\": 1\n}"),
            ("{\"b\":[1,2,{}],\"a\":null}", "{\n  \"b\": [\n    1,\n    2,\n    {}\n  ],\n  \"a\": null\n}"),
            ("{\"a\":1,\"a\":2}", "{\n  \"a\": 1,\n  \"a\": 2\n}"),
            ("12345678901234567890.10e400", "12345678901234567890.10e400"),
            ("\"a, {b}: \\\" [c]\"", "\"a, {b}: \\\" [c]\""),
            ("\u{feff} true\n", "true"),
            ("[\"x\\\\\",\"y\"]", "[\n  \"x\\\\\",\n  \"y\"\n]"),
            ("\"a\u{202e}b\u{e0041}\"", "\"a\\u202eb\\udb40\\udc41\""),
            ("\"\\ud55c\\uAD6D \\ud83d\\ude00\"", "\"한국 😀\""),
            ("\"\\u0022 \\u005c \\u000a \\u0085 \\u202e\"", "\"\\u0022 \\u005c \\u000a \\u0085 \\u202e\""),
            ("\"\\\\ud55c \\\"\\u00e9\"", "\"\\\\ud55c \\\"é\""),
        ];
        for (text, expected) in cases {
            assert_eq!(indent(text).as_deref(), Some(expected), "{text}");
        }
        for text in ["", "{", "{a:1}", "[1,]", "nul", "{} {}", "\"\u{1}\""] {
            assert_eq!(indent(text), None, "{text}");
        }
    }

    #[test]
    fn depth_and_size_are_bounded() {
        let deep = "[".repeat(100_000) + &"]".repeat(100_000);
        let indented = indent(&deep).unwrap();
        assert!(indented.len() < deep.len() + 10_000);
        let wide = "[".repeat(31) + &"1,".repeat(4_000_000) + "1" + &"]".repeat(31);
        assert!(indent(&wide).unwrap().len() < MAX_INDENTED + wide.len() + 1_000);
    }
}
