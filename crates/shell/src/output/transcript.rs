//! From raw bytes to rows: UTF-8 across reads, control characters, escape sequences.

use vte::{Params, Parser, Perform};

use super::charset::Charsets;
use super::page::Page;
use super::{Live, LogFiles, Output};

/// Renders what a terminal or a pipe delivers.
pub(crate) struct Transcript {
    screen: Interpreter,
    parser: Parser,
    mode: Mode,
    /// The beginning of a character whose rest has not arrived.
    partial: Vec<u8>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Text,
    /// Inside a control sequence, which the parser must see through.
    Sequence,
}

/// What the parser drives: the page, and what programs ask the terminal.
struct Interpreter {
    page: Page,
    charsets: Charsets,
    answers: Vec<u8>,
    sequence_ended: bool,
}

impl Transcript {
    pub(crate) fn new(files: LogFiles) -> Self {
        let screen = Interpreter {
            page: Page::new(files),
            charsets: Charsets::default(),
            answers: Vec::new(),
            sequence_ended: false,
        };
        Self { screen, parser: Parser::new(), mode: Mode::Text, partial: Vec::new() }
    }

    pub(crate) fn feed(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let used = match self.mode {
                Mode::Sequence => self.feed_sequence(bytes),
                Mode::Text if !self.partial.is_empty() => self.feed_partial(bytes),
                Mode::Text => self.feed_text(bytes),
            };
            bytes = &bytes[used..];
        }
    }

    /// What is new since the last time.
    pub(crate) fn take(&mut self) -> Output {
        self.screen.page.take()
    }

    /// What is new since the last time, left where it is.
    pub(crate) fn unread(&self) -> String {
        self.screen.page.unread()
    }

    pub(crate) fn is_clean(&self) -> bool {
        self.screen.page.is_clean()
    }

    /// What a program asked the terminal, answered: to be written to its input.
    pub(crate) fn take_answers(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.screen.answers)
    }

    /// Forgets rows and half sequences: what follows is another command's.
    pub(crate) fn clear(&mut self) {
        self.screen.page.clear();
        self.screen.charsets = Charsets::default();
        self.parser = Parser::new();
        self.mode = Mode::Text;
        self.partial.clear();
    }

    pub(crate) fn resize(&mut self, columns: u16, rows: u16) {
        self.screen.page.columns = usize::from(columns.max(1));
        self.screen.page.height = usize::from(rows.max(1));
    }

    pub(crate) fn watch(&mut self, watched: bool) {
        self.screen.page.watch(watched);
    }

    pub(crate) fn take_live(&mut self) -> Vec<Live> {
        self.screen.page.take_live()
    }

    fn feed_sequence(&mut self, bytes: &[u8]) -> usize {
        self.screen.sequence_ended = false;
        let used = self.parser.advance_until_terminated(&mut self.screen, bytes);
        if self.screen.sequence_ended {
            self.mode = Mode::Text;
        }
        used
    }

    fn feed_text(&mut self, bytes: &[u8]) -> usize {
        let run = bytes.iter().position(|byte| *byte < 0x20 || *byte == 0x7f).unwrap_or(bytes.len());
        if run == 0 {
            if bytes[0] == 0x1b {
                self.mode = Mode::Sequence;
                return 0;
            }
            self.screen.execute(bytes[0]);
            return 1;
        }
        match std::str::from_utf8(&bytes[..run]) {
            Ok(text) => {
                self.screen.show(text);
                run
            }
            Err(error) => {
                let valid = error.valid_up_to();
                if let Ok(text) = std::str::from_utf8(&bytes[..valid]) {
                    self.screen.show(text);
                }
                match error.error_len() {
                    None if run == bytes.len() => {
                        self.partial.extend_from_slice(&bytes[valid..]);
                        run
                    }
                    length => {
                        self.replace();
                        length.map_or(run, |length| valid + length)
                    }
                }
            }
        }
    }

    /// Completes a character that was cut by a read.
    fn feed_partial(&mut self, bytes: &[u8]) -> usize {
        self.partial.push(bytes[0]);
        match std::str::from_utf8(&self.partial) {
            Ok(text) => {
                self.screen.show(text);
                self.partial.clear();
                1
            }
            Err(error) if error.error_len().is_none() => 1,
            Err(_) => {
                // The new byte does not belong to it and is looked at again.
                self.partial.clear();
                self.replace();
                0
            }
        }
    }

    fn replace(&mut self) {
        self.screen.page.mark_binary();
        self.screen.page.print_char(char::REPLACEMENT_CHARACTER);
    }
}

impl Interpreter {
    fn show(&mut self, text: &str) {
        self.page.print(&self.charsets.shown(text));
    }

    fn set_modes(&mut self, params: &Params, on: bool) {
        for mode in params.iter().filter_map(|param| param.first()) {
            if matches!(mode, 47 | 1047 | 1049) {
                self.page.set_alternate(on);
            }
        }
    }

    fn move_by(&mut self, rows: isize, columns: isize) {
        // A full row's cursor stands behind its last column.
        let column = self.page.column.min(self.page.columns - 1);
        self.page.move_to(self.page.row.saturating_add_signed(rows), column.saturating_add_signed(columns));
    }

    fn report(&mut self, kind: u16) {
        match kind {
            5 => self.answers.extend_from_slice(b"\x1b[0n"),
            6 => {
                let (row, column) = (self.page.row + 1, self.page.column.min(self.page.columns - 1) + 1);
                self.answers.extend_from_slice(format!("\x1b[{row};{column}R").as_bytes());
            }
            _ => {}
        }
    }
}

impl Perform for Interpreter {
    /// What the parser takes for a character may be a control.
    fn print(&mut self, glyph: char) {
        self.page.print_char(self.charsets.glyph(glyph));
    }

    fn execute(&mut self, byte: u8) {
        match byte {
            b'\n' | 0x0b | 0x0c => self.page.line_feed(),
            b'\r' => self.page.column = 0,
            b'\t' => self.page.tab(),
            0x08 => self.move_by(0, -1),
            0 => self.page.mark_binary(),
            0x0e => self.charsets.switch(1),
            0x0f => self.charsets.switch(0),
            // These two cut a sequence short.
            0x18 | 0x1a => self.sequence_ended = true,
            _ => {}
        }
    }

    fn csi_dispatch(&mut self, params: &Params, intermediates: &[u8], _ignore: bool, action: char) {
        self.sequence_ended = true;
        let param = |at: usize| params.iter().nth(at).and_then(|param| param.first().copied()).unwrap_or(0);
        let count = usize::from(param(0).max(1));
        let step = isize::try_from(count).unwrap_or(isize::MAX);
        match (intermediates, action) {
            (b"?", 'h') => self.set_modes(params, true),
            (b"?", 'l') => self.set_modes(params, false),
            (b"!", 'p') => self.charsets = Charsets::default(),
            (b">", 'c') => self.answers.extend_from_slice(b"\x1b[>0;0;0c"),
            ([], 'c') => self.answers.extend_from_slice(b"\x1b[?6c"),
            ([], 'n') => self.report(param(0)),
            ([], 't') if param(0) == 18 => {
                let size = format!("\x1b[8;{};{}t", self.page.height, self.page.columns);
                self.answers.extend_from_slice(size.as_bytes());
            }
            ([], 'A') => self.move_by(-step, 0),
            ([], 'B' | 'e') => self.move_by(step, 0),
            ([], 'C' | 'a') => self.move_by(0, step),
            ([], 'D') => self.move_by(0, -step),
            ([], 'E') => self.page.move_to(self.page.row + count, 0),
            ([], 'F') => self.page.move_to(self.page.row.saturating_sub(count), 0),
            ([], 'G' | '`') => self.page.move_to(self.page.row, count - 1),
            ([], 'd') => self.page.move_to(count - 1, self.page.column),
            ([], 'H' | 'f') => self.page.move_to(count - 1, usize::from(param(1).max(1)) - 1),
            ([], 'J') => self.page.erase_on_page(param(0)),
            ([], 'K') => self.page.erase_in_row(param(0)),
            ([], 'L') => self.page.insert_rows(count),
            ([], 'M') => self.page.delete_rows(count),
            ([], 'P' | '@' | 'X') => self.page.edit_row(action, count),
            ([], 's') => self.page.save(),
            ([], 'u') => self.page.restore(),
            _ => {}
        }
    }

    fn esc_dispatch(&mut self, intermediates: &[u8], _ignore: bool, byte: u8) {
        self.sequence_ended = true;
        match (intermediates, byte) {
            ([], b'7') => self.page.save(),
            ([], b'8') => self.page.restore(),
            ([], b'D' | b'E') => self.page.line_feed(),
            ([], b'M') => self.move_by(-1, 0),
            (b"(", name) => self.charsets.choose(0, name),
            (b")", name) => self.charsets.choose(1, name),
            ([], b'c') => {
                self.charsets = Charsets::default();
                self.page.set_alternate(false);
                self.page.erase_on_page(2);
                self.page.move_to(0, 0);
            }
            _ => {}
        }
    }

    fn osc_dispatch(&mut self, params: &[&[u8]], bell_terminated: bool) {
        // Otherwise an ESC ended it, and the backslash is still to come.
        self.sequence_ended = bell_terminated;
        if let [kind @ (b"10" | b"11"), b"?"] = params {
            let (kind, colour) = if *kind == b"10" { ("10", "ffff") } else { ("11", "0000") };
            let answer = format!("\x1b]{kind};rgb:{colour}/{colour}/{colour}\x1b\\");
            self.answers.extend_from_slice(answer.as_bytes());
        }
    }

    fn terminated(&self) -> bool {
        self.sequence_ended
    }
}

#[cfg(test)]
mod tests;
