//! What programs have made of the person's terminal, to be undone when the person leaves.

const ALTERNATE_ON: &[u8] = b"\x1b[?1049h";
const ALTERNATE_OFF: &[u8] = b"\x1b[?1049l";
/// Soft reset: colours, cursor, margins, keypad. Then mouse reports and bracketed paste, which it leaves alone.
const PLAIN: &str = "\x1b[!p\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2004l";

/// Whether a program shows the alternate screen, which a reset does not leave.
#[derive(Debug, Default)]
pub(super) struct Modes {
    alternate: bool,
    /// The end of what came last: a sequence may come in two pieces.
    tail: Vec<u8>,
    /// Anything has been shown that could have changed a mode.
    touched: bool,
}

impl Modes {
    pub(super) fn note(&mut self, bytes: &[u8]) {
        self.touched |= bytes.contains(&0x1b);
        self.tail.extend_from_slice(bytes);
        let last = |wanted: &[u8]| self.tail.windows(wanted.len()).rposition(|piece| piece == wanted);
        match (last(ALTERNATE_ON), last(ALTERNATE_OFF)) {
            (Some(on), off) if off.is_none_or(|off| off < on) => self.alternate = true,
            (_, Some(_)) => self.alternate = false,
            _ => {}
        }
        let keep = self.tail.len().min(ALTERNATE_ON.len() - 1);
        self.tail.drain(..self.tail.len() - keep);
    }

    /// What makes the terminal plain again.
    pub(super) fn leave(&self) -> String {
        match (self.touched, self.alternate) {
            (false, _) => String::new(),
            (true, false) => PLAIN.to_owned(),
            (true, true) => format!("\x1b[?1049l{PLAIN}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_alternate_screen_is_left_only_if_it_is_shown() {
        let table: [(&[&str], &str); 5] = [
            (&["plain text"], ""),
            (&["\x1b[31mred"], PLAIN),
            (&["\x1b[?1049hvim"], "\x1b[?1049l\x1b[!p"),
            (&["\x1b[?10", "49hvim"], "\x1b[?1049l\x1b[!p"),
            (&["\x1b[?1049hvim", "\x1b[?1049l"], PLAIN),
        ];
        for (pieces, expected) in table {
            let mut modes = Modes::default();
            pieces.iter().for_each(|piece| modes.note(piece.as_bytes()));
            let left = modes.leave();
            assert!(
                left.starts_with(expected) && left.is_empty() == expected.is_empty(),
                "{pieces:?} {left:?}"
            );
        }
    }
}
