//! What an agent sees of a page, and where each of its lines comes from.

use crate::scan::BlockDepth;

/// A rendered page or part of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    pub(super) text: String,
    /// Lines that are not blank.
    pub(super) lines: Vec<ViewLine>,
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
}

impl View {
    /// Without a line end after the last line.
    pub fn text(&self) -> &str {
        &self.text
    }
}
