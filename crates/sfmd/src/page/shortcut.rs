//! Shortcuts: the names by which an agent follows links, given out once for a whole page.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::{Origin, Page, Segment};
use crate::id::slug;
use crate::lines::positions_within;
use crate::link::{Link, LinkForm, NUMBERED_PREFIX};
use crate::warning::Warning;

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
    let uses = uses(page);
    let mut names = Names::default();
    let named: Vec<bool> = uses.iter().map(|found| names.claim(page, found)).collect();
    let mut edits: Vec<Vec<Edit>> = vec![Vec::new(); page.parts.len()];
    for (found, is_named) in uses.iter().zip(named) {
        let Some(link) = found.link.map(|at| &page.parts[found.part].document.links[at]) else {
            names.add_named(page, found);
            continue;
        };
        let id = if is_named {
            Some(names.add_named(page, found))
        } else if wants_shortcut(&link.destination) {
            Some(names.add_auto(page, found, link))
        } else {
            None
        };
        edit(link, id.as_deref(), &mut edits[found.part]);
    }
    for (part, mut edits) in page.parts.iter_mut().zip(edits) {
        edits.sort_by_key(|edit| edit.range.start);
        part.edits = edits;
    }
    page.shortcuts = names.shortcuts;
    page.warnings.extend(names.warnings);
}

/// A link, or a definition that names one.
struct Use {
    part: usize,
    offset: usize,
    link: Option<usize>,
    id: Option<String>,
    href: String,
}

fn uses(page: &Page) -> Vec<Use> {
    let mut all = Vec::new();
    for segment in &page.segments {
        let Segment::Text { part, lines, .. } = segment else { continue };
        let document = &page.parts[*part].document;
        let bytes = document.lines.bytes(lines);
        let first = all.len();
        for at in positions_within(&document.links, &bytes, |link| link.range.start) {
            let link = &document.links[at];
            all.push(Use {
                part: *part,
                offset: link.range.start,
                link: Some(at),
                id: link.name.as_ref().map(|name| name.id.to_string()),
                href: link.destination.clone(),
            });
        }
        for at in positions_within(&document.definitions, &bytes, |definition| definition.offset) {
            let definition = &document.definitions[at];
            let Some(name) = &definition.name else { continue };
            all.push(Use {
                part: *part,
                offset: definition.offset,
                link: None,
                id: Some(name.to_string()),
                href: definition.destination.clone(),
            });
        }
        all[first..].sort_by_key(|found| found.offset);
    }
    all
}

#[derive(Default)]
struct Names {
    shortcuts: Vec<Shortcut>,
    /// Each name and the target it stands for.
    named: HashMap<String, (String, Origin)>,
    taken: HashSet<String>,
    /// Where a shortcut stands in the list.
    position: HashMap<String, usize>,
    /// Ids already given to (label, href, origin): the same link twice is one shortcut.
    given: HashMap<(String, String, Origin), String>,
    repeats: HashMap<String, usize>,
    warnings: Vec<(usize, Warning)>,
}

impl Names {
    /// Whether this use may have the name it asks for. The first target of a name counts.
    fn claim(&mut self, page: &Page, found: &Use) -> bool {
        let Some(id) = &found.id else { return false };
        let target = (found.href.clone(), page.parts[found.part].origin.clone());
        if !self.named.contains_key(id) {
            self.taken.insert(id.clone());
            self.named.insert(id.clone(), target);
            return true;
        }
        let is_same = self.named[id] == target;
        if !is_same {
            let line = page.parts[found.part].document.lines.line_of(found.offset);
            let message = format!("@{id} already stands for another link");
            self.warnings.push((found.part, Warning { line, message }));
        }
        is_same
    }

    fn add_named(&mut self, page: &Page, found: &Use) -> String {
        let id = found.id.clone().unwrap_or_default();
        let label = found.link.map(|at| page.parts[found.part].document.links[at].text.trim().to_owned());
        let label = label.filter(|label| !label.is_empty() && *label != format!("@{id}"));
        match self.position.get(&id) {
            // A definition gave it no label; a link that uses it may.
            Some(at) => {
                let known = &mut self.shortcuts[*at];
                if let Some(label) = label.filter(|_| known.label == id) {
                    known.label = label;
                }
            }
            None => self.push(page, found, &id, label.unwrap_or_else(|| id.clone()), ShortcutKind::Named),
        }
        id
    }

    fn add_auto(&mut self, page: &Page, found: &Use, link: &Link) -> String {
        let label = link.text.trim().to_owned();
        let key = (label.clone(), link.destination.clone(), page.parts[found.part].origin.clone());
        if let Some(id) = self.given.get(&key) {
            return id.clone();
        }
        let id = match slug_of_label(&label) {
            Some(slug) if self.taken.insert(slug.clone()) => slug,
            Some(slug) => self.numbered(&format!("{slug}-"), 1),
            None => self.numbered(NUMBERED_PREFIX, 0),
        };
        self.push(page, found, &id, label, ShortcutKind::Auto);
        self.given.insert(key, id.clone());
        id
    }

    fn numbered(&mut self, prefix: &str, last: usize) -> String {
        let count = self.repeats.entry(prefix.to_owned()).or_insert(last);
        loop {
            *count += 1;
            let id = format!("{prefix}{count}");
            if self.taken.insert(id.clone()) {
                return id;
            }
        }
    }

    fn push(&mut self, page: &Page, found: &Use, id: &str, label: String, kind: ShortcutKind) {
        let part = &page.parts[found.part];
        self.position.insert(id.to_owned(), self.shortcuts.len());
        self.shortcuts.push(Shortcut {
            id: id.to_owned(),
            label,
            href: found.href.clone(),
            origin: part.origin.clone(),
            line: part.document.lines.line_of(found.offset),
            kind,
        });
    }
}

fn wants_shortcut(href: &str) -> bool {
    let is_web =
        |scheme: &str| href.get(..scheme.len()).is_some_and(|head| head.eq_ignore_ascii_case(scheme));
    is_web("http://") || is_web("https://") || href.chars().nth(MAX_PLAIN_HREF).is_some()
}

/// The id that a label gives, unless it would look like a numbered one.
fn slug_of_label(label: &str) -> Option<String> {
    let is_short = label.chars().nth(MAX_SLUG_LABEL).is_none();
    let is_plain = label.chars().all(|c| c.is_alphanumeric() || c == ' ' || c == '-');
    let slug = if is_short && is_plain { slug(label) } else { String::new() };
    (!slug.is_empty() && !slug.starts_with(NUMBERED_PREFIX)).then_some(slug)
}

/// How the view shows a link: `[Label][@id]`, or as a plain inline link where it has no shortcut.
fn edit(link: &Link, id: Option<&str>, edits: &mut Vec<Edit>) {
    let tail = link.label.end..link.range.end;
    let name_length = link.name.as_ref().map_or(0, |name| name.length);
    if name_length > 0 {
        // A name alone is its own label: only the `@` goes.
        let length = if name_length == link.label.len() { 1 } else { name_length };
        edits.push(Edit { range: link.label.start..link.label.start + length, text: String::new() });
    }
    match (id, link.form) {
        (Some(_), LinkForm::Bare) if link.name.is_some() => {
            edits.push(Edit { range: tail, text: "]".to_owned() });
        }
        (Some(id), LinkForm::Auto) => {
            edits.push(Edit { range: link.range.start..link.label.start, text: "[".to_owned() });
            edits.push(Edit { range: tail, text: format!("][@{id}]") });
        }
        (Some(id), _) => edits.push(Edit { range: tail, text: format!("][@{id}]") }),
        // The definition is hidden, so the address moves to the link.
        (None, LinkForm::Reference | LinkForm::Bare) => {
            edits.push(Edit { range: tail, text: format!("]({})", inline_href(&link.destination)) });
        }
        (None, LinkForm::Inline | LinkForm::Auto) => {}
    }
}

fn inline_href(href: &str) -> String {
    let is_plain = !href.is_empty()
        && !href.contains(|c: char| c.is_whitespace() || c.is_control() || "()<>".contains(c));
    if is_plain { href.to_owned() } else { format!("<{}>", href.replace('<', "%3C").replace('>', "%3E")) }
}
