//! A parsed document: the text and everything that was found in it.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use crate::action::{self, Action, Fence};
use crate::block::{self, Block, Marker};
use crate::directive::{self, Directive, DirectiveKind, Include};
use crate::frontmatter::{self, Frontmatter};
use crate::heading::{self, Heading};
use crate::lines::Lines;
use crate::link::Link;
use crate::response::{self, Response};
use crate::scan::{self, ActFence, BlockStart, Definition, Opaque, OpaqueKind, Scan};
use crate::warning::{Warning, Warnings};

/// One text, parsed. Parsing never fails; what could not be taken as written is among the warnings.
#[derive(Clone, Debug)]
pub struct Document {
    pub frontmatter: Frontmatter,
    pub headings: Vec<Heading>,
    /// Marked blocks in the order of their opening markers.
    pub blocks: Vec<Block>,
    pub directives: Vec<Directive>,
    /// Each id once: the first definition counts.
    pub actions: Vec<Action>,
    /// Each id once, whether or not the action is in this document.
    pub responses: Vec<Response>,
    pub warnings: Vec<Warning>,
    pub(crate) source: String,
    pub(crate) lines: Lines,
    pub(crate) links: Vec<Link>,
    pub(crate) definitions: Vec<Definition>,
    pub(crate) hidden: Vec<Hidden>,
    pub(crate) starts: Vec<BlockStart>,
}

/// Lines that no reader sees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hidden {
    pub(crate) lines: Range<usize>,
    /// The lines kept two blocks of text apart, which must not run together without them.
    pub(crate) separates: bool,
}

/// Reads any text, in time linear in its length.
pub fn parse(source: &str) -> Document {
    let source = source.strip_prefix('\u{feff}').unwrap_or(source);
    let source = with_line_feeds(source).into_owned();
    let mut warnings = Warnings::default();
    let (frontmatter, content_start) = frontmatter::cut(&source, &mut warnings);
    let lines = Lines::new(&source);
    let Scan { headings, fences, mut links, opaque, definitions, definition_lines, starts } =
        scan::scan(&source, content_start, &lines);

    let first_line = frontmatter.first_line_after();
    let marks = line_marks(&source, &lines, first_line, &opaque, &definition_lines, &mut warnings);
    let blocks = block::pair(marks.markers, &mut warnings);
    directive::warn_repeated(&marks.directives, &mut warnings);

    let mut hidden = marks.hidden;
    hidden.extend(definition_lines.into_iter().map(|lines| Hidden { lines, separates: false }));
    let Callables { actions, responses } = callables(fences, &lines, &mut hidden, &mut warnings);
    let hidden = disjoint(hidden);

    // The Markdown parser takes a directive for a link, and for a heading if `---` follows.
    links.retain(|link| marks.claimed.binary_search(&lines.line_of(link.range.start)).is_err());
    let headings = headings
        .into_iter()
        .filter(|heading| marks.claimed.binary_search(&lines.line_of(heading.range.start)).is_err())
        .collect();
    let headings = heading::headings(headings, &lines);
    Document {
        frontmatter,
        headings,
        blocks,
        directives: marks.directives,
        actions,
        responses,
        warnings: warnings.into_sorted(),
        links,
        definitions,
        hidden,
        starts,
        lines,
        source,
    }
}

/// A text that is no Markdown: shown as it is, with nothing in it taken for a convention.
pub fn plain(source: &str) -> Document {
    let source = with_line_feeds(source.strip_prefix('\u{feff}').unwrap_or(source)).into_owned();
    Document {
        frontmatter: Frontmatter::default(),
        headings: Vec::new(),
        blocks: Vec::new(),
        directives: Vec::new(),
        actions: Vec::new(),
        responses: Vec::new(),
        warnings: Vec::new(),
        links: Vec::new(),
        definitions: Vec::new(),
        hidden: Vec::new(),
        starts: Vec::new(),
        lines: Lines::new(&source),
        source,
    }
}

impl Document {
    /// The frontmatter's title, else the first heading.
    pub fn title(&self) -> Option<&str> {
        let heading =
            || self.headings.iter().map(|heading| heading.text.as_str()).find(|text| !text.is_empty());
        self.frontmatter.title.as_deref().or_else(heading)
    }

    /// The text as given, but without a byte order mark, and with lone carriage returns as line feeds.
    pub fn source(&self) -> &str {
        &self.source
    }

    pub fn line_count(&self) -> usize {
        self.lines.count()
    }

    pub fn includes(&self) -> impl Iterator<Item = (usize, &Include)> {
        self.directives.iter().filter_map(|directive| match &directive.kind {
            DirectiveKind::Include(include) => Some((directive.line, include)),
            _ => None,
        })
    }

    /// Lines after the frontmatter.
    pub(crate) fn content_lines(&self) -> Range<usize> {
        self.frontmatter.first_line_after()..self.lines.end()
    }
}

struct Callables {
    actions: Vec<Action>,
    responses: Vec<Response>,
}

/// Reads the fences that define actions and responses, and hides them.
fn callables(
    fences: Vec<ActFence>,
    lines: &Lines,
    hidden: &mut Vec<Hidden>,
    warnings: &mut Warnings,
) -> Callables {
    let mut found = Callables { actions: Vec::new(), responses: Vec::new() };
    let mut seen = HashSet::new();
    for ActFence { info, text, range, follows_text, is_closed } in fences {
        let line = lines.line_of(range.start);
        if !is_closed {
            warnings
                .add(line, || format!("the fence of {info} is not closed: all that follows is part of it"));
        }
        let Some(fence) = action::fence(&info) else {
            warnings.add(line, || "an action is act.ID, with ID = [a-z][a-z0-9_-]*".to_owned());
            continue;
        };
        hidden.push(Hidden { lines: line..lines.line_after(&range), separates: follows_text });
        if !seen.insert(fence.clone()) {
            warnings.add(line, || format!("{fence} is already defined: the first one counts"));
            continue;
        }
        match fence {
            Fence::Action(id) => {
                let action = action::define(id, &text, line);
                warnings.extend(action.warnings.iter().cloned());
                found.actions.push(action);
            }
            Fence::Response(id) => {
                let response = response::parse(id, &text, line);
                warnings.extend(response.warnings.iter().cloned());
                found.responses.push(response);
            }
        }
    }
    found
}

/// What single lines turned out to be.
#[derive(Default)]
struct LineMarks {
    markers: Vec<(usize, Marker)>,
    directives: Vec<Directive>,
    /// Lines of directives, known or not: nothing else on them counts.
    claimed: Vec<usize>,
    hidden: Vec<Hidden>,
}

fn line_marks(
    source: &str,
    lines: &Lines,
    first_line: usize,
    opaque: &[Opaque],
    definition_lines: &[Range<usize>],
    warnings: &mut Warnings,
) -> LineMarks {
    let mut marks = LineMarks::default();
    let mut opaque = opaque.iter().peekable();
    for line in first_line..lines.end() {
        let content = lines.content(source, line);
        let trimmed = content.trim_start();
        if !trimmed.starts_with("<!--") && !trimmed.starts_with("[!") {
            continue;
        }
        let offset = lines.start(line) + content.len() - trimmed.len();
        while opaque.next_if(|opaque| opaque.range.end <= offset).is_some() {}
        let around = opaque.peek().filter(|opaque| opaque.range.start <= offset);
        let trimmed = trimmed.trim_end();
        if let Some(marker) = block::marker(trimmed) {
            let counts = around.is_none_or(|opaque| match opaque.kind {
                OpaqueKind::Code => false,
                OpaqueKind::RawHtml => opaque.range.start == offset,
                OpaqueKind::Html => true,
            });
            if counts {
                if marker != Marker::BadId {
                    let separates = around.is_some_and(|opaque| opaque.follows_text);
                    marks.hidden.push(Hidden { lines: line..line + 1, separates });
                }
                marks.markers.push((line, marker));
            }
        } else if around.is_none() && !in_lines(definition_lines, line) {
            let Some(directive) = directive::directive(trimmed) else { continue };
            marks.claimed.push(line);
            match directive {
                directive::Line::Known(kind) => {
                    marks.hidden.push(Hidden { lines: line..line + 1, separates: false });
                    marks.directives.push(Directive { line, kind });
                }
                directive::Line::BadName => {
                    warnings.add(line, || "this directive needs another name or a path".to_owned());
                }
                directive::Line::Unknown => {}
            }
        }
    }
    marks
}

/// Sorted, with ranges that touch a line twice made one.
fn disjoint(mut hidden: Vec<Hidden>) -> Vec<Hidden> {
    hidden.sort_by_key(|hidden| hidden.lines.start);
    hidden.dedup_by(|next, last| {
        let overlaps = next.lines.start < last.lines.end;
        if overlaps {
            last.lines.end = last.lines.end.max(next.lines.end);
            last.separates |= next.separates;
        }
        overlaps
    });
    hidden
}

fn in_lines(sorted: &[Range<usize>], line: usize) -> bool {
    let after = sorted.partition_point(|lines| lines.start <= line);
    after > 0 && sorted[after - 1].contains(&line)
}

/// Lone carriage returns end lines, as Markdown has it, but neither the parser nor an editor is sure about
/// it; one byte for another keeps all offsets.
fn with_line_feeds(source: &str) -> Cow<'_, str> {
    let mut returns = memchr::memchr_iter(b'\r', source.as_bytes());
    if returns.all(|at| source[at + 1..].starts_with('\n')) {
        return Cow::Borrowed(source);
    }
    let mut out = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(at) = rest.find('\r') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        out.push(if rest.starts_with('\n') { '\r' } else { '\n' });
    }
    out.push_str(rest);
    Cow::Owned(out)
}
