//! How much text an element holds, and how much of it is links.

use std::collections::HashMap;
use std::rc::Rc;

use markup5ever_rcdom::{Node, NodeData};

use super::element::tag;

/// Characters of visible text, spaces not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Weight {
    pub(super) text: usize,
    pub(super) links: usize,
}

impl Weight {
    /// Text that is no link: what content is made of, and navigation is not.
    pub(super) fn plain(self) -> usize {
        self.text - self.links
    }

    pub(super) fn is_mostly_links(self) -> bool {
        self.links * 10 >= self.text * 3
    }
}

pub(super) struct Weights(HashMap<*const Node, Weight>);

impl Weights {
    pub(super) fn of(root: &Rc<Node>) -> Weights {
        // Parents come before children, so adding up backwards needs no recursion.
        let mut nodes: Vec<(Rc<Node>, usize, Within)> = vec![(root.clone(), 0, Within::Text)];
        let mut weights = vec![Weight::default()];
        let mut next = 0;
        while next < nodes.len() {
            let (node, _, within) = nodes[next].clone();
            if let NodeData::Text { contents } = &node.data {
                let text = contents.borrow().bytes().filter(|byte| !byte.is_ascii_whitespace()).count();
                weights[next] = Weight { text, links: if within == Within::Link { text } else { 0 } };
            }
            let inside = if tag(&node) == "a" { Within::Link } else { within };
            if !is_never_shown(tag(&node)) {
                for child in node.children.borrow().iter() {
                    nodes.push((child.clone(), next, inside));
                    weights.push(Weight::default());
                }
            }
            next += 1;
        }
        for index in (1..nodes.len()).rev() {
            let (own, parent) = (weights[index], nodes[index].1);
            weights[parent].text += own.text;
            weights[parent].links += own.links;
        }
        let elements = nodes.iter().zip(&weights).filter(|((node, ..), _)| !tag(node).is_empty());
        Weights(elements.map(|((node, ..), weight)| (Rc::as_ptr(node), *weight)).collect())
    }

    pub(super) fn get(&self, node: &Rc<Node>) -> Weight {
        self.0.get(&Rc::as_ptr(node)).copied().unwrap_or_default()
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    Text,
    Link,
}

/// Elements whose text is for machines or for browsers without something.
pub(super) fn is_never_shown(tag: &str) -> bool {
    matches!(
        tag,
        "head"
            | "script"
            | "style"
            | "noscript"
            | "template"
            | "svg"
            | "canvas"
            | "datalist"
            | "object"
            | "map"
            | "noembed"
            | "noframes"
            | "rp"
    )
}
