//! Rows of links before and after the content: menus that nobody labelled.

use std::rc::Rc;

use markup5ever_rcdom::Node;

use super::element::{Descend, is_text, tag, text_of, walk};
use super::weigh::Weights;

/// Takes them off `tree`, unless links are what the page is about.
pub(super) fn trim(tree: &Rc<Node>) {
    let weights = Weights::of(tree);
    let whole = weights.get(tree);
    if whole.plain() >= whole.links {
        trim_edge(tree, &weights, Edge::Start);
        trim_edge(tree, &weights, Edge::End);
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Edge {
    Start,
    End,
}

fn trim_edge(node: &Rc<Node>, weights: &Weights, edge: Edge) {
    loop {
        let (at, child, is_titled) = {
            let children = node.children.borrow();
            let is_shown = |child: &Rc<Node>| !is_text(child) || !text_of(child).trim().is_empty();
            let at = match edge {
                Edge::Start => children.iter().position(is_shown),
                Edge::End => children.iter().rposition(is_shown),
            };
            let Some(at) = at else { return };
            // Links under a heading are a section: "See also".
            let before = children[..at].iter().rfind(|child| is_shown(child));
            let is_titled = before.is_some_and(|before| is_heading(before));
            (at, children[at].clone(), is_titled)
        };
        if is_row_of_links(&child, weights) && !is_titled {
            node.children.borrow_mut().remove(at);
            continue;
        }
        if tag(&child) == "div" {
            trim_edge(&child, weights, edge);
        }
        return;
    }
}

fn is_row_of_links(node: &Rc<Node>, weights: &Weights) -> bool {
    let weight = weights.get(node);
    let mut links = 0;
    let mut has_heading = is_heading(node);
    walk(node, &mut |node| {
        links += usize::from(tag(node) == "a");
        has_heading |= is_heading(node);
        Descend::Yes
    });
    !has_heading && links >= 2 && weight.links * 10 >= weight.text * 8
}

fn is_heading(node: &Node) -> bool {
    matches!(tag(node), "h1" | "h2" | "h3" | "h4" | "h5" | "h6")
}
