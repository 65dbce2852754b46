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
        let mut numbers = Numbering::of(node);
        for child in node.children() {
            if child.tag() == "li" {
                if !self.is_left_out(child) {
                    let content = tight(self.children(child, place));
                    if !is_blank(&content) {
                        numbers.add(child);
                        items.push(content);
                    }
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
                None => {
                    numbers.add(child);
                    items.push(stray);
                }
            }
        }
        if items.is_empty() {
            return;
        }
        let numbers = match node.tag() {
            "ol" => Numbers::Each(numbers.given),
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
                out.semicolon();
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

/// The numbers of a list, as its items are met.
struct Numbering {
    given: Vec<u32>,
    next: u32,
    counts: Counts,
}

enum Counts {
    Up,
    Down,
}

impl Numbering {
    fn of(list: Node<'_>) -> Numbering {
        let start = list.attribute("start").and_then(|start| start.parse().ok());
        let is_reversed = list.attribute("reversed").is_some();
        let items = || list.children().filter(|child| child.tag() == "li").count();
        let from = match start {
            Some(start) => start,
            None if is_reversed => u32::try_from(items()).unwrap_or(MAX_START),
            None => 1,
        };
        let counts = if is_reversed { Counts::Down } else { Counts::Up };
        Numbering { given: Vec::new(), next: from.min(MAX_START), counts }
    }

    fn add(&mut self, item: Node<'_>) {
        let own = item.attribute("value").and_then(|value| value.parse().ok());
        let number = own.filter(|value| *value <= MAX_START).unwrap_or(self.next);
        self.given.push(number);
        self.next = match self.counts {
            Counts::Up => number + 1,
            Counts::Down => number.saturating_sub(1),
        };
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
