//! Rows of links before and after content that nobody marked as such: menus that nobody labelled.

use super::piece::{Piece, visit, weigh};

/// `content` without them, unless links are what the page is about.
pub(super) fn trimmed(mut content: Vec<Piece>) -> Vec<Piece> {
    let whole = weigh(&content);
    if whole.text > 0 && whole.plain() >= whole.links {
        trim_start(&mut content);
        trim_end(&mut content);
    }
    content
}

fn trim_start(content: &mut Vec<Piece>) {
    let kept = content.iter().position(|piece| !piece.is_blank_text() && !is_row_of_links(piece));
    content.drain(..kept.unwrap_or(content.len()));
    if let Some(Piece::Section(inside)) = content.first_mut() {
        trim_start(inside);
    }
}

/// A menu at the end stands bare in a box; a list or a paragraph of links is where an index or an article ends.
fn trim_end(content: &mut Vec<Piece>) {
    while let Some(last) = content.pop() {
        // Links under a heading are a section: "See also".
        let is_titled = || {
            let before = content.iter().rfind(|piece| !piece.is_blank_text());
            matches!(before, Some(Piece::Heading { .. }))
        };
        let is_menu = is_row_of_links(&last) && is_bare(&last) && !is_titled();
        if !last.is_blank_text() && !is_menu {
            content.push(last);
            break;
        }
    }
    if let Some(Piece::Section(inside)) = content.last_mut() {
        trim_end(inside);
    }
}

/// Whether the links of a row are in nothing but boxes.
fn is_bare(row: &Piece) -> bool {
    let mut is_bare = true;
    visit(std::slice::from_ref(row), &mut |piece| {
        is_bare &= !piece.is_block() || matches!(piece, Piece::Section(_));
    });
    is_bare
}

fn is_row_of_links(piece: &Piece) -> bool {
    let mut links = 0;
    let mut has_heading = false;
    let pieces = std::slice::from_ref(piece);
    visit(pieces, &mut |piece| {
        links += usize::from(matches!(piece, Piece::Link { .. }));
        has_heading |= matches!(piece, Piece::Heading { .. });
    });
    if has_heading || links < 2 {
        return false;
    }
    let weight = weigh(pieces);
    weight.links * 10 >= weight.text * 8
}
