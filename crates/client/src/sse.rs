//! Server-sent events out of bytes that arrive in any pieces. Pure: bytes in, events out.

use std::collections::VecDeque;

/// One event. A stream without `event:` lines calls all of them `message`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) name: String,
    pub(crate) data: String,
}

#[derive(Debug, Default)]
pub(crate) struct Parser {
    /// The bytes of a line whose end has not come yet.
    line: Vec<u8>,
    /// A `\r` ended the last line: a `\n` that follows belongs to it, even in the next piece.
    after_return: bool,
    name: String,
    /// `None` until a `data:` line comes: a blank line then ends nothing.
    data: Option<String>,
    ready: VecDeque<Frame>,
}

impl Parser {
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            match byte {
                b'\n' if self.after_return => {}
                b'\n' | b'\r' => self.end_line(),
                _ => self.line.push(byte),
            }
            self.after_return = byte == b'\r';
        }
    }

    pub(crate) fn next(&mut self) -> Option<Frame> {
        self.ready.pop_front()
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&line);
        if line.is_empty() {
            return self.end_event();
        }
        let (field, value) = line.split_once(':').unwrap_or((&line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut self.name),
            "data" => match &mut self.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.data = Some(value.to_owned()),
            },
            // Comments keep a connection alive; ids and retry times mean nothing to a reader that never resumes.
            _ => {}
        }
    }

    fn end_event(&mut self) {
        let name = std::mem::take(&mut self.name);
        if let Some(data) = self.data.take() {
            let name = if name.is_empty() { "message".to_owned() } else { name };
            self.ready.push_back(Frame { name, data });
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, prop_assert_eq, proptest};

    use super::*;

    fn frames<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<Frame> {
        let mut parser = Parser::default();
        pieces.into_iter().for_each(|piece| parser.push(piece));
        std::iter::from_fn(|| parser.next()).collect()
    }

    #[test]
    fn events_are_lines_up_to_a_blank_one() {
        let table: &[(&str, &[(&str, &str)])] = &[
            ("", &[]),
            ("event: head\ndata: {}\n\n", &[("head", "{}")]),
            ("event:head\ndata:{}\n\n", &[("head", "{}")]),
            ("data:  two spaces\n\n", &[("message", " two spaces")]),
            ("data: a\ndata: b\n\n", &[("message", "a\nb")]),
            ("data\n\n", &[("message", "")]),
            ("event: a\r\ndata: 1\r\n\r\nevent: b\rdata: 2\r\r", &[("a", "1"), ("b", "2")]),
            (": heartbeat\n\nid: 7\nretry: 9\ndata: x\n\n", &[("message", "x")]),
            ("event: nothing\n\ndata: x\n\n", &[("message", "x")]),
            ("data: a: b\n\n", &[("message", "a: b")]),
            ("data: never ended\n", &[]),
            ("data: never ended", &[]),
            ("data: 𝒞\n\n", &[("message", "𝒞")]),
        ];
        for (text, expected) in table {
            let found = frames([text.as_bytes()]);
            let found: Vec<_> = found.iter().map(|frame| (&*frame.name, &*frame.data)).collect();
            assert_eq!(&found, expected, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn any_chunking_gives_the_same_events(
            text in "(event|data|id|:|: |\n|\r|\r\n|\n\n|x|𝒞){0,60}",
            cuts in proptest::collection::vec(any::<proptest::sample::Index>(), 0..8),
        ) {
            let bytes = text.as_bytes();
            let mut cuts: Vec<_> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let pieces = cuts.windows(2).map(|cut| &bytes[cut[0]..cut[1]]);
            prop_assert_eq!(frames(pieces), frames([bytes]));
        }
    }
}
