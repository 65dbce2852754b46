//! Lists: only items in them, tight where they can be.

use std::rc::Rc;

use markup5ever_rcdom::Node;

use super::siblings::{Siblings, is_blank};
use super::{MAX_INDENTS, Place, Rebuild};
use crate::html::element::{attribute, element, element_with, is_text, tag};

/// Numbers beyond this are dates or mistakes, and would only indent.
const MAX_START: u32 = 9999;

impl Rebuild<'_> {
    pub(super) fn list(&mut self, node: &Rc<Node>, place: Place, out: &mut Siblings) {
        if place.indents >= MAX_INDENTS {
            out.section(self.children(node, place));
            return;
        }
        let place = Place { depth: place.depth + 1, indents: place.indents + 1, ..place };
        let mut items: Vec<Rc<Node>> = Vec::new();
        for child in node.children.borrow().iter() {
            if tag(child) == "li" {
                if !self.is_left_out(child) {
                    let content = tight(self.children(child, place));
                    items.extend((!is_blank(&content)).then(|| element("li", content)));
                }
                continue;
            }
            let mut stray = Siblings::default();
            self.convert(child, place, &mut stray);
            let stray = stray.finish();
            if is_blank(&stray) {
                continue;
            }
            // A list straight inside a list belongs to the item before it.
            match items.last() {
                Some(last) => append(last, stray),
                None => items.push(element("li", stray)),
            }
        }
        if items.is_empty() {
            return;
        }
        let start =
            attribute(node, "start").and_then(|start| start.parse::<u32>().ok()).unwrap_or(1).min(MAX_START);
        match tag(node) {
            "ol" => out.push(element_with("ol", &[("start", &start.to_string())], items)),
            _ => out.push(element("ul", items)),
        }
    }
}

impl Rebuild<'_> {
    /// A list where only a line fits: in a cell or a link.
    pub(super) fn list_in_line(&mut self, node: &Rc<Node>, place: Place, out: &mut Siblings) {
        out.space();
        let mut is_first = true;
        for child in node.children.borrow().iter() {
            let item = self.children_of_item(child, place);
            if is_blank(&item) {
                continue;
            }
            if !std::mem::take(&mut is_first) {
                out.text("; ");
            }
            out.extend(item);
        }
        out.space();
    }

    fn children_of_item(&mut self, item: &Rc<Node>, place: Place) -> Vec<Rc<Node>> {
        let mut content = Siblings::default();
        self.convert(item, Place { depth: place.depth + 1, ..place }, &mut content);
        content.finish()
    }
}

fn append(parent: &Rc<Node>, nodes: Vec<Rc<Node>>) {
    for node in nodes {
        node.parent.set(Some(Rc::downgrade(parent)));
        parent.children.borrow_mut().push(node);
    }
}

/// A single paragraph, alone or with a list after it, needs no blank lines around it.
fn tight(content: Vec<Rc<Node>>) -> Vec<Rc<Node>> {
    let is_space = |node: &Rc<Node>| is_text(node) && is_blank(std::slice::from_ref(node));
    let mut parts = content.iter().filter(|node| !is_space(node));
    let is_simple = parts.next().is_some_and(|first| matches!(tag(first), "p" | "div"))
        && parts.all(|other| matches!(tag(other), "ul" | "ol"));
    if !is_simple {
        return content;
    }
    let mut parts = content.into_iter().filter(|node| !is_space(node));
    let mut unwrapped = parts.next().map(|first| first.children.take()).unwrap_or_default();
    unwrapped.extend(parts);
    unwrapped
}
