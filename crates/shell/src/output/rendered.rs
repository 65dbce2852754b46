//! A text that is there already, as a terminal would leave it.

use std::borrow::Cow;
use std::path::PathBuf;

use super::{LogFiles, Transcript};
use crate::limits;

/// As much as is rendered at once: nothing of it can be left out.
const PIECE: usize = limits::HEAD / 2;

/// Renders escape sequences and carriage returns. A text without control characters is left alone.
pub fn rendered(text: &str) -> Cow<'_, str> {
    let steers = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    if !text.contains(steers) {
        return Cow::Borrowed(text);
    }
    let mut transcript = Transcript::new(LogFiles { directory: PathBuf::new(), cap: 0 });
    let mut out = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        let room = rest.floor_char_boundary(PIECE);
        let end = rest[..room].rfind('\n').map_or(room, |at| at + 1);
        transcript.feed(&rest.as_bytes()[..end]);
        out.push_str(&transcript.take().head);
        rest = &rest[end..];
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_terminal_is_gone() {
        for (raw, shown) in [
            ("plain\n\ttext\n", "plain\n\ttext\n"),
            ("\u{1b}[31mred\u{1b}[0m\n", "red\n"),
            ("10%\r50%\r99%\ndone", "99%\ndone"),
            ("a\r\nb\r\n", "a\nb\n"),
            ("bell\u{7}\n", "bell\n"),
        ] {
            assert_eq!(rendered(raw), shown, "{raw:?}");
        }
    }

    #[test]
    fn a_long_text_is_rendered_whole() {
        let raw = "\u{1b}[1mline é\u{1b}[0m\r\n".repeat(20_000);
        assert_eq!(rendered(&raw), "line é\n".repeat(20_000));
    }
}
