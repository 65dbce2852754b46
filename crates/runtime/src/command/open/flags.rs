//! The flags of `/open`, which stand before or behind a target that may itself hold spaces.

use sfmd::Position;

use super::not_a_line;
use crate::document::{Extent, Reading};
use crate::error::{Code, Error, Result, quoted};

const EDIT: &str = "--edit";
const FROM: &str = "--from";
const OUTLINE: &str = "--outline";
const RAW: &str = "--raw";
const USAGE: &str = "Usage: /open TARGET [--from L480] [--outline] [--raw]";

/// A target without its flags.
#[derive(Debug, PartialEq, Eq)]
pub struct Flags<'a> {
    pub target: &'a str,
    pub extent: Extent,
    pub reading: Reading,
}

impl<'a> Flags<'a> {
    /// Takes the flags off both ends of a target.
    pub fn split(text: &'a str) -> Result<Self> {
        let mut flags = Self { target: text.trim(), extent: Extent::Start, reading: Reading::Main };
        loop {
            let target = flags.target;
            if let Some(rest) = strip_word(target, OUTLINE) {
                (flags.target, flags.extent) = (rest, Extent::Outline);
            } else if let Some(rest) = strip_word(target, RAW) {
                (flags.target, flags.reading) = (rest, Reading::Whole);
            } else if let Some((rest, line)) = strip_from(target) {
                let from = Position::parse(line).ok_or_else(|| match line {
                    "" => wrong(format!("{FROM} needs a line.")),
                    line => wrong(not_a_line(line)),
                })?;
                (flags.target, flags.extent) = (rest, Extent::From(from));
            } else if let Some(unknown) = unknown_flag(target) {
                return Err(self::unknown(unknown));
            } else {
                return Ok(flags);
            }
        }
    }
}

/// The target of `/open --edit TARGET`, which is `/edit TARGET`.
pub fn edited(text: &str) -> Option<&str> {
    strip_word(text.trim(), EDIT)
}

fn wrong(message: String) -> Error {
    Error::new(Code::InvalidParams, message).hint(USAGE)
}

pub(super) fn unknown(flag: &str) -> Error {
    wrong(format!("Unknown flag {}.", quoted(flag)))
        .hint("A name that holds a word like this stands in quotes.")
}

/// A word alone is one too: it may be meant for the current document.
fn strip_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let first =
        text.strip_prefix(word).filter(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace));
    let last = text.strip_suffix(word).filter(|rest| rest.ends_with(char::is_whitespace));
    first.or(last).map(str::trim)
}

/// What is left of a target without `--from` and its value, and that value, which may be missing.
pub fn strip_from(target: &str) -> Option<(&str, &str)> {
    if let Some(rest) = target.strip_prefix(FROM)
        && (rest.is_empty() || rest.starts_with(char::is_whitespace))
    {
        let (line, rest) = rest.trim_start().split_once(char::is_whitespace).unwrap_or((rest.trim(), ""));
        return Some((rest.trim(), line));
    }
    if let Some(rest) = target.strip_suffix(FROM).filter(|rest| rest.ends_with(char::is_whitespace)) {
        return Some((rest.trim(), ""));
    }
    let (rest, line) = target.rsplit_once(" --from ")?;
    let is_in_quotes = target.starts_with(['"', '\'']) && line.ends_with(|c| target.starts_with(c));
    (!is_in_quotes).then_some((rest.trim(), line.trim()))
}

/// A word at either end that can only be meant as a flag.
fn unknown_flag(target: &str) -> Option<&str> {
    let is_flag =
        |word: &&str| word.strip_prefix("--").is_some_and(|name| name.starts_with(char::is_alphabetic));
    let mut words = target.split_whitespace();
    let ends = [words.next(), words.next_back()];
    ends.into_iter().flatten().find(is_flag).filter(|_| !target.starts_with(['"', '\'']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_stand_before_or_behind_a_target() {
        let from = |line, bytes| Extent::From(Position { line, bytes });
        let table = [
            ("a b.md", "a b.md", Extent::Start, Reading::Main),
            ("a b.md --outline", "a b.md", Extent::Outline, Reading::Main),
            ("--outline a.md", "a.md", Extent::Outline, Reading::Main),
            ("--raw https://x.org", "https://x.org", Extent::Start, Reading::Whole),
            ("a.md --from L480", "a.md", from(480, 0), Reading::Main),
            ("--from L480 a b.md", "a b.md", from(480, 0), Reading::Main),
            ("a.md --raw --from 7+90", "a.md", from(7, 90), Reading::Whole),
            ("--from L7 --raw a.md", "a.md", from(7, 0), Reading::Whole),
            ("a--raw.md", "a--raw.md", Extent::Start, Reading::Main),
            ("\"a --bogus\"", "\"a --bogus\"", Extent::Start, Reading::Main),
            ("'a --from b'", "'a --from b'", Extent::Start, Reading::Main),
            ("'a --from b' --from L3", "'a --from b'", from(3, 0), Reading::Main),
            ("a --bogus b.md", "a --bogus b.md", Extent::Start, Reading::Main),
            ("--outline", "", Extent::Outline, Reading::Main),
            ("--from L5", "", from(5, 0), Reading::Main),
        ];
        for (text, target, extent, reading) in table {
            assert_eq!(Flags::split(text), Ok(Flags { target, extent, reading }), "{text}");
        }
    }

    #[test]
    fn a_flag_that_is_wrong_says_what_is_wrong_with_it() {
        for (text, message) in [
            ("a.md --from x", "Not a line: \"x\""),
            ("a.md --from L0", "Not a line: \"L0\""),
            ("a.md --from -1", "Not a line: \"-1\""),
            ("a.md --from", "--from needs a line."),
            ("--from", "--from needs a line."),
            ("a.md --bogus", "Unknown flag \"--bogus\"."),
            ("--bogus a.md", "Unknown flag \"--bogus\"."),
        ] {
            let error = Flags::split(text).unwrap_err();
            assert_eq!((error.code, error.message.as_str()), (Code::InvalidParams, message), "{text}");
        }
    }

    #[test]
    fn an_edit_is_asked_for_at_either_end() {
        for (text, target) in [
            ("--edit a b.md", Some("a b.md")),
            ("a b.md --edit", Some("a b.md")),
            ("a --edit b.md", None),
            ("'a --edit'", None),
            ("--edit", Some("")),
        ] {
            assert_eq!(edited(text), target, "{text}");
        }
    }
}
