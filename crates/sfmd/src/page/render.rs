//! Writes the lines of a page as an agent sees them.

use std::ops::Range;

use super::view::{View, ViewLine};
use super::{Origin, Part};
use crate::scan::{BlockDepth, BlockKind};

#[derive(Default)]
pub(super) struct Renderer {
    text: String,
    lines: Vec<ViewLine>,
    /// Blank lines that will be written if a line follows them.
    blanks: usize,
    /// Whether something was left out since the last line, and whether it kept text apart.
    removed: bool,
    separates: bool,
    last_part: Option<usize>,
}

/// Where a line stands: the part, the line in it, and the line of the page's own document it belongs to.
#[derive(Clone, Copy)]
struct Place {
    part: usize,
    line: usize,
    root_line: usize,
    depth: Option<BlockDepth>,
    kind: BlockKind,
}

impl Renderer {
    pub(super) fn text(&mut self, part: &Part, index: usize, lines: Range<usize>, root_line: Option<usize>) {
        self.enter(index);
        let document = &part.document;
        let source = document.source.as_str();
        let first_byte = document.lines.start(lines.start);
        let hidden = document.hidden.partition_point(|hidden| hidden.lines.end <= lines.start);
        let mut hidden = document.hidden[hidden..].iter().peekable();
        let mut edits =
            part.edits[part.edits.partition_point(|edit| edit.range.start < first_byte)..].iter().peekable();
        let starts = &document.starts[document.starts.partition_point(|start| start.offset < first_byte)..];
        let mut starts = starts.iter().peekable();
        let mut cursor = first_byte;
        for line in lines {
            while hidden.next_if(|hidden| hidden.lines.end <= line).is_some() {}
            if let Some(hidden) = hidden.peek().filter(|hidden| hidden.lines.start <= line) {
                self.removed = true;
                self.separates |= hidden.separates;
                continue;
            }
            let start = document.lines.start(line);
            let content = document.lines.content(source, line);
            let end = start + content.len();
            let mut depth: Option<BlockDepth> = None;
            // Of the innermost block that begins here: a heading may stand in a quote.
            let mut kind = BlockKind::Other;
            while let Some(block) = starts.next_if(|block| block.offset < end) {
                depth = (block.offset >= start)
                    .then(|| depth.map_or(block.depth, |depth| depth.min(block.depth)));
                kind = block.kind;
            }
            // A replaced link may reach into this line, which then goes on with the one before.
            if cursor <= start {
                if content.trim().is_empty() {
                    self.blanks += 1;
                    continue;
                }
                let root_line = root_line.unwrap_or(line);
                self.begin_line(content, Place { part: index, line, root_line, depth, kind });
                cursor = start;
            }
            while let Some(edit) = edits.next_if(|edit| edit.range.start < end) {
                if edit.range.start >= cursor {
                    self.text.push_str(&source[cursor..edit.range.start]);
                    self.text.push_str(&edit.text);
                    cursor = edit.range.end;
                }
            }
            if cursor < end {
                self.text.push_str(&source[cursor..end]);
                cursor = end;
            }
        }
    }

    pub(super) fn note(&mut self, part: usize, line: usize, root_line: Option<usize>, text: &str) {
        self.enter(part);
        self.separates = true;
        let root_line = root_line.unwrap_or(line);
        let place = Place { part, line, root_line, depth: Some(BlockDepth::Top), kind: BlockKind::Other };
        self.begin_line(text, place);
        self.text.push_str(text);
        self.separates = true;
    }

    pub(super) fn finish(self, origins: Vec<Origin>) -> View {
        View { text: self.text, lines: self.lines, origins }
    }

    /// Every new segment stands for a directive line that is gone; text of two files never runs together.
    fn enter(&mut self, part: usize) {
        self.removed = true;
        self.separates |= self.last_part.is_some_and(|last| last != part);
        self.last_part = Some(part);
    }

    fn begin_line(&mut self, content: &str, place: Place) {
        if !self.lines.is_empty() {
            if self.removed {
                self.blanks = self.blanks.min(1);
            }
            if self.separates && !content.trim_start().starts_with(['#', '`', '~', '<']) {
                self.blanks = self.blanks.max(1);
            }
            for _ in 0..=self.blanks {
                self.text.push('\n');
            }
        }
        self.blanks = 0;
        self.removed = false;
        self.separates = false;
        let Place { part, line, root_line, depth, kind } = place;
        self.lines.push(ViewLine { offset: self.text.len(), part, line, root_line, depth, kind });
    }
}
