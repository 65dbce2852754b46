//! The outline of a page: headings, blocks and includes with their sizes.

use std::collections::HashSet;
use std::fmt;
use std::ops::Range;

use super::{Page, Segment};
use crate::directive::DirectiveKind;
use crate::lines::positions_within;

const KILOBYTE: usize = 1024;
const MEGABYTE: usize = 1024 * KILOBYTE;

/// One thing that `#id` can name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutlineEntry {
    /// The line of the page's own source; for included text, the line of the directive.
    pub line: usize,
    pub kind: OutlineKind,
    pub id: String,
    /// Of its source.
    pub bytes: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OutlineKind {
    Heading { level: u8, text: String },
    Block,
    Include,
}

/// `L9 · ## Summary · #summary · 2 KB`
impl fmt::Display for OutlineEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "L{} · ", self.line)?;
        match &self.kind {
            OutlineKind::Heading { level, text } => write!(f, "{} {text}", "#".repeat(usize::from(*level)))?,
            OutlineKind::Block => f.write_str("block")?,
            OutlineKind::Include => f.write_str("include")?,
        }
        if !self.id.is_empty() {
            write!(f, " · #{}", self.id)?;
        }
        write!(f, " · {}", size_label(self.bytes))
    }
}

/// A size as agents read it: `812 B`, `412 KB`, `1.5 MB`.
pub fn size_label(bytes: usize) -> String {
    if bytes < KILOBYTE {
        format!("{bytes} B")
    } else if bytes < MEGABYTE {
        format!("{} KB", bytes.div_ceil(KILOBYTE))
    } else {
        format!("{:.1} MB", bytes as f64 / MEGABYTE as f64)
    }
}

impl Page {
    /// Ids of marked blocks and includes, top to bottom, each once.
    pub fn block_ids(&self) -> Vec<String> {
        let mut seen = HashSet::new();
        let named = self.outline().into_iter().filter(|entry| {
            matches!(entry.kind, OutlineKind::Block | OutlineKind::Include) && seen.insert(entry.id.clone())
        });
        named.map(|entry| entry.id).collect()
    }

    /// Top to bottom.
    pub fn outline(&self) -> Vec<OutlineEntry> {
        let mut all = Vec::new();
        for (at, segment) in self.segments.iter().enumerate() {
            let Segment::Text { part, lines, root_line } = segment else { continue };
            let document = &self.parts[*part].document;
            let first = all.len();
            let entry = |line: usize, kind, id: &str, bytes: usize| {
                (line, OutlineEntry { line: root_line.unwrap_or(line), kind, id: id.to_owned(), bytes })
            };
            let size = |lines: &Range<usize>| document.lines.bytes(lines).len();
            for heading in
                &document.headings[positions_within(&document.headings, lines, |found| found.lines.start)]
            {
                let kind = OutlineKind::Heading { level: heading.level, text: heading.text.clone() };
                let id = heading.explicit_id.as_deref().unwrap_or(&heading.slug);
                all.push(entry(heading.lines.start, kind, id, size(&heading.lines)));
            }
            for block in
                &document.blocks[positions_within(&document.blocks, lines, |found| found.lines.start - 1)]
            {
                let kind = OutlineKind::Block;
                all.push(entry(block.lines.start - 1, kind, block.id.as_str(), size(&block.lines)));
            }
            all[first..].sort_by_key(|(line, _)| *line);
            // The segment ends where a directive stands, if it does not end with the part.
            let at_end =
                positions_within(&document.directives, &(lines.end..lines.end + 1), |found| found.line);
            let at_end = document.directives[at_end].first();
            if let Some(DirectiveKind::Include(include)) = at_end.map(|directive| &directive.kind) {
                let bytes = self.included_bytes(at);
                all.push(entry(lines.end, OutlineKind::Include, include.id.as_str(), bytes));
            }
        }
        all.into_iter().map(|(_, entry)| entry).collect()
    }

    /// How much text stands between a segment and the next one of the same part: what the directive at its end
    /// includes.
    fn included_bytes(&self, at: usize) -> usize {
        let part_of = |segment: &Segment| match segment {
            Segment::Text { part, .. } | Segment::Note { part, .. } => *part,
        };
        let own = part_of(&self.segments[at]);
        let included = self.segments[at + 1..].iter().take_while(|segment| part_of(segment) != own);
        let bytes = included.map(|segment| match segment {
            Segment::Text { part, lines, .. } => self.parts[*part].document.lines.bytes(lines).len(),
            Segment::Note { .. } => 0,
        });
        bytes.sum()
    }
}
