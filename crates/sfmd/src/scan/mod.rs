//! One walk over the Markdown parser's events, which collects everything the conventions are made from.

mod late;
mod walk;

use std::collections::HashMap;
use std::ops::Range;

use pulldown_cmark::{BrokenLink, Options, Parser};

use crate::id::Id;
use crate::lines::Lines;
use crate::link::{Link, name_in_reference};
use late::Late;
use walk::Walk;

/// What the walk found. All ranges are byte ranges of the whole source, in the order of the text.
#[derive(Default)]
pub(crate) struct Scan {
    pub(crate) headings: Vec<RawHeading>,
    /// Fences whose info string begins with `act.`.
    pub(crate) fences: Vec<ActFence>,
    pub(crate) links: Vec<Link>,
    /// Where a line cannot be a convention.
    pub(crate) opaque: Vec<Opaque>,
    pub(crate) definitions: Vec<Definition>,
    /// Lines that hold nothing but reference definitions, those that repeat a label included.
    pub(crate) definition_lines: Vec<Range<usize>>,
    pub(crate) starts: Vec<BlockStart>,
}

pub(crate) struct RawHeading {
    pub(crate) level: u8,
    pub(crate) explicit_id: Option<String>,
    pub(crate) text: String,
    pub(crate) range: Range<usize>,
}

pub(crate) struct ActFence {
    pub(crate) info: String,
    pub(crate) text: String,
    pub(crate) range: Range<usize>,
    pub(crate) follows_text: bool,
    pub(crate) is_closed: bool,
}

pub(crate) struct Opaque {
    pub(crate) kind: OpaqueKind,
    pub(crate) range: Range<usize>,
    pub(crate) follows_text: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum OpaqueKind {
    /// Code, or an inline comment over several lines.
    Code,
    /// An HTML block that ends with a certain text (`-->`, `</script>`): only its first line is looked at.
    RawHtml,
    /// An HTML block that ends at a blank line: markers in it count.
    Html,
}

/// `[@id]: destination`, or with any other label.
#[derive(Clone, Debug)]
pub(crate) struct Definition {
    pub(crate) name: Option<Id>,
    pub(crate) destination: String,
    pub(crate) offset: usize,
}

/// Where a view may be cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BlockStart {
    pub(crate) offset: usize,
    pub(crate) depth: BlockDepth,
    pub(crate) kind: BlockKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BlockKind {
    /// Belongs to what follows it.
    Heading,
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum BlockDepth {
    Top,
    Nested,
}

/// Walks over `source` from `content_start` on.
pub(crate) fn scan(source: &str, content_start: usize, lines: &Lines) -> Scan {
    let found = walk(source, content_start, lines, &[]);
    let late = late::late(source, content_start, lines, &found);
    // What links to them is a link only to a parser that knows them beforehand.
    if late.is_empty() { found } else { walk(source, content_start, lines, &late) }
}

fn walk(source: &str, content_start: usize, lines: &Lines, late: &[Late<'_>]) -> Scan {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_HEADING_ATTRIBUTES;
    let mut destinations = HashMap::new();
    for late in late {
        destinations.entry(late.id.as_str()).or_insert(late.destination);
    }
    let known = |broken: BrokenLink<'_>| {
        let destination = *destinations.get(name_in_reference(&broken.reference)?.as_str())?;
        Some((destination.to_owned().into(), "".into()))
    };
    let text = &source[content_start..];
    let parser = Parser::new_with_broken_link_callback(text, options, Some(known));
    let mut events = parser.into_offset_iter();
    let mut walk = Walk::new(source, content_start, lines);
    for (label, definition) in events.reference_definitions().iter() {
        let span = definition.span.start + content_start..definition.span.end + content_start;
        walk.definition(label, &definition.dest, &span);
    }
    for (event, range) in &mut events {
        walk.event(event, range.start + content_start..range.end + content_start);
    }
    walk.late_definitions(late);
    walk.finish()
}
