//! The actions of a page: its own and those of the files it includes.

use std::collections::{HashMap, HashSet};

use super::{Origin, Page, Segment};
use crate::action::Action;
use crate::document::Document;
use crate::lines::positions_within;
use crate::response::Response;
use crate::warning::Warning;

/// An action with its response template and the file that defines it, from whose place it runs.
#[derive(Clone, Copy, Debug)]
pub struct PageAction<'a> {
    pub action: &'a Action,
    pub response: Option<&'a Response>,
    pub origin: &'a Origin,
    /// The text of that file.
    pub document: &'a Document,
}

/// Where an action and its response stand: part and position in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Callable {
    action: (usize, usize),
    response: Option<(usize, usize)>,
}

impl Page {
    /// Top to bottom, each id once.
    pub fn actions(&self) -> impl Iterator<Item = PageAction<'_>> {
        self.callables.iter().map(|callable| {
            let (part, at) = callable.action;
            let response = callable.response.map(|(part, at)| &self.parts[part].document.responses[at]);
            PageAction {
                action: &self.parts[part].document.actions[at],
                response,
                origin: &self.parts[part].origin,
                document: &self.parts[part].document,
            }
        })
    }

    pub fn action(&self, id: &str) -> Option<PageAction<'_>> {
        self.actions().find(|found| found.action.id == id)
    }
}

/// Collects the actions, pairs them with responses, and notes what is left over.
pub(super) fn collect(page: &mut Page) {
    let mut actions: Vec<(usize, usize)> = Vec::new();
    let mut responses: HashMap<&str, (usize, usize)> = HashMap::new();
    let mut ids: HashSet<&str> = HashSet::new();
    let mut warnings = Vec::new();
    for segment in &page.segments {
        let Segment::Text { part, lines, .. } = segment else { continue };
        let document = &page.parts[*part].document;
        for at in positions_within(&document.actions, lines, |action| action.line) {
            let action = &document.actions[at];
            if ids.insert(action.id.as_str()) {
                actions.push((*part, at));
            } else {
                let message = format!("act.{} is already on this page: the first one counts", action.id);
                warnings.push((*part, Warning { line: action.line, message }));
            }
        }
        for at in positions_within(&document.responses, lines, |response| response.line) {
            let response = &document.responses[at];
            responses.entry(response.id.as_str()).or_insert((*part, at));
        }
    }
    for (id, (part, at)) in &responses {
        if !ids.contains(id) {
            let message = format!("act.{id}.response belongs to no action");
            warnings.push((*part, Warning { line: page.parts[*part].document.responses[*at].line, message }));
        }
    }
    if let Some(default) = page.document().frontmatter.default.as_deref().filter(|id| !ids.contains(id)) {
        let message = format!("default: there is no action {default}");
        warnings.push((0, Warning { line: page.document().frontmatter.default_line, message }));
    }
    let callables = actions.iter().map(|(part, at)| {
        let id = page.parts[*part].document.actions[*at].id.as_str();
        Callable { action: (*part, *at), response: responses.get(id).copied() }
    });
    page.callables = callables.collect();
    // Pairing goes through a hash map; warnings must not depend on its order.
    warnings.sort_by_key(|(part, warning)| (*part, warning.line));
    page.warnings.extend(warnings);
}
