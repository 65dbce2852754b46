//! What an agent sees of a page, where each of its lines comes from, and how it is cut to a budget.

use std::fmt;

use super::Origin;
use crate::scan::{BlockDepth, BlockKind};

/// A rendered page or part of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    pub(super) text: String,
    /// Lines that are not blank.
    pub(super) lines: Vec<ViewLine>,
    /// By part.
    pub(super) origins: Vec<Origin>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ViewLine {
    /// Where it begins in the view.
    pub(super) offset: usize,
    /// The part and the line of that part's source.
    pub(super) part: usize,
    pub(super) line: usize,
    /// The line of the page's own source: for included text, the line of the directive.
    pub(super) root_line: usize,
    /// Present where a block of Markdown begins.
    pub(super) depth: Option<BlockDepth>,
    /// What that block is.
    pub(super) kind: BlockKind,
}

/// As much of a view as fits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window<'a> {
    pub text: &'a str,
    pub rest: Option<Rest>,
}

/// What did not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rest {
    pub bytes: usize,
    pub next: Position,
}

/// A place in a view: `L480`, or `L480+65000` so many bytes further, which is in text that the line includes or in the
/// middle of one long line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Of the page's own source, from 1.
    pub line: usize,
    pub bytes: usize,
}

impl Position {
    pub fn line(line: usize) -> Self {
        Self { line, bytes: 0 }
    }

    /// `480` is `L480`, too.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim().trim_start_matches(['L', 'l']);
        let (line, bytes) = text.split_once('+').unwrap_or((text, "0"));
        let line = line.parse().ok().filter(|line| *line > 0)?;
        Some(Self { line, bytes: bytes.parse().ok()? })
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.bytes {
            0 => write!(f, "L{}", self.line),
            bytes => write!(f, "L{}+{bytes}", self.line),
        }
    }
}

impl View {
    /// Without a line end after the last line.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// At most `budget` bytes from a position on (from the start if absent), cut
    /// between blocks of Markdown where one of them ends in the later half, else between the lines of a
    /// block. Headings go with what is below them. Nothing if the view ends before `from`.
    pub fn window(&self, from: Option<Position>, budget: usize) -> Option<Window<'_>> {
        let start = from.map_or(Some(0), |from| self.offset_of(from))?;
        let first = self.lines.partition_point(|line| line.offset <= start).saturating_sub(1);
        let shown = &self.text[start..];
        if shown.len() <= budget {
            return Some(Window { text: shown, rest: None });
        }
        let end = match self.cut_line(first, start, budget) {
            Some(next) => self.lines[next].offset,
            None => self.text.floor_char_boundary(start + budget),
        };
        let text = self.text[start..end].trim_end_matches('\n');
        let rest = self.text[start + text.len()..].trim_start_matches('\n');
        let next = self.position_of(self.text.len() - rest.len());
        Some(Window { text, rest: Some(Rest { bytes: rest.len(), next }) })
    }

    /// Where a position is in the text; nothing behind the end.
    fn offset_of(&self, position: Position) -> Option<usize> {
        let line = self.lines.partition_point(|line| line.root_line < position.line);
        let offset = self.lines.get(line)?.offset.checked_add(position.bytes)?;
        (offset < self.text.len()).then(|| self.text.floor_char_boundary(offset))
    }

    fn position_of(&self, offset: usize) -> Position {
        let at = self.lines.partition_point(|line| line.offset <= offset).saturating_sub(1);
        let Some(line) = self.lines.get(at).map(|line| line.root_line) else { return Position::line(1) };
        let first = self.lines.partition_point(|other| other.root_line < line);
        Position { line, bytes: offset - self.lines[first].offset }
    }

    /// The line at which to stop.
    fn cut_line(&self, first: usize, start: usize, budget: usize) -> Option<usize> {
        let end = self.lines.partition_point(|line| line.offset <= start + budget);
        // Text that is wholly blank cannot stand between lines, so a cut always leaves something.
        let candidates = || (first + 1..end).rev();
        let is = |at: &usize, depth| self.lines[*at].depth.is_some_and(|found| found <= depth);
        let late = |at: &usize| self.lines[*at].offset >= start + budget / 2;
        // Asked last, because it looks back over a whole block.
        let free = |at: &usize| !self.follows_heading(*at);
        let top = |at: &usize| is(at, BlockDepth::Top);
        let nested = |at: &usize| is(at, BlockDepth::Nested);
        (candidates().find(|at| top(at) && late(at) && free(at)))
            .or_else(|| candidates().find(|at| nested(at) && late(at) && free(at)))
            .or_else(|| candidates().find(|at| top(at) && free(at)))
            .or_else(|| candidates().find(|at| nested(at) && free(at)))
            .or_else(|| candidates().find(free))
            .or_else(|| candidates().next())
    }

    /// Whether the block above line `at` is a heading, of one line or underlined.
    fn follows_heading(&self, at: usize) -> bool {
        let above = self.lines[..at].iter().rfind(|line| line.depth.is_some());
        above.is_some_and(|line| line.kind == BlockKind::Heading)
    }
}
