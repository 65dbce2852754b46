//! The rows a terminal shows, with a cursor: what text and control sequences do to them.
//!
//! Rows that scroll off the top are final and go to the bounded output. Full
//! rows that go on in the next one are joined again, so no line is wrapped.

use std::borrow::Cow;
use std::collections::VecDeque;

use unicode_width::UnicodeWidthChar as _;

use super::row::Row;
use super::{Bounded, Live, LogFiles, Output};
use crate::limits;

/// A plain row holds at most this much: more is possible only with
/// characters that have no width, and memory must stay flat.
const ROW_BYTES: usize = 8 * 1024;

pub(super) struct Page {
    rows: VecDeque<Row>,
    pub(super) row: usize,
    pub(super) column: usize,
    pub(super) columns: usize,
    pub(super) height: usize,
    saved: (usize, usize),
    /// The cursor was put where it is, and the line has not ended since: what is written is a drawing.
    drawing: bool,
    /// A full-screen program has the terminal; its drawing is no output.
    alternate: bool,
    /// Where the cursor was when it got it.
    before_alternate: (usize, usize),
    done: Done,
    /// Live text, gathered only while somebody watches.
    live: Option<Vec<Live>>,
}

/// The rows that are final.
struct Done {
    text: Bounded,
    /// There is a row in it, be it empty: the next one is a new line.
    begun: bool,
}

impl Page {
    pub(super) fn new(files: LogFiles) -> Self {
        Self {
            rows: VecDeque::new(),
            row: 0,
            column: 0,
            columns: usize::from(limits::COLUMNS),
            height: usize::from(limits::ROWS),
            saved: (0, 0),
            drawing: false,
            alternate: false,
            before_alternate: (0, 0),
            done: Done { text: Bounded::new(files), begun: false },
            live: None,
        }
    }

    pub(super) fn mark_binary(&mut self) {
        self.done.text.binary = true;
    }

    /// What is new since the last time. The rows stay, so that a line which
    /// goes on is continued and one which is drawn again replaces itself.
    pub(super) fn take(&mut self) -> Output {
        let written = self.rows.iter().rposition(|row| row.width() > 0).map_or(0, |last| last + 1);
        let shown = written.max(self.row + 1).min(self.rows.len());
        for row in self.rows.iter_mut().take(shown) {
            self.done.add(row);
            row.reported = Some(row.text().into_owned());
        }
        self.done.begun = false;
        self.done.text.take()
    }

    /// What is new since the last time, as far as it is kept, a line each.
    pub(super) fn unread(&self) -> String {
        let rows = self.rows.iter().filter_map(|row| Some((row.continues, fresh(row)?)));
        rows.fold(self.done.text.kept(), |text, (continues, row)| match continues {
            true => text + &row,
            false => text + "\n" + &row,
        })
    }

    /// Whether there is anything new.
    pub(super) fn is_clean(&self) -> bool {
        self.done.text.is_empty() && self.rows.iter().all(|row| fresh(row).is_none_or(|text| text.is_empty()))
    }

    /// Forgets the rows: what follows is another command's.
    pub(super) fn clear(&mut self) {
        self.rows.clear();
        (self.row, self.column, self.saved) = (0, 0, (0, 0));
        (self.alternate, self.drawing) = (false, false);
    }

    pub(super) fn watch(&mut self, watched: bool) {
        if watched != self.live.is_some() {
            self.live = watched.then(Vec::new);
        }
    }

    /// The live text since the last call, and the unfinished line.
    pub(super) fn take_live(&mut self) -> Vec<Live> {
        let Some(mut events) = self.live.as_mut().map(std::mem::take) else { return Vec::new() };
        if let Some(row) = self.rows.get(self.row) {
            let text = row.text();
            if text.len() > row.seen_live || !row.is_plain() {
                events.push(Live::Line(text.into_owned()));
            }
        }
        events
    }

    /// Writes text without control characters at the cursor.
    pub(super) fn print(&mut self, text: &str) {
        if self.alternate {
            return;
        }
        if text.is_ascii() {
            self.print_ascii(text);
            return;
        }
        for glyph in text.chars() {
            self.print_char(glyph);
        }
    }

    pub(super) fn print_char(&mut self, glyph: char) {
        // C1 controls have no width: what steers some terminals must not reach a reader.
        let Some(width) = glyph.width().filter(|_| !self.alternate) else { return };
        let full = self.column + width > self.columns || self.current().plain_bytes() > ROW_BYTES;
        if full {
            self.wrap();
        }
        let column = self.column;
        if width == 0 {
            self.current().combine(column, glyph);
        } else {
            self.current().put(column, glyph, width);
            self.column += width;
        }
    }

    pub(super) fn tab(&mut self) {
        if self.alternate {
            return;
        }
        if self.column >= self.columns {
            self.wrap();
        }
        let (column, columns) = (self.column, self.columns);
        self.column = self.current().tab(column, columns);
    }

    pub(super) fn line_feed(&mut self) {
        if !self.alternate {
            self.current();
            self.see_live("\n");
            self.next_row(Row::default());
        }
        self.column = 0;
        self.drawing = false;
    }

    pub(super) fn move_to(&mut self, row: usize, column: usize) {
        self.row = row.min(self.height - 1);
        self.column = column.min(self.columns - 1);
        self.drawing = true;
    }

    pub(super) fn set_alternate(&mut self, on: bool) {
        match (self.alternate, on) {
            (false, true) => self.before_alternate = (self.row, self.column),
            (true, false) => (self.row, self.column) = self.before_alternate,
            _ => {}
        }
        self.alternate = on;
    }

    pub(super) fn save(&mut self) {
        self.saved = (self.row, self.column);
    }

    pub(super) fn restore(&mut self) {
        let (row, column) = self.saved;
        self.move_to(row, column);
    }

    /// Erases in the cursor's row: 0 to its end, 1 from its start, 2 all of it.
    pub(super) fn erase_in_row(&mut self, mode: u16) {
        let (column, columns) = (self.column, self.columns);
        if let Some(row) = self.rows.get_mut(self.row).filter(|_| !self.alternate) {
            match mode {
                0 => row.erase(column, columns),
                1 => row.erase(0, column + 1),
                _ => row.erase(0, columns),
            }
        }
    }

    /// Erases on the page: 0 below the cursor, 1 above it, 2 everything.
    pub(super) fn erase_on_page(&mut self, mode: u16) {
        if self.alternate {
            return;
        }
        self.erase_in_row(mode);
        let rows = match mode {
            0 => self.row + 1..self.rows.len(),
            1 => 0..self.row.min(self.rows.len()),
            2 => 0..self.rows.len(),
            _ => return,
        };
        for row in self.rows.range_mut(rows.start.min(rows.end)..rows.end) {
            row.wipe();
        }
    }

    /// Erases, deletes or inserts `count` columns at the cursor.
    pub(super) fn edit_row(&mut self, action: char, count: usize) {
        let (column, columns) = (self.column, self.columns);
        if let Some(row) = self.rows.get_mut(self.row).filter(|_| !self.alternate) {
            match action {
                'X' => row.erase(column, column + count),
                'P' => row.delete(column, count),
                _ => row.insert(column, count, columns),
            }
        }
    }

    pub(super) fn insert_rows(&mut self, count: usize) {
        if !self.alternate && self.row < self.rows.len() {
            for _ in 0..count.min(self.height) {
                self.rows.insert(self.row, Row::default());
            }
            self.rows.truncate(self.height);
        }
    }

    pub(super) fn delete_rows(&mut self, count: usize) {
        if !self.alternate && self.row < self.rows.len() {
            let end = (self.row + count).min(self.rows.len());
            self.rows.drain(self.row..end);
        }
    }

    fn print_ascii(&mut self, mut text: &str) {
        while !text.is_empty() {
            if self.column >= self.columns {
                self.wrap();
            }
            let column = self.column;
            let (now, rest) = text.split_at(text.len().min(self.columns - column));
            let row = self.current();
            if row.is_plain() && row.width() == column {
                row.append_ascii(now);
            } else {
                for (at, glyph) in now.chars().enumerate() {
                    row.put(column + at, glyph, 1);
                }
            }
            self.column += now.len();
            text = rest;
        }
    }

    fn wrap(&mut self) {
        self.current().goes_on = true;
        self.see_live("");
        self.next_row(Row::continuing());
        self.column = 0;
    }

    fn next_row(&mut self, new: Row) {
        self.row += 1;
        if self.row == self.rows.len() {
            self.rows.push_back(new);
        }
        while self.row >= self.height {
            self.row -= 1;
            if let Some(row) = self.rows.pop_front() {
                self.done.add(&row);
            }
        }
    }

    fn current(&mut self) -> &mut Row {
        while self.rows.len() <= self.row {
            self.rows.push_back(Row::default());
        }
        let row = &mut self.rows[self.row];
        row.drawn |= self.drawing;
        row
    }

    /// Shows the cursor's row to whoever watches, as it is left.
    fn see_live(&mut self, end: &str) {
        let Some(live) = &mut self.live else { return };
        let Some(row) = self.rows.get_mut(self.row) else { return };
        let text = row.text();
        let mut unseen = text.get(row.seen_live..).unwrap_or_default().to_owned();
        let seen = text.len();
        unseen.push_str(end);
        row.seen_live = seen;
        match live.last_mut() {
            Some(Live::Text(text)) => text.push_str(&unseen),
            _ => live.push(Live::Text(unseen)),
        }
    }
}

/// The part of a row that no reader has seen, or nothing when it has not changed.
fn fresh(row: &Row) -> Option<Cow<'_, str>> {
    let text = row.text();
    match &row.reported {
        None => Some(text),
        // Blanks at its end may have become background since.
        Some(reported) if *reported == text || reported.trim_end_matches(' ') == text => None,
        Some(reported) => match text.strip_prefix(reported.as_str()) {
            Some(more) => Some(Cow::Owned(more.to_owned())),
            None => Some(text),
        },
    }
}

impl Done {
    fn add(&mut self, row: &Row) {
        let Some(text) = fresh(row) else { return };
        if self.begun && !row.continues {
            self.text.push("\n");
        }
        self.begun = true;
        self.text.push(&text);
    }
}
