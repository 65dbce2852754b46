//! Lists: only items in them, tight where they can be.

use super::siblings::Siblings;
use super::{MAX_INDENTS, Place, Rebuild};
use crate::html::piece::{Numbers, Piece, is_blank};
use crate::html::tree::Node;

/// Numbers beyond this are dates or mistakes, and would only indent.
const MAX_START: u32 = 9999;

impl Rebuild<'_> {
    pub(super) fn list(&mut self, node: Node<'_>, place: Place, out: &mut Siblings) {
        if place.indents >= MAX_INDENTS {
            out.section(self.children(node, place));
            return;
        }
        let place = Place { depth: place.depth + 1, indents: place.indents + 1, ..place };
        let mut items: Vec<Vec<Piece>> = Vec::new();
        for child in node.children() {
            if child.tag() == "li" {
                if !self.is_left_out(child) {
                    let content = tight(self.children(child, place));
                    items.extend((!is_blank(&content)).then_some(content));
                }
                continue;
            }
            let stray = self.one(child, place);
            if is_blank(&stray) {
                continue;
            }
            // A list straight inside a list belongs to the item before it.
            match items.last_mut() {
                Some(last) => last.extend(stray),
                None => items.push(stray),
            }
        }
        if items.is_empty() {
            return;
        }
        let start = || node.attribute("start").and_then(|start| start.parse().ok()).unwrap_or(1);
        let numbers = match node.tag() {
            "ol" => Numbers::From(start().min(MAX_START)),
            _ => Numbers::None,
        };
        out.push(Piece::List { numbers, items });
    }

    /// A list where only a line fits: in a cell or a link.
    pub(super) fn list_in_line(&mut self, node: Node<'_>, place: Place, out: &mut Siblings) {
        out.space();
        let mut is_first = true;
        for child in node.children() {
            let item = self.one(child, Place { depth: place.depth + 1, ..place });
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

    fn one(&mut self, node: Node<'_>, place: Place) -> Vec<Piece> {
        let mut pieces = Siblings::default();
        self.convert(node, place, &mut pieces);
        pieces.finish()
    }
}

/// A single paragraph, alone or with a list after it, needs no blank lines around it.
fn tight(mut content: Vec<Piece>) -> Vec<Piece> {
    let mut parts = content.iter().filter(|piece| !piece.is_blank_text());
    let is_simple =
        parts.next().is_some_and(|first| matches!(first, Piece::Paragraph(_) | Piece::Section(_)))
            && parts.all(|other| matches!(other, Piece::List { .. }));
    if is_simple {
        content.retain(|piece| !piece.is_blank_text());
        if let Piece::Paragraph(inside) | Piece::Section(inside) = content.remove(0) {
            content.splice(..0, inside);
        }
    }
    content
}
