//! A part of a file: all of it, a block, or some lines, and where that is in a text.

use std::fmt;
use std::ops::Range;

use super::count_of;
use super::lines::Lines;
use crate::document;
use crate::error::{Code, Error, Result};

/// How many included files an error names.
const INCLUDED_SHOWN: usize = 10;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    Whole,
    /// A marked block or a section, without the `#`.
    Block(String),
    Lines(LineRange),
}

/// `L5` or `L5-L10`, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineRange {
    pub first: usize,
    pub last: usize,
}

impl Part {
    /// The lines of this part in a text, half open.
    pub fn lines(&self, text: &str, shown: &str) -> Result<Range<usize>> {
        match self {
            Self::Whole => Ok(1..Lines::of(text).count() + 1),
            Self::Lines(range) => range.within(text, shown),
            Self::Block(id) => block_lines(id, text, shown),
        }
    }
}

impl LineRange {
    /// Takes `:L5` or `:L5-L10` off the end of a text.
    pub fn split(text: &str) -> Option<(&str, Self)> {
        let (path, suffix) = text.rsplit_once(":L")?;
        let (first, last) = match suffix.split_once('-') {
            Some((first, last)) => (first, last.strip_prefix('L').unwrap_or(last)),
            None => (suffix, suffix),
        };
        Some((path, Self { first: number(first)?, last: number(last)? }))
    }

    fn within(self, text: &str, shown: &str) -> Result<Range<usize>> {
        let count = Lines::of(text).count();
        if self.first > self.last {
            let message = format!("The range {self} ends before it begins.");
            return Err(Error::new(Code::InvalidParams, message));
        }
        if self.first == 0 || self.last > count {
            let line = if self.first == 0 { 0 } else { self.last };
            let message = format!("No line {line}: {shown} has {}.", count_of(count, "line"));
            return Err(Error::new(Code::LineOutOfRange, message)
                .hint(format!("See them: /edit {}", document::typed(shown)))
                .hint(format!("Add at the end: /append {}", document::typed(shown))));
        }
        Ok(self.first..self.last + 1)
    }
}

/// As it follows a path: nothing, `#decisions`, `:L5`, `:L5-L10`.
impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole => Ok(()),
            Self::Block(id) => write!(f, "#{id}"),
            Self::Lines(range) => write!(f, ":{range}"),
        }
    }
}

impl fmt::Display for LineRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self { first, last } if first == last => write!(f, "L{first}"),
            Self { first, last } => write!(f, "L{first}-L{last}"),
        }
    }
}

/// More digits than any line number has are a line that no file has.
fn number(text: &str) -> Option<usize> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().unwrap_or(usize::MAX - 1))
}

fn block_lines(id: &str, text: &str, shown: &str) -> Result<Range<usize>> {
    let document = sfmd::parse(text);
    if let Some(lines) = document.edit_lines(id) {
        return Ok(lines);
    }
    if let Some(sfmd::Target::Include { line, include }) = document.resolve(id) {
        let file = if include.path.is_empty() { "another file" } else { &include.path };
        let message = format!("#{id} is included in {shown} from {file}.");
        return Err(Error::new(Code::BlockNotFound, message).hint(format!(
            "Edit that file, or the line that includes it: {}:L{line}",
            document::typed(shown)
        )));
    }
    let headings = document.headings.iter().map(|heading| heading.slug.as_str());
    let missing = document::no_block(id, document.block_ids().into_iter().chain(headings), shown);
    let included =
        document.includes().map(|(_, include)| include.path.as_str()).filter(|path| !path.is_empty());
    let included: Vec<&str> = included.take(INCLUDED_SHOWN).collect();
    let elsewhere = || format!("It includes {}: their blocks are edited there.", included.join(", "));
    Err(missing.hints((!included.is_empty()).then(elsewhere)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_that_is_elsewhere_is_told_with_where() {
        let text = "# Top\n\n#\n\n[!include:part](parts/a.md)\n";
        let error = |id: &str| Part::Block(id.to_owned()).lines(text, "~/x.md").unwrap_err().hints.join("; ");
        assert_eq!(
            error("inner"),
            "Blocks: #part, #top; It includes parts/a.md: their blocks are edited there."
        );
        assert_eq!(error("part"), "Edit that file, or the line that includes it: ~/x.md:L5");
    }

    #[test]
    fn line_ranges_stand_at_the_end() {
        let table = [
            ("a.md:L5", Some(("a.md", 5, 5))),
            ("a.md:L5-L10", Some(("a.md", 5, 10))),
            ("a.md:L5-10", Some(("a.md", 5, 10))),
            ("a:L1:L2", Some(("a:L1", 2, 2))),
            ("a.md:L99999999999999999999", Some(("a.md", usize::MAX - 1, usize::MAX - 1))),
            ("a.md:L", None),
            ("a.md:Lx", None),
            ("a.md:L5-", None),
            ("a.md:L+5", None),
            ("a.md:5", None),
            ("a.md", None),
        ];
        for (text, expected) in table {
            let found = LineRange::split(text).map(|(path, range)| (path, range.first, range.last));
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn a_part_is_found_or_the_error_says_what_there_is() {
        let text =
            "# A\n\n<!-- #b -->\nx\n<!-- /b -->\n<!-- #e -->\n<!-- /e -->\n[!include:i](i.md)\n## C\ny\n";
        let lines = |first, last| Part::Lines(LineRange { first, last });
        let block = |id: &str| Part::Block(id.to_owned());
        type Expected = Result<Range<usize>, (Code, &'static str)>;
        let table: &[(Part, Expected)] = &[
            (Part::Whole, Ok(1..11)),
            (lines(2, 4), Ok(2..5)),
            (lines(10, 10), Ok(10..11)),
            (lines(11, 11), Err((Code::LineOutOfRange, "has 10 lines"))),
            (lines(0, 3), Err((Code::LineOutOfRange, "No line 0"))),
            (lines(3, 2), Err((Code::InvalidParams, "L3-L2"))),
            (block("b"), Ok(4..5)),
            (block("e"), Ok(7..7)),
            (block("c"), Ok(9..11)),
            (block("i"), Err((Code::BlockNotFound, "i.md"))),
            (block("bb"), Err((Code::BlockNotFound, "#b, #e, #i, #a, #c"))),
        ];
        for (part, expected) in table {
            match (part.lines(text, "~/x.md"), expected) {
                (Ok(found), Ok(expected)) => assert_eq!(&found, expected, "{part}"),
                (Err(error), Err((code, words))) => {
                    assert_eq!(error.code, *code, "{part}");
                    assert!(error.to_string().contains(words), "{part}: {error}");
                }
                (found, _) => panic!("{part}: {found:?}"),
            }
        }
    }
}
