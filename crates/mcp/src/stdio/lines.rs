//! Lines out of bytes, however these are cut.

/// As much as rmcp takes of any one message.
const LINE_MAX: usize = 16 * 1024 * 1024;

#[derive(Debug, Default)]
pub(super) struct Lines {
    /// A line whose end has not come.
    begun: Vec<u8>,
    /// Whether the line that is coming has been given up.
    discarding: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line<'a> {
    Whole(&'a [u8]),
    /// There was one of more than [`LINE_MAX`] bytes, which begins with these.
    TooLong(&'a [u8]),
}

impl Lines {
    /// Takes in bytes and shows every line that they complete, without its end.
    pub(super) fn feed(&mut self, mut bytes: &[u8], mut show: impl FnMut(Line<'_>)) {
        while let Some(end) = memchr::memchr(b'\n', bytes) {
            let (line, rest) = (&bytes[..end], &bytes[end + 1..]);
            bytes = rest;
            if std::mem::take(&mut self.discarding) {
                continue;
            }
            if self.begun.len() + line.len() > LINE_MAX {
                show(Line::TooLong(self.beginning(line)));
            } else if self.begun.is_empty() {
                show(Line::Whole(line));
            } else {
                self.begun.extend_from_slice(line);
                show(Line::Whole(&self.begun));
            }
            self.begun = Vec::new();
        }
        if self.discarding {
            return;
        }
        if self.begun.len() + bytes.len() > LINE_MAX {
            self.discarding = true;
            show(Line::TooLong(self.beginning(bytes)));
            self.begun = Vec::new();
        } else {
            self.begun.extend_from_slice(bytes);
        }
    }

    /// As much as may be kept of a line that goes on with these bytes.
    fn beginning(&mut self, bytes: &[u8]) -> &[u8] {
        self.begun.extend_from_slice(&bytes[..LINE_MAX - self.begun.len()]);
        &self.begun
    }

    /// The line whose end has not come.
    pub(super) fn begun(&self) -> &[u8] {
        &self.begun
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn fed(pieces: &[&[u8]]) -> (Vec<String>, String) {
        let mut lines = Lines::default();
        let mut shown = Vec::new();
        for piece in pieces {
            lines.feed(piece, |line| match line {
                Line::Whole(line) => shown.push(String::from_utf8_lossy(line).into_owned()),
                Line::TooLong(beginning) => {
                    assert_eq!(beginning.len(), LINE_MAX);
                    shown.push("too long".to_owned());
                }
            });
        }
        (shown, String::from_utf8_lossy(lines.begun()).into_owned())
    }

    proptest! {
        #[test]
        fn where_bytes_are_cut_makes_no_difference(text in "[a-c\n]{0,40}", cuts in prop::collection::vec(0_usize..40, 0..5)) {
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(text.len())).collect();
            cuts.sort_unstable();
            let ends = cuts.iter().copied().chain([text.len()]);
            let mut start = 0;
            let pieces: Vec<&[u8]> = ends.map(|end| {
                let piece = &text.as_bytes()[start..end];
                start = end;
                piece
            }).collect();
            let mut expected: Vec<&str> = text.split('\n').collect();
            let begun = expected.pop().unwrap_or_default();
            prop_assert_eq!(fed(&pieces), (expected.iter().map(ToString::to_string).collect(), begun.to_owned()));
        }
    }

    #[test]
    fn a_line_that_is_too_long_is_left_out_and_no_other() {
        let half = vec![b'x'; LINE_MAX / 2 + 1];
        let too_long = || "too long".to_owned();
        let (shown, begun) = fed(&[b"a\n", &half, &half, b"x\nb\nc"]);
        assert_eq!(shown, ["a".to_owned(), too_long(), "b".to_owned()]);
        assert_eq!(begun, "c");
        let (shown, begun) = fed(&[&half, &[&half[..], b"\nb\n"].concat()]);
        assert_eq!((shown, begun), (vec![too_long(), "b".to_owned()], String::new()));
    }
}
