//! The state of the walk: what is open around the current event.

mod links;

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Tag, TagEnd};

use super::late::Late;
use super::{ActFence, BlockDepth, BlockKind, BlockStart, Definition, Opaque, OpaqueKind, RawHeading, Scan};
use crate::lines::Lines;
use crate::link::name_in_reference;
use links::{Bang, OpenLink};

const ACTION_PREFIX: &str = "act.";

pub(super) struct Walk<'a> {
    source: &'a str,
    lines: &'a Lines,
    found: Scan,
    /// Open block tags, and how many of them are quotes.
    depth: usize,
    quotes: usize,
    /// The end of the last block that had no block around it.
    top_end: usize,
    /// Plain text of the open heading and links.
    plain: String,
    heading: Option<OpenHeading>,
    links: Vec<OpenLink>,
    fence: Option<ActFence>,
    follows_text: bool,
}

struct OpenHeading {
    level: u8,
    explicit_id: Option<String>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(source: &'a str, content_start: usize, lines: &'a Lines) -> Walk<'a> {
        Walk {
            source,
            lines,
            found: Scan::default(),
            depth: 0,
            quotes: 0,
            top_end: content_start,
            plain: String::new(),
            heading: None,
            links: Vec::new(),
            fence: None,
            follows_text: false,
        }
    }

    pub(super) fn definition(&mut self, label: &str, destination: &str, span: &Range<usize>) {
        self.found.definition_lines.push(self.lines.line_of(span.start)..self.lines.line_after(span));
        self.found.definitions.push(Definition {
            name: name_in_reference(label),
            destination: destination.to_owned(),
            offset: span.start,
        });
    }

    /// Definitions that the parser took for text, in the order of the text, and for links what stands in them.
    pub(super) fn late_definitions(&mut self, late: &[Late<'_>]) {
        for Late { label, destination, span, .. } in late {
            self.definition(label, destination, span);
        }
        self.found.links.retain(|link| {
            let after = late.partition_point(|late| late.span.start <= link.range.start);
            after == 0 || !late[after - 1].span.contains(&link.range.start)
        });
    }

    pub(super) fn finish(mut self) -> Scan {
        self.top_gap(self.source.len());
        self.found.definitions.sort_by_key(|definition| definition.offset);
        self.found.definition_lines.sort_by_key(|lines| lines.start);
        self.found.links.sort_by_key(|link| link.range.start);
        self.found
    }

    pub(super) fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        let closes_link = matches!(event, Event::End(TagEnd::Link | TagEnd::Image));
        if let Some(open) = self.links.last_mut().filter(|_| !closes_link) {
            open.children_end = open.children_end.max(range.end);
        }
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(tag, range),
            Event::Text(text) => {
                self.follows_text = true;
                if let Some(fence) = &mut self.fence {
                    fence.text.push_str(&text);
                } else if self.wants_plain() {
                    self.plain.push_str(&text);
                }
            }
            Event::Code(text) => {
                self.follows_text = true;
                self.opaque_if_long(range);
                if self.wants_plain() {
                    self.plain.push_str(&text);
                }
            }
            Event::SoftBreak | Event::HardBreak if self.wants_plain() => self.plain.push(' '),
            Event::InlineHtml(_) => self.opaque_if_long(range),
            Event::Rule => {
                self.block_start(&range, BlockKind::Other);
                self.block_end(&range);
                self.follows_text = false;
            }
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>, range: Range<usize>) {
        let kind = if matches!(tag, Tag::Heading { .. }) { BlockKind::Heading } else { BlockKind::Other };
        match tag {
            Tag::Link { link_type, dest_url, id, .. } => {
                self.open_link(link_type, &dest_url, &id, range, Bang::No);
                return;
            }
            Tag::Image { link_type, dest_url, id, .. } => {
                self.open_link(link_type, &dest_url, &id, range, Bang::Yes);
                return;
            }
            Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Superscript | Tag::Subscript => return,
            Tag::Heading { level, id, .. } if self.depth == 0 => {
                let explicit_id = id.map(|id| id.to_string());
                self.heading = Some(OpenHeading { level: level as u8, explicit_id });
                self.plain.clear();
            }
            Tag::CodeBlock(kind) => {
                self.opaque(OpaqueKind::Code, &range);
                let info = written_info(&self.source[range.clone()]);
                let is_fenced = matches!(kind, CodeBlockKind::Fenced(_));
                if is_fenced && info.starts_with(ACTION_PREFIX) && self.quotes == 0 {
                    self.fence = Some(ActFence {
                        info: info.to_owned(),
                        text: String::new(),
                        range: range.clone(),
                        follows_text: self.follows_text,
                        is_closed: is_closed(&self.source[range.clone()]),
                    });
                }
            }
            Tag::HtmlBlock => {
                let kind = html_kind(&self.source[range.clone()]);
                self.opaque(kind, &range);
            }
            Tag::BlockQuote(_) => self.quotes += 1,
            Tag::TableHead | Tag::TableCell => {
                self.depth += 1;
                return;
            }
            _ => {}
        }
        self.block_start(&range, kind);
    }

    fn end(&mut self, tag: TagEnd, range: Range<usize>) {
        match tag {
            TagEnd::Link | TagEnd::Image => {
                self.close_link();
                return;
            }
            TagEnd::Emphasis
            | TagEnd::Strong
            | TagEnd::Strikethrough
            | TagEnd::Superscript
            | TagEnd::Subscript => {
                return;
            }
            TagEnd::Heading(_) => {
                self.follows_text = false;
                if let Some(open) = self.heading.take() {
                    self.found.headings.push(RawHeading {
                        level: open.level,
                        explicit_id: open.explicit_id,
                        text: self.plain.trim().to_owned(),
                        range: range.clone(),
                    });
                    self.plain.clear();
                }
            }
            TagEnd::CodeBlock => {
                self.follows_text = false;
                self.found.fences.extend(self.fence.take());
            }
            TagEnd::HtmlBlock => self.follows_text = false,
            TagEnd::BlockQuote(_) => self.quotes -= 1,
            _ => {}
        }
        self.block_end(&range);
    }

    fn block_start(&mut self, range: &Range<usize>, kind: BlockKind) {
        if self.depth == 0 {
            self.top_gap(range.start);
        }
        let depth = if self.depth == 0 { BlockDepth::Top } else { BlockDepth::Nested };
        self.found.starts.push(BlockStart { offset: range.start, depth, kind });
        self.depth += 1;
    }

    fn block_end(&mut self, range: &Range<usize>) {
        self.depth -= 1;
        if self.depth == 0 {
            self.top_end = range.end;
        }
    }

    /// Between two blocks stand blank lines and reference definitions, nothing else. The parser names only
    /// the first definition of each label, so the others are found here.
    fn top_gap(&mut self, next: usize) {
        let gap = &self.source[self.top_end.min(next)..next];
        let Some(first) = gap.find(|c: char| !c.is_whitespace()) else { return };
        if gap[first..].starts_with('[') {
            let first_line = self.lines.line_of(next - gap.len() + first);
            let end = if next == self.source.len() { self.lines.end() } else { self.lines.line_of(next) };
            for line in first_line..end {
                if !self.lines.content(self.source, line).trim().is_empty() {
                    self.found.definition_lines.push(line..line + 1);
                }
            }
        }
    }

    fn wants_plain(&self) -> bool {
        self.heading.is_some() || !self.links.is_empty()
    }

    fn opaque(&mut self, kind: OpaqueKind, range: &Range<usize>) {
        let follows_text = self.follows_text;
        self.found.opaque.push(Opaque { kind, range: range.clone(), follows_text });
    }

    /// A span within one line hides no line.
    fn opaque_if_long(&mut self, range: Range<usize>) {
        if self.source[range.clone()].contains('\n') {
            self.opaque(OpaqueKind::Code, &range);
        }
    }
}

/// The info string as it is written: the parser's has escapes resolved, and an escaped `act.` is text.
fn written_info(block: &str) -> &str {
    let first = block.lines().next().unwrap_or_default();
    first.trim_start_matches(['`', '~']).trim()
}

/// Whether a fenced block ends with a fence of its own, and not with the text or what is around it.
fn is_closed(block: &str) -> bool {
    let Some((first, rest)) = block.split_once('\n') else { return false };
    let mark = if first.starts_with('~') { '~' } else { '`' };
    let length = first.len() - first.trim_start_matches(mark).len();
    let last = rest.trim_end().rsplit('\n').next().unwrap_or_default().trim();
    last.len() >= length && last.chars().all(|c| c == mark)
}

/// HTML blocks that end with a text of their own (a comment, a script) hide their lines; others end at a
/// blank line.
fn html_kind(block: &str) -> OpaqueKind {
    const RAW: [&str; 6] = ["<!", "<?", "<script", "<pre", "<style", "<textarea"];
    let start = block.trim_start();
    let is_raw = RAW
        .iter()
        .any(|prefix| start.get(..prefix.len()).is_some_and(|head| head.eq_ignore_ascii_case(prefix)));
    if is_raw { OpaqueKind::RawHtml } else { OpaqueKind::Html }
}
