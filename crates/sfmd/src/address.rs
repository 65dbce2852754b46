//! What `document.md#id` means: which part of a document an id names.

use std::ops::Range;

use percent_encoding::percent_decode_str;

use crate::block::Block;
use crate::directive::Include;
use crate::document::Document;
use crate::heading::Heading;
use crate::id::slug;

/// The part of a document that an id names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target<'a> {
    Block(&'a Block),
    Include { line: usize, include: &'a Include },
    Heading(&'a Heading),
}

/// The ways in which an id can name something, the strongest first.
pub(crate) const PRECEDENCE: [Way; 4] = [Way::Block, Way::Include, Way::ExplicitHeading, Way::HeadingSlug];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    Block,
    Include,
    ExplicitHeading,
    HeadingSlug,
}

impl Document {
    /// A marked block, else an include, else a heading with `{#id}`, else a heading by its slug.
    pub fn resolve(&self, id: &str) -> Option<Target<'_>> {
        PRECEDENCE.iter().find_map(|way| self.resolve_by(*way, id, &self.content_lines()))
    }

    /// Only what begins in `within`, blocks with both their markers.
    pub(crate) fn resolve_by(&self, way: Way, id: &str, within: &Range<usize>) -> Option<Target<'_>> {
        // Links are often written, and copied, with their letters percent-encoded.
        let decoded = percent_decode_str(id).decode_utf8();
        let id = decoded.as_deref().unwrap_or(id);
        let heading = |fits: &dyn Fn(&Heading) -> bool| {
            let mut headings = self.headings.iter().filter(|heading| within.contains(&heading.lines.start));
            headings.find(|heading| fits(heading)).map(Target::Heading)
        };
        match way {
            Way::Block => {
                let is_within =
                    |block: &&Block| within.start < block.lines.start && block.lines.end < within.end;
                let mut blocks = self.blocks.iter().filter(is_within);
                blocks.find(|block| block.id == id).map(Target::Block)
            }
            Way::Include => {
                let mut includes = self.includes().filter(|(line, _)| within.contains(line));
                let found = includes.find(|(_, include)| include.id == id);
                found.map(|(line, include)| Target::Include { line, include })
            }
            Way::ExplicitHeading => heading(&|heading| heading.explicit_id.as_deref() == Some(id)),
            Way::HeadingSlug => {
                let wanted = slug(id);
                heading(&|heading| !wanted.is_empty() && heading.slug == wanted)
            }
        }
    }

    /// The ids an agent can be told about: marked blocks and includes, in the order of the text.
    pub fn block_ids(&self) -> Vec<&str> {
        let blocks = self.blocks.iter().map(|block| (block.lines.start - 1, block.id.as_str()));
        let includes = self.includes().map(|(line, include)| (line, include.id.as_str()));
        let mut all: Vec<_> = blocks.chain(includes).collect();
        all.sort_by_key(|(line, _)| *line);
        all.into_iter().map(|(_, id)| id).collect()
    }

    /// The lines that replacing `#id` replaces: of a block, what stands between its markers; of a heading,
    /// the heading and its section without the blank lines at the end. A section ends early where it would
    /// take one marker of a pair and leave the other. An include has no lines of its own here.
    pub fn edit_lines(&self, id: &str) -> Option<Range<usize>> {
        match self.resolve(id)? {
            Target::Block(block) => Some(block.lines.clone()),
            Target::Include { .. } => None,
            Target::Heading(heading) => Some(self.section_to_edit(heading)),
        }
    }

    fn section_to_edit(&self, heading: &Heading) -> Range<usize> {
        let start = heading.lines.start;
        let mut end = heading.lines.end;
        for block in &self.blocks {
            let (open, close) = (block.lines.start - 1, block.lines.end);
            if open < start && (start..end).contains(&close) {
                end = close;
            } else if (start..end).contains(&open) && close >= end {
                end = open;
            }
        }
        while end > start + 1 && self.lines.content(&self.source, end - 1).trim().is_empty() {
            end -= 1;
        }
        start..end
    }
}
