//! Line numbers of byte offsets. Lines count from 1 and ranges of lines are half open.

use std::ops::Range;

/// Where each line of a text begins.
#[derive(Clone, Debug)]
pub(crate) struct Lines {
    starts: Vec<usize>,
    length: usize,
}

impl Lines {
    pub(crate) fn new(text: &str) -> Lines {
        let mut starts = vec![0];
        starts.extend(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1));
        // A final line end finishes the last line; it does not begin another one.
        if starts.len() > 1 && starts.last() == Some(&text.len()) {
            starts.pop();
        }
        Lines { starts, length: text.len() }
    }

    pub(crate) fn count(&self) -> usize {
        self.starts.len()
    }

    /// The line after the last one.
    pub(crate) fn end(&self) -> usize {
        self.count() + 1
    }

    pub(crate) fn line_of(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset)
    }

    /// Byte offset at which `line` begins; the length of the text for lines beyond the last.
    pub(crate) fn start(&self, line: usize) -> usize {
        self.starts.get(line - 1).copied().unwrap_or(self.length)
    }

    /// The line after the one that holds the last byte of `range`.
    pub(crate) fn line_after(&self, range: &Range<usize>) -> usize {
        self.line_of(range.end.saturating_sub(1).max(range.start)) + 1
    }

    pub(crate) fn bytes(&self, lines: &Range<usize>) -> Range<usize> {
        self.start(lines.start)..self.start(lines.end)
    }

    /// The text of a line without its line end.
    pub(crate) fn content<'a>(&self, text: &'a str, line: usize) -> &'a str {
        let whole = &text[self.start(line)..self.start(line + 1)];
        let whole = whole.strip_suffix('\n').unwrap_or(whole);
        whole.strip_suffix('\r').unwrap_or(whole)
    }
}

/// Positions of the items whose key lies in `range`; the items are sorted by it.
pub(crate) fn positions_within<T>(
    items: &[T],
    range: &Range<usize>,
    key: impl Fn(&T) -> usize,
) -> Range<usize> {
    let start = items.partition_point(|item| key(item) < range.start);
    let length = items[start..].partition_point(|item| key(item) < range.end);
    start..start + length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_with_lf_or_crlf() {
        let text = "one\r\ntwo\n\nfour";
        let lines = Lines::new(text);
        let all: Vec<_> = (1..lines.end()).map(|line| lines.content(text, line)).collect();
        assert_eq!(all, ["one", "two", "", "four"]);
        assert_eq!([0, 4, 5, 9, 10, 13].map(|at| lines.line_of(at)), [1, 1, 2, 3, 4, 4]);
        assert_eq!(lines.line_after(&(5..9)), 3);
    }

    #[test]
    fn a_final_line_end_begins_no_line() {
        assert_eq!(Lines::new("a\nb\n").count(), 2);
        assert_eq!(Lines::new("").count(), 1);
        assert_eq!(Lines::new("\n").count(), 1);
    }
}
