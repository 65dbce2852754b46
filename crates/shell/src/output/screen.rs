//! The screen as it looks now, for full-screen programs.

use avt::Terminal;

use crate::limits;

/// Keeps the last raw bytes of a turn and draws them when asked: drawing
/// everything always would cost more than all the rest.
#[derive(Default)]
pub(crate) struct Screen {
    bytes: Vec<u8>,
    cut: bool,
}

impl Screen {
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        let newest = &bytes[bytes.len().saturating_sub(limits::SCREEN_BYTES)..];
        self.bytes.extend_from_slice(newest);
        if self.bytes.len() > 2 * limits::SCREEN_BYTES {
            self.bytes.drain(..self.bytes.len() - limits::SCREEN_BYTES);
            self.cut = true;
        }
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// What made the screen what it is, for a terminal that comes late.
    pub(crate) fn recent(&self) -> &[u8] {
        &self.bytes
    }

    /// The rows of the screen without blanks at their ends and empty rows below.
    pub(crate) fn draw(&self, columns: u16, rows: u16) -> String {
        let Ok(mut terminal) = Terminal::new(usize::from(columns.max(1)), usize::from(rows.max(1))) else {
            return String::new();
        };
        let text = String::from_utf8_lossy(&self.bytes);
        // After a cut the first sequence may be half; the next one or line is whole.
        let start = if self.cut { text.find(['\x1b', '\n']).unwrap_or(0) } else { 0 };
        terminal.feed(&text[start..]);
        let mut lines: Vec<String> = terminal.screen().visible_lines().map(avt::Line::text).collect();
        for line in &mut lines {
            line.truncate(line.trim_end().len());
        }
        while lines.last().is_some_and(String::is_empty) {
            lines.pop();
        }
        lines.join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_screen_shows_what_is_where() {
        let mut screen = Screen::default();
        screen.feed(b"before\x1b[?1049h\x1b[2J\x1b[2;3Hhere\x1b[1;1Hthere");
        assert_eq!(screen.draw(40, 5), "there\n  here");
    }

    #[test]
    fn old_bytes_are_forgotten_and_new_ones_still_drawn() {
        let mut screen = Screen::default();
        for _ in 0..100_000 {
            screen.feed(b"0123456789\r\n");
        }
        screen.feed(b"\x1b[H\x1b[2Jlast");
        assert!(screen.bytes.len() <= 2 * limits::SCREEN_BYTES + 100);
        assert_eq!(screen.draw(40, 5), "last");
    }
}
