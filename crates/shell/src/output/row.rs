//! One row of the terminal: plain text as long as it only grows, cells once
//! something is written over.

use std::borrow::Cow;

use unicode_width::UnicodeWidthChar as _;

/// Tab stops are this far apart.
const TAB: usize = 8;
/// More combining characters on one cell are noise.
const CLUSTER: usize = 64;

#[derive(Debug, Clone, PartialEq, Eq)]
enum Cell {
    /// Jumped over or erased: a blank, unless nothing follows.
    Blank,
    Glyph(char),
    /// A character with combining ones.
    Cluster(String),
    /// A tab; the columns it spans are `Rest`.
    Tab,
    /// Covered by the wide character or tab before it.
    Rest,
}

/// The text and its width while the row is plain; `cells` from then on.
#[derive(Debug, Clone, Default)]
pub(super) struct Row {
    text: String,
    width: usize,
    cells: Option<Vec<Cell>>,
    /// The row goes on where the one before it was full.
    pub(super) continues: bool,
    /// What a reader has been given of this row already.
    pub(super) reported: Option<String>,
    /// How much of the text has been seen live.
    pub(super) seen_live: usize,
    /// Written where a program put the cursor: blanks at its end are background, as in a row that was written over.
    pub(super) drawn: bool,
    /// It was full, and its text goes on in the next row.
    pub(super) goes_on: bool,
}

impl Row {
    pub(super) fn continuing() -> Self {
        Self { continues: true, ..Self::default() }
    }

    /// The column behind the last thing written.
    pub(super) fn width(&self) -> usize {
        self.cells.as_ref().map_or(self.width, Vec::len)
    }

    /// The bytes held by a plain row.
    pub(super) fn plain_bytes(&self) -> usize {
        self.text.len()
    }

    pub(super) fn is_plain(&self) -> bool {
        self.cells.is_none()
    }

    /// Adds ASCII text at the end of a plain row.
    pub(super) fn append_ascii(&mut self, text: &str) {
        self.text.push_str(text);
        self.width += text.len();
    }

    /// The text of the row; blanks at its end that nobody wrote, or that only cover what was there, are left out.
    pub(super) fn text(&self) -> Cow<'_, str> {
        let Some(cells) = &self.cells else {
            let text = if self.drawn && !self.goes_on { self.text.trim_end_matches(' ') } else { &self.text };
            return Cow::Borrowed(text);
        };
        let shows = |cell: &Cell| match cell {
            Cell::Blank => false,
            Cell::Glyph(glyph) => *glyph != ' ' || self.goes_on,
            Cell::Cluster(_) | Cell::Tab | Cell::Rest => true,
        };
        let end = cells.iter().rposition(shows).map_or(0, |last| last + 1);
        let mut text = String::new();
        for cell in &cells[..end] {
            match cell {
                Cell::Blank => text.push(' '),
                Cell::Glyph(glyph) => text.push(*glyph),
                Cell::Cluster(cluster) => text.push_str(cluster),
                Cell::Tab => text.push('\t'),
                Cell::Rest => {}
            }
        }
        Cow::Owned(text)
    }

    /// Writes a character of `width` columns at `column`.
    pub(super) fn put(&mut self, column: usize, glyph: char, width: usize) {
        if self.is_plain() && column == self.width {
            self.text.push(glyph);
            self.width += width;
            return;
        }
        let cells = self.cells();
        clear(cells, column, column + width);
        cells[column] = Cell::Glyph(glyph);
        cells[column + 1..column + width].fill(Cell::Rest);
    }

    /// Adds a combining character to what stands before `column`.
    pub(super) fn combine(&mut self, column: usize, mark: char) {
        if self.is_plain() && column == self.width {
            self.text.push(mark);
            return;
        }
        let cells = self.cells();
        let before = cells.get(..column).and_then(|cells| cells.iter().rposition(|cell| *cell != Cell::Rest));
        let Some(cell) = before.map(|at| &mut cells[at]) else { return };
        match cell {
            Cell::Glyph(glyph) => *cell = Cell::Cluster(format!("{glyph}{mark}")),
            Cell::Cluster(cluster) if cluster.len() < CLUSTER => cluster.push(mark),
            Cell::Cluster(_) | Cell::Blank | Cell::Tab | Cell::Rest => {}
        }
    }

    /// Moves over a tab at `column` and returns the column behind it. At the
    /// end of the row the tab becomes part of its text.
    pub(super) fn tab(&mut self, column: usize, columns: usize) -> usize {
        let stop = tab_stop(column, columns);
        if self.is_plain() && column == self.width {
            self.text.push('\t');
            self.width = stop;
        } else if column >= self.width() {
            let cells = self.cells();
            clear(cells, column, stop);
            cells[column] = Cell::Tab;
            cells[column + 1..stop].fill(Cell::Rest);
        }
        stop
    }

    /// Blanks the columns from `from` up to `to`.
    pub(super) fn erase(&mut self, from: usize, to: usize) {
        let width = self.width();
        if from >= width {
            return;
        }
        let cells = self.cells();
        clear(cells, from, to.min(width));
        if to >= width {
            cells.truncate(from);
        }
    }

    /// Empties the row. What a reader was given of it is as good as gone.
    pub(super) fn wipe(&mut self) {
        *self = Self { reported: self.reported.take().map(|_| String::new()), ..Self::default() };
    }

    /// Removes `count` columns at `column`; the rest moves left.
    pub(super) fn delete(&mut self, column: usize, count: usize) {
        let width = self.width();
        if column < width {
            let end = (column + count).min(width);
            let cells = self.cells();
            clear(cells, column, end);
            cells.drain(column..end);
        }
    }

    /// Inserts `count` blanks at `column`; what leaves the row on the right is lost.
    pub(super) fn insert(&mut self, column: usize, count: usize, columns: usize) {
        if column < self.width() {
            let cells = self.cells();
            clear(cells, column, column);
            cells.splice(column..column, std::iter::repeat_n(Cell::Blank, count.min(columns)));
            cells.truncate(columns);
        }
    }

    fn cells(&mut self) -> &mut Vec<Cell> {
        let text = std::mem::take(&mut self.text);
        let width = self.width;
        self.cells.get_or_insert_with(|| cells_of(&text, width))
    }
}

fn tab_stop(column: usize, columns: usize) -> usize {
    ((column / TAB + 1) * TAB).min(columns)
}

fn cells_of(text: &str, width: usize) -> Vec<Cell> {
    let mut cells: Vec<Cell> = Vec::with_capacity(width);
    for glyph in text.chars() {
        let start = cells.len();
        if glyph == '\t' {
            cells.push(Cell::Tab);
            cells.resize(tab_stop(start, width.max(start + 1)), Cell::Rest);
            continue;
        }
        match glyph.width().unwrap_or(0) {
            0 => match cells.iter_mut().rfind(|cell| **cell != Cell::Rest) {
                Some(Cell::Cluster(cluster)) => cluster.push(glyph),
                Some(cell @ Cell::Glyph(_)) => {
                    if let Cell::Glyph(base) = *cell {
                        *cell = Cell::Cluster(format!("{base}{glyph}"));
                    }
                }
                _ => {}
            },
            columns => {
                cells.push(Cell::Glyph(glyph));
                cells.resize(start + columns, Cell::Rest);
            }
        }
    }
    cells
}

/// Blanks the columns, and with them whatever they cut in two.
fn clear(cells: &mut Vec<Cell>, from: usize, to: usize) {
    if cells.len() < to.max(from) {
        cells.resize(to.max(from), Cell::Blank);
    }
    if cells.get(from) == Some(&Cell::Rest) {
        let owner = cells[..from].iter().rposition(|cell| *cell != Cell::Rest).unwrap_or(0);
        cells[owner..from].fill(Cell::Blank);
        blank_rest(cells, from);
    }
    cells[from..to].fill(Cell::Blank);
    blank_rest(cells, to);
}

fn blank_rest(cells: &mut [Cell], from: usize) {
    for cell in cells.iter_mut().skip(from).take_while(|cell| **cell == Cell::Rest) {
        *cell = Cell::Blank;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(text: &str) -> Row {
        let mut row = Row::default();
        let mut column = 0;
        for glyph in text.chars() {
            if glyph == '\t' {
                column = row.tab(column, 160);
            } else {
                let width = glyph.width().unwrap_or(0);
                if width == 0 {
                    row.combine(column, glyph);
                } else {
                    row.put(column, glyph, width);
                }
                column += width;
            }
        }
        row
    }

    #[test]
    fn writing_over_changes_what_it_covers_and_no_more() {
        let table: [(&str, usize, char, &str); 8] = [
            ("abc", 1, 'X', "aXc"),
            ("a\tb", 0, 'X', "X\tb"),
            ("a\tb", 3, 'X', "a  X    b"),
            ("漢字", 0, 'X', "X 字"),
            ("漢字", 1, 'X', " X字"),
            ("e\u{301}f", 1, 'X', "e\u{301}X"),
            ("ab", 5, 'X', "ab   X"),
            ("ab", 1, '漢', "a漢"),
        ];
        for (text, column, glyph, expected) in table {
            let mut row = row(text);
            row.put(column, glyph, glyph.width().unwrap());
            assert_eq!(row.text(), expected, "{glyph} at {column} of {text:?}");
        }
    }

    #[test]
    fn blanks_that_were_written_stay_and_those_that_were_not_go() {
        assert_eq!(row("a  ").text(), "a  ");
        let mut erased = row("abcdef");
        erased.erase(2, 160);
        assert_eq!(erased.text(), "ab");
        let mut middle = row("abcdef");
        middle.erase(1, 3);
        assert_eq!(middle.text(), "a  def");
    }

    #[test]
    fn blanks_that_cover_what_was_there_go() {
        let mut covered = row("abc");
        (0..3).for_each(|column| covered.put(column, ' ', 1));
        assert_eq!(covered.text(), "");
        let mut drawn = row("~   ");
        drawn.drawn = true;
        assert_eq!(drawn.text(), "~");
        drawn.goes_on = true;
        assert_eq!(drawn.text(), "~   ");
    }

    #[test]
    fn characters_are_deleted_and_inserted() {
        let mut deleted = row("abcdef");
        deleted.delete(1, 2);
        assert_eq!(deleted.text(), "adef");
        let mut inserted = row("abc");
        inserted.insert(1, 2, 160);
        assert_eq!(inserted.text(), "a  bc");
    }
}
