//! A page: a document together with the files it includes, as one text with one set of names.

mod callable;
mod outline;
mod rebase;
mod render;
mod shortcut;
mod view;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

pub use callable::PageAction;
pub use outline::{OutlineEntry, OutlineKind, size_label};
pub use shortcut::{Shortcut, ShortcutKind, shorten_links};
pub use view::{Position, Rest, View, Window};

use crate::address::{PRECEDENCE, Target};
use crate::document::Document;
use crate::frontmatter::Requirement;
use crate::warning::{MAX_WARNINGS, Warning};
use callable::Callable;
use render::Renderer;
use shortcut::Edit;

/// How deep files may include files.
pub const MAX_INCLUDE_DEPTH: usize = 16;
/// How many files one page may include in all: two files that include each other's parts twice would
/// otherwise double at every level.
pub const MAX_INCLUDES: usize = 256;

/// Where a text came from: a path or an address, as the caller writes it. Relative targets in the text are
/// relative to it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Origin(Arc<str>);

impl Origin {
    pub fn new(location: &str) -> Origin {
        Origin(location.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A loaded document and what its include directives led to. The caller loads files, so cycles, depth and
/// missing files are its findings, given here as [`Inclusion::Failed`].
#[derive(Clone, Debug)]
pub struct Source {
    pub origin: Origin,
    pub document: Arc<Document>,
    /// Only these lines are part of the page; all of the content if absent.
    pub lines: Option<Range<usize>>,
    /// By the line of the directive.
    pub inclusions: HashMap<usize, Inclusion>,
}

#[derive(Clone, Debug)]
pub enum Inclusion {
    Loaded(Box<Source>),
    /// Why not, in a few words; shown where the text would be.
    Failed(String),
}

/// A composed page.
#[derive(Clone, Debug)]
pub struct Page {
    /// The page's own document first, then included ones in the order of the text.
    parts: Vec<Part>,
    segments: Vec<Segment>,
    shortcuts: Vec<Shortcut>,
    callables: Vec<Callable>,
    /// Found while composing, each with the part it is about.
    warnings: Vec<(usize, Warning)>,
    /// What the agent sees, where it was made in advance.
    whole: Option<Box<View>>,
}

#[derive(Clone, Debug)]
struct Part {
    origin: Origin,
    document: Arc<Document>,
    lines: Range<usize>,
    /// Segments that hold this part's text, in order. Before and after every include stands one, even if
    /// empty.
    segments: Vec<usize>,
    edits: Vec<Edit>,
}

/// A run of lines of one part, or a note in place of a file.
#[derive(Clone, Debug)]
enum Segment {
    Text { part: usize, lines: Range<usize>, root_line: Option<usize> },
    Note { part: usize, line: usize, root_line: Option<usize>, text: String },
}

/// A named part of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    segments: Range<usize>,
    part: usize,
    lines: Range<usize>,
}

impl Source {
    pub fn new(origin: Origin, document: impl Into<Arc<Document>>) -> Source {
        Source { origin, document: document.into(), lines: None, inclusions: HashMap::new() }
    }
}

impl Page {
    pub fn compose(source: Source) -> Page {
        let mut page = Page {
            parts: Vec::new(),
            segments: Vec::new(),
            shortcuts: Vec::new(),
            callables: Vec::new(),
            warnings: Vec::new(),
            whole: None,
        };
        page.add(source, None);
        shortcut::assign(&mut page);
        callable::collect(&mut page);
        page
    }

    /// The page's own document, without what it includes.
    pub fn document(&self) -> &Document {
        &self.parts[0].document
    }

    /// Of every text in the page, its own first.
    pub fn origins(&self) -> impl Iterator<Item = &Origin> {
        self.parts.iter().map(|part| &part.origin)
    }

    pub fn origin(&self) -> &Origin {
        &self.parts[0].origin
    }

    /// The variables that the document and what it includes require, each name once.
    pub fn requirements(&self) -> Vec<&Requirement> {
        let mut names = HashSet::new();
        let all = self.parts.iter().flat_map(|part| &part.document.frontmatter.env);
        all.filter(|requirement| names.insert(requirement.name.as_str())).collect()
    }

    /// Every link with a name, for a menu made of them: also those that need no shortcut.
    pub fn every_link(&self) -> Vec<Shortcut> {
        shortcut::every_link(self)
    }

    /// Named and automatic ones, top to bottom.
    pub fn shortcuts(&self) -> &[Shortcut] {
        &self.shortcuts
    }

    pub fn shortcut(&self, id: &str) -> Option<&Shortcut> {
        self.shortcuts.iter().find(|shortcut| shortcut.id == id)
    }

    /// The part that `#id` names, in this page or in what it includes.
    pub fn section(&self, id: &str) -> Option<Section> {
        PRECEDENCE.iter().find_map(|way| {
            self.parts.iter().enumerate().find_map(|(part, found)| {
                let target = found.document.resolve_by(*way, id, &found.lines)?;
                Some(self.section_at(part, &target))
            })
        })
    }

    /// What the documents and their composition get wrong, with the file each line is in.
    pub fn warnings(&self) -> impl Iterator<Item = (&Origin, &Warning)> {
        let documents =
            self.parts.iter().flat_map(|part| part.document.warnings.iter().map(|w| (&part.origin, w)));
        let composed = self.warnings.iter().map(|(part, warning)| (&self.parts[*part].origin, warning));
        documents.chain(composed).take(MAX_WARNINGS)
    }

    /// The page with its view made in advance, for one that is shown again and again.
    pub fn with_view(mut self) -> Page {
        self.whole = Some(Box::new(self.view().into_owned()));
        self
    }

    /// What the agent sees.
    pub fn view(&self) -> Cow<'_, View> {
        match &self.whole {
            Some(view) => Cow::Borrowed(view),
            None => Cow::Owned(self.render(0..self.segments.len(), None)),
        }
    }

    /// What the agent sees of one part.
    pub fn view_section(&self, section: &Section) -> View {
        self.render(section.segments.clone(), Some((section.part, &section.lines)))
    }

    fn render(&self, segments: Range<usize>, clip: Option<(usize, &Range<usize>)>) -> View {
        let mut renderer = Renderer::default();
        for segment in &self.segments[segments] {
            match segment {
                Segment::Text { part, lines, root_line } => {
                    let lines = match clip {
                        Some((clipped, clip)) if clipped == *part => {
                            lines.start.max(clip.start)..lines.end.min(clip.end)
                        }
                        _ => lines.clone(),
                    };
                    renderer.text(&self.parts[*part], *part, lines, *root_line);
                }
                Segment::Note { part, line, root_line, text } => {
                    renderer.note(*part, *line, *root_line, text);
                }
            }
        }
        renderer.finish(self.parts.iter().map(|part| part.origin.clone()).collect())
    }

    fn section_at(&self, part: usize, target: &Target<'_>) -> Section {
        let own = &self.parts[part];
        let lines = match target {
            Target::Block(block) => block.lines.clone(),
            Target::Include { line, .. } => *line..line + 1,
            Target::Heading(heading) => heading.lines.start..heading.lines.end.min(own.lines.end),
        };
        let first = own.segments.iter().find(|at| self.text_lines(**at).end >= lines.start);
        let last = own.segments.iter().rev().find(|at| self.text_lines(**at).start <= lines.end);
        let segments = first.copied().unwrap_or(0)..last.map_or(0, |last| last + 1);
        Section { segments, part, lines }
    }

    fn text_lines(&self, segment: usize) -> Range<usize> {
        match &self.segments[segment] {
            Segment::Text { lines, .. } => lines.clone(),
            Segment::Note { line, .. } => *line..*line,
        }
    }

    fn add(&mut self, source: Source, root_line: Option<usize>) {
        let Source { origin, document, lines, mut inclusions } = source;
        let content = document.content_lines();
        let lines =
            lines.map_or(content.clone(), |lines| lines.start.max(content.start)..lines.end.min(content.end));
        let includes: Vec<(usize, String)> = document
            .includes()
            .filter(|(line, _)| lines.contains(line))
            .map(|(line, include)| (line, include.id.to_string()))
            .collect();
        let part = self.parts.len();
        self.parts.push(Part {
            origin,
            document,
            lines: lines.clone(),
            segments: Vec::new(),
            edits: Vec::new(),
        });
        let mut start = lines.start;
        for (line, id) in includes {
            self.add_text(part, start..line, root_line);
            let child_root = root_line.or(Some(line));
            match inclusions.remove(&line) {
                Some(Inclusion::Loaded(source)) => self.add(*source, child_root),
                failed => {
                    let reason = match failed {
                        Some(Inclusion::Failed(reason)) => reason,
                        _ => "not loaded".to_owned(),
                    };
                    let text = include_note(&id, &reason);
                    self.segments.push(Segment::Note { part, line, root_line: child_root, text });
                }
            }
            start = line + 1;
        }
        self.add_text(part, start..lines.end, root_line);
    }

    fn add_text(&mut self, part: usize, lines: Range<usize>, root_line: Option<usize>) {
        self.parts[part].segments.push(self.segments.len());
        self.segments.push(Segment::Text { part, lines, root_line });
    }
}

/// The line that stands where an included text could not.
fn include_note(id: &str, reason: &str) -> String {
    let reason: String = reason.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("[include {id}: {reason}]")
}
