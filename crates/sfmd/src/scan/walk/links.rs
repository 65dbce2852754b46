//! Links while they are open: where the label ends, the name in it, its plain text.

use std::ops::Range;

use pulldown_cmark::LinkType;

use super::Walk;
use crate::link::{Link, LinkForm, MAX_LABEL, Name, name_in_label, name_in_reference};

pub(super) struct OpenLink {
    link: Link,
    is_email: bool,
    plain_start: usize,
    pub(super) children_end: usize,
}

/// Whether a `!` stands before the bracket.
#[derive(Clone, Copy)]
pub(super) enum Bang {
    No = 0,
    Yes = 1,
}

impl Walk<'_> {
    pub(super) fn open_link(
        &mut self,
        kind: LinkType,
        destination: &str,
        id: &str,
        range: Range<usize>,
        bang: Bang,
    ) {
        let form = match kind {
            LinkType::Reference | LinkType::ReferenceUnknown => LinkForm::Reference,
            LinkType::Collapsed
            | LinkType::CollapsedUnknown
            | LinkType::Shortcut
            | LinkType::ShortcutUnknown => LinkForm::Bare,
            LinkType::Autolink | LinkType::Email => LinkForm::Auto,
            _ => LinkForm::Inline,
        };
        // The parser leaves the brackets of `[id][]` out of the range.
        let is_collapsed = matches!(kind, LinkType::Collapsed | LinkType::CollapsedUnknown);
        let brackets = is_collapsed && self.source[range.end..].starts_with("[]");
        let label_start = range.start + bang as usize + 1;
        let link = Link {
            range: range.start..range.end + if brackets { 2 } else { 0 },
            label: label_start..label_start,
            text: String::new(),
            destination: destination.to_owned(),
            form,
            name: name_in_reference(id).map(|id| Name { id, length: 0 }),
        };
        self.links.push(OpenLink {
            link,
            is_email: kind == LinkType::Email,
            plain_start: self.plain.len(),
            children_end: label_start,
        });
    }

    pub(super) fn close_link(&mut self) {
        let Some(OpenLink { mut link, is_email, plain_start, children_end }) = self.links.pop() else {
            return;
        };
        if let Some(parent) = self.links.last_mut() {
            parent.children_end = parent.children_end.max(link.range.end);
        }
        let closing = if link.form == LinkForm::Auto { '>' } else { ']' };
        let label_end = self.source[children_end..link.range.end].find(closing).map(|at| children_end + at);
        if let Some(label_end) = label_end.filter(|_| !is_email) {
            link.label.end = label_end;
            if link.form == LinkForm::Inline {
                link.name = name_in_label(&self.source[link.label.clone()]);
                self.drop_name(link.name.as_ref(), plain_start);
            }
            link.text = self.plain[plain_start..].chars().take(MAX_LABEL).collect();
            self.found.links.push(link);
        }
        if !self.wants_plain() {
            self.plain.clear();
        }
    }

    /// Takes `@id ` off the plain text of the label that begins at `plain_start`.
    fn drop_name(&mut self, name: Option<&Name>, plain_start: usize) {
        let Some(name) = name else { return };
        let label = &self.plain[plain_start..];
        let after_id = label.get(1 + name.id.as_str().len()..).unwrap_or_default();
        let length = label.len() - after_id.trim_start().len();
        // A name alone is its own label.
        let length = if length == label.len() { 1 } else { length };
        self.plain.replace_range(plain_start..plain_start + length.min(label.len()), "");
    }
}
