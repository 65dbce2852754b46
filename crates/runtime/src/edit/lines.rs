//! A text as lines, and the ends they have.

use std::ops::Range;

/// Marks a text as UTF-8; some editors put it at the start of files.
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// The lines of a text, counted from 1 as Markdown counts them: a lone carriage return ends one too.
#[derive(Debug)]
pub struct Lines<'a> {
    text: &'a str,
    /// Of each line with its end.
    spans: Vec<Range<usize>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEnd {
    Lf,
    CrLf,
}

impl<'a> Lines<'a> {
    pub fn of(text: &'a str) -> Self {
        let bytes = text.as_bytes();
        let mut spans = Vec::new();
        let mut start = 0;
        for (at, byte) in bytes.iter().enumerate() {
            let ends = *byte == b'\n' || (*byte == b'\r' && bytes.get(at + 1) != Some(&b'\n'));
            if ends {
                spans.push(start..at + 1);
                start = at + 1;
            }
        }
        if start < bytes.len() {
            spans.push(start..bytes.len());
        }
        Self { text, spans }
    }

    pub fn count(&self) -> usize {
        self.spans.len()
    }

    /// The bytes of lines, ends included; an empty range stands before its first line.
    pub fn bytes(&self, lines: &Range<usize>) -> Range<usize> {
        self.start(lines.start)..self.start(lines.end)
    }

    /// Each line without its end.
    pub fn contents(&self) -> Vec<&'a str> {
        self.spans.iter().map(|span| self.text[span.clone()].trim_end_matches(['\n', '\r'])).collect()
    }

    fn start(&self, line: usize) -> usize {
        self.spans.get(line - 1).map_or(self.text.len(), |span| span.start)
    }
}

impl LineEnd {
    /// What most lines of a text end with; none if no line ends.
    pub fn of(text: &str) -> Option<Self> {
        let all = text.matches('\n').count();
        let with_return = text.matches("\r\n").count();
        (all > 0).then_some(if with_return * 2 > all { Self::CrLf } else { Self::Lf })
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Lf => "\n",
            Self::CrLf => "\r\n",
        }
    }
}

/// Every line of a text with the same end, the last one too.
pub fn ended(text: &str, end: LineEnd) -> String {
    let mut out = text.replace("\r\n", "\n");
    if !out.ends_with('\n') {
        // Half of an end, when a transport trimmed the other half.
        out.truncate(out.strip_suffix('\r').unwrap_or(&out).len());
        out.push('\n');
    }
    if end == LineEnd::CrLf { out.replace('\n', "\r\n") } else { out }
}

/// A text without its byte order mark, and the mark.
pub fn without_mark(text: &str) -> (&str, &str) {
    match text.strip_prefix(BYTE_ORDER_MARK) {
        Some(rest) => (BYTE_ORDER_MARK, rest),
        None => ("", text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_with_any_of_three_ends() {
        let table: &[(&str, &[&str])] = &[
            ("", &[]),
            ("\n", &[""]),
            ("a", &["a"]),
            ("a\nb\n", &["a", "b"]),
            ("a\r\nb\rc\n\nd", &["a", "b", "c", "", "d"]),
        ];
        for (text, expected) in table {
            assert_eq!(&Lines::of(text).contents(), expected, "{text:?}");
        }
        assert_eq!(Lines::of("a\r\nb\nc").bytes(&(2..3)), 3..5);
        assert_eq!(Lines::of("a\r\nb\nc").bytes(&(2..2)), 3..3);
        assert_eq!(Lines::of("a\r\nb\nc").bytes(&(3..4)), 5..6);
        assert_eq!(Lines::of("a\n").bytes(&(2..2)), 2..2);
    }

    #[test]
    fn lines_are_counted_as_documents_count_them() {
        for text in ["a", "a\n", "a\r\nb\rc\n\nd", "\u{feff}---\nt: 1\n---\n# H\r", "\r\r\n\n"] {
            assert_eq!(Lines::of(text).count(), sfmd::parse(text).line_count(), "{text:?}");
        }
    }

    #[test]
    fn a_text_gets_the_ends_of_its_file() {
        assert_eq!(LineEnd::of("a"), None);
        assert_eq!(LineEnd::of("a\nb\r\n"), Some(LineEnd::Lf));
        assert_eq!(LineEnd::of("a\r\nb\r\n\n"), Some(LineEnd::CrLf));
        assert_eq!(ended("a\r\nb", LineEnd::Lf), "a\nb\n");
        assert_eq!(ended("a\nb\r\n", LineEnd::CrLf), "a\r\nb\r\n");
        assert_eq!(ended("", LineEnd::Lf), "\n");
        assert_eq!(ended("a\r\nb\r", LineEnd::Lf), "a\nb\n");
    }
}
