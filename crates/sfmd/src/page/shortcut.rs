//! Shortcuts: the names by which an agent follows links, given out once for a whole page.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::rebase::rebased;
use super::{Origin, Page, Part, Segment};
use crate::id::{Id, slug};
use crate::lines::{Lines, positions_within};
use crate::link::{Link, LinkForm, NUMBERED_PREFIX, inline_href};
use crate::scan::scan;
use crate::warning::{MAX_WARNINGS, Warning};

/// Longer addresses cost the agent more than a shortcut does.
const MAX_PLAIN_HREF: usize = 40;
/// Longer labels make poor ids.
const MAX_SLUG_LABEL: usize = 20;

/// A link that the agent sees as `[Label][@id]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shortcut {
    /// Without the `@`.
    pub id: String,
    pub label: String,
    /// As the author wrote it, relative to `origin`.
    pub href: String,
    pub origin: Origin,
    pub line: usize,
    pub kind: ShortcutKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShortcutKind {
    /// `[@id Label](href)` or `[@id]: href`.
    Named,
    Auto,
}

/// A replacement in the source of one part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Edit {
    pub(super) range: Range<usize>,
    pub(super) text: String,
}

/// Names every link of the page, top to bottom, and prepares how each part's text shows them.
pub(super) fn assign(page: &mut Page) {
    let mut names = Names::default();
    let mut edits: Vec<Vec<Edit>> = vec![Vec::new(); page.parts.len()];
    let uses = uses(page);
    // All names are known before the first automatic id is given out.
    let named: Vec<bool> = uses.iter().map(|found| names.claim(found)).collect();
    for (found, is_named) in uses.iter().zip(named) {
        let id = if is_named {
            Some(names.add_named(found))
        } else if found.link.is_some() && wants_shortcut(found.href) {
            Some(names.add_auto(found))
        } else {
            None
        };
        if let Some(link) = found.link {
            let shown = match id {
                Some(at) => Shown::Shortcut(&names.shortcuts[at].id),
                None if found.part == 0 || link.form == LinkForm::Auto => Shown::AsWritten,
                None => {
                    rebased(found.href, found.origin, page.origin()).map_or(Shown::AsWritten, Shown::From)
                }
            };
            edit(link, &shown, &mut edits[found.part]);
        }
    }
    let Names { shortcuts, warnings, .. } = names;
    for (part, mut edits) in page.parts.iter_mut().zip(edits) {
        edits.sort_by_key(|edit| edit.range.start);
        part.edits = edits;
    }
    page.shortcuts = shortcuts;
    page.warnings.extend(warnings);
}

/// Every link of the page with a name, also those that the agent sees as they are written.
pub(super) fn every_link(page: &Page) -> Vec<Shortcut> {
    let mut names = Names::default();
    let uses = uses(page);
    let named: Vec<bool> = uses.iter().map(|found| names.claim(found)).collect();
    for (found, is_named) in uses.iter().zip(named) {
        if is_named {
            names.add_named(found);
        } else if found.link.is_some() {
            names.add_auto(found);
        }
    }
    names.shortcuts
}

/// Gives shortcuts to the long inline links of a text that an action put out, and changes nothing else: such
/// a text is never read for directives or actions, and a name in a link is dropped, since ids are the page's
/// to give. `reserved` are the ids already in use.
pub fn shorten_links(text: &str, origin: &Origin, reserved: &[&str]) -> (String, Vec<Shortcut>) {
    let lines = Lines::new(text);
    let links = scan(text, 0, &lines).links;
    let mut names = Names { reserved: reserved.iter().copied().collect(), ..Names::default() };
    let mut edits = Vec::new();
    let is_inline = |link: &&Link| matches!(link.form, LinkForm::Inline | LinkForm::Auto);
    for link in links.iter().filter(is_inline).filter(|link| is_long(&link.destination)) {
        let (offset, href) = (link.range.start, link.destination.as_str());
        let found = Use { part: 0, lines: &lines, origin, offset, link: Some(link), id: None, href };
        let at = names.add_auto(&found);
        edit(link, &Shown::Shortcut(&names.shortcuts[at].id), &mut edits);
    }
    edits.sort_by_key(|edit| edit.range.start);
    let mut out = String::with_capacity(text.len());
    let mut cursor = 0;
    for Edit { range, text: replacement } in &edits {
        out.push_str(&text[cursor..range.start]);
        out.push_str(replacement);
        cursor = range.end;
    }
    out.push_str(&text[cursor..]);
    (out, names.shortcuts)
}

/// How the view shows a link.
enum Shown<'a> {
    /// `[Label][@id]`
    Shortcut(&'a str),
    /// With its address as the author wrote it.
    AsWritten,
    /// With an address that is relative to the page, not to the file that the link stands in.
    From(String),
}

/// A link, or a definition that names one.
struct Use<'a> {
    part: usize,
    lines: &'a Lines,
    origin: &'a Origin,
    offset: usize,
    link: Option<&'a Link>,
    id: Option<&'a str>,
    href: &'a str,
}

fn uses(page: &Page) -> Vec<Use<'_>> {
    let mut all = Vec::new();
    for segment in &page.segments {
        let Segment::Text { part, lines, .. } = segment else { continue };
        let Part { document, origin, .. } = &page.parts[*part];
        let bytes = document.lines.bytes(lines);
        let first = all.len();
        let links = positions_within(&document.links, &bytes, |link| link.range.start);
        all.extend(document.links[links].iter().map(|link| Use {
            part: *part,
            lines: &document.lines,
            origin,
            offset: link.range.start,
            link: Some(link),
            id: link.name.as_ref().map(|name| name.id.as_str()),
            href: &link.destination,
        }));
        let definitions = positions_within(&document.definitions, &bytes, |definition| definition.offset);
        let named = document.definitions[definitions].iter().filter(|definition| definition.name.is_some());
        all.extend(named.map(|definition| Use {
            part: *part,
            lines: &document.lines,
            origin,
            offset: definition.offset,
            link: None,
            id: definition.name.as_ref().map(Id::as_str),
            href: &definition.destination,
        }));
        all[first..].sort_by_key(|found| found.offset);
    }
    all
}

#[derive(Default)]
struct Names<'a> {
    shortcuts: Vec<Shortcut>,
    named: HashMap<&'a str, Named<'a>>,
    /// Ids that are in use elsewhere.
    reserved: HashSet<&'a str>,
    /// Ids given to links without a name.
    automatic: HashSet<String>,
    /// Which shortcut stands for a label, address and file: the same link twice is one shortcut.
    given: HashMap<(&'a str, &'a str, &'a Origin), usize>,
    /// The last number given after a prefix.
    numbers: HashMap<String, usize>,
    warnings: Vec<(usize, Warning)>,
}

struct Named<'a> {
    href: &'a str,
    origin: &'a Origin,
    /// Its place in the list, once it has one.
    shortcut: Option<usize>,
}

impl<'a> Names<'a> {
    /// Whether this use may have the name it asks for. The first target of a name counts.
    fn claim(&mut self, found: &Use<'a>) -> bool {
        let Some(id) = found.id else { return false };
        let Use { href, origin, .. } = *found;
        let named = self.named.entry(id).or_insert(Named { href, origin, shortcut: None });
        let is_same = named.href == href && named.origin == origin;
        if !is_same && self.warnings.len() < MAX_WARNINGS {
            let line = found.lines.line_of(found.offset);
            let message = format!("@{id} already stands for another link");
            self.warnings.push((found.part, Warning { line, message }));
        }
        is_same
    }

    fn add_named(&mut self, found: &Use<'a>) -> usize {
        let id = found.id.unwrap_or_default();
        let label = found.link.map_or("", |link| link.text.trim());
        // The label of `[@id]` is the name again.
        let label = if label.strip_prefix('@') == Some(id) { "" } else { label };
        match self.named.get(id).and_then(|named| named.shortcut) {
            Some(at) => {
                // A definition gave it no label; a link that uses it may.
                let known = &mut self.shortcuts[at];
                if !label.is_empty() && known.label == id {
                    label.clone_into(&mut known.label);
                }
                at
            }
            None => {
                let label = if label.is_empty() { id } else { label };
                let at = self.push(found, id.to_owned(), label, ShortcutKind::Named);
                if let Some(named) = self.named.get_mut(id) {
                    named.shortcut = Some(at);
                }
                at
            }
        }
    }

    fn add_auto(&mut self, found: &Use<'a>) -> usize {
        let label = found.link.map_or("", |link| link.text.trim());
        let key = (label, found.href, found.origin);
        if let Some(at) = self.given.get(&key) {
            return *at;
        }
        let id = match slug_of_label(label) {
            Some(slug) if self.take(&slug) => slug,
            Some(slug) => self.numbered(slug + "-", 1),
            None => self.numbered(NUMBERED_PREFIX.to_owned(), 0),
        };
        let at = self.push(found, id, label, ShortcutKind::Auto);
        self.given.insert(key, at);
        at
    }

    fn numbered(&mut self, prefix: String, before_first: usize) -> String {
        let mut number = self.numbers.get(&prefix).copied().unwrap_or(before_first);
        loop {
            number += 1;
            let id = format!("{prefix}{number}");
            if self.take(&id) {
                self.numbers.insert(prefix, number);
                return id;
            }
        }
    }

    fn take(&mut self, id: &str) -> bool {
        !self.reserved.contains(id) && !self.named.contains_key(id) && self.automatic.insert(id.to_owned())
    }

    fn push(&mut self, found: &Use<'a>, id: String, label: &str, kind: ShortcutKind) -> usize {
        self.shortcuts.push(Shortcut {
            id,
            label: label.to_owned(),
            href: found.href.to_owned(),
            origin: found.origin.clone(),
            line: found.lines.line_of(found.offset),
            kind,
        });
        self.shortcuts.len() - 1
    }
}

fn wants_shortcut(href: &str) -> bool {
    let is_web =
        |scheme: &str| href.get(..scheme.len()).is_some_and(|head| head.eq_ignore_ascii_case(scheme));
    is_web("http://") || is_web("https://") || is_long(href)
}

fn is_long(href: &str) -> bool {
    href.chars().nth(MAX_PLAIN_HREF).is_some()
}

/// The id that a label gives, unless it would look like a numbered one.
fn slug_of_label(label: &str) -> Option<String> {
    let is_short = label.chars().nth(MAX_SLUG_LABEL).is_none();
    let is_plain = label.chars().all(|c| c.is_alphanumeric() || c == ' ' || c == '-');
    let slug = if is_short && is_plain { slug(label) } else { String::new() };
    (!slug.is_empty() && !slug.starts_with(NUMBERED_PREFIX)).then_some(slug)
}

/// Prepares how the view shows a link; one without a shortcut is a plain inline link.
fn edit(link: &Link, shown: &Shown<'_>, edits: &mut Vec<Edit>) {
    let tail = link.label.end..link.range.end;
    let name_length = link.name.as_ref().map_or(0, |name| name.length);
    if name_length > 0 {
        // A name alone is its own label: only the `@` goes.
        let length = if name_length == link.label.len() { 1 } else { name_length };
        edits.push(Edit { range: link.label.start..link.label.start + length, text: String::new() });
    }
    match (shown, link.form) {
        (Shown::Shortcut(_), LinkForm::Bare) if link.name.is_some() => {
            edits.push(Edit { range: tail, text: "]".to_owned() });
        }
        (Shown::Shortcut(id), LinkForm::Auto) => {
            edits.push(Edit { range: link.range.start..link.label.start, text: "[".to_owned() });
            edits.push(Edit { range: tail, text: format!("][@{id}]") });
        }
        (Shown::Shortcut(id), _) => edits.push(Edit { range: tail, text: format!("][@{id}]") }),
        (Shown::From(href), _) => edits.push(Edit { range: tail, text: format!("]({})", inline_href(href)) }),
        // The definition is hidden, so the address moves to the link.
        (Shown::AsWritten, LinkForm::Reference | LinkForm::Bare) => {
            edits.push(Edit { range: tail, text: format!("]({})", inline_href(&link.destination)) });
        }
        (Shown::AsWritten, LinkForm::Inline | LinkForm::Auto) => {}
    }
}
