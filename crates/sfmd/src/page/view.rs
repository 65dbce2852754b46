//! What an agent sees of a page, where each of its lines comes from, and how it is cut to a budget.

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
    pub rest: Option<Rest<'a>>,
}

/// What did not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rest<'a> {
    pub bytes: usize,
    /// Where it goes on; nothing if the rest is the end of one long line.
    pub next: Option<Position<'a>>,
}

/// A line of the source of one file: of the page's own, or of an included one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position<'a> {
    pub origin: &'a Origin,
    pub line: usize,
}

impl View {
    /// Without a line end after the last line.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// At most `budget` bytes from line `from` of the page's source on (from the start if absent), cut
    /// between blocks of Markdown where one of them ends in the later half, else between the lines of a
    /// block. Headings go with what is below them. Nothing if the view ends before `from`.
    pub fn window(&self, from: Option<usize>, budget: usize) -> Option<Window<'_>> {
        let first = from.map_or(0, |from| self.lines.partition_point(|line| line.root_line < from));
        let start = match self.lines.get(first) {
            Some(line) => line.offset,
            None if from.is_none() => 0,
            None => return None,
        };
        let shown = &self.text[start..];
        if shown.len() <= budget {
            return Some(Window { text: shown, rest: None });
        }
        let (end, next) = match self.cut_line(first, start, budget) {
            Some(next) => (self.lines[next].offset, self.lines.get(next)),
            None => {
                let end = self.text.floor_char_boundary(start + budget);
                (end, self.lines.get(self.lines.partition_point(|line| line.offset <= end)))
            }
        };
        let text = self.text[start..end].trim_end_matches('\n');
        let next = next.map(|line| Position { origin: &self.origins[line.part], line: line.line });
        let bytes = self.text[start + text.len()..].trim_start_matches('\n').len();
        Some(Window { text, rest: Some(Rest { bytes, next }) })
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
