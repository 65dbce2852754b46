//! How much text an element holds, and how much of it is links.

use super::tree::{Descend, Node, Step};

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

impl std::ops::AddAssign for Weight {
    fn add_assign(&mut self, other: Weight) {
        self.text += other.text;
        self.links += other.links;
    }
}

/// Characters of `text` that are no spaces.
pub(super) fn characters(text: &str) -> usize {
    text.bytes().filter(|byte| !byte.is_ascii_whitespace()).count()
}

/// The weight of every node below a root.
pub(super) struct Weights(Vec<Weight>);

impl Weights {
    pub(super) fn of(root: Node<'_>) -> Weights {
        let mut weights = vec![Weight::default(); root.tree_len()];
        let mut links = 0;
        root.traverse(|step| {
            match step {
                Step::Into(node) => {
                    if let Some(text) = node.text().map(characters) {
                        weights[node.id().index()] = Weight { text, links: if links > 0 { text } else { 0 } };
                    }
                    links += usize::from(node.tag() == "a");
                    if is_never_shown(node.tag()) {
                        return Descend::No;
                    }
                }
                Step::OutOf(node) => {
                    links -= usize::from(node.tag() == "a");
                    if let Some(parent) = node.parent().filter(|_| node != root) {
                        let own = weights[node.id().index()];
                        weights[parent.id().index()] += own;
                    }
                }
            }
            Descend::Yes
        });
        Weights(weights)
    }

    pub(super) fn get(&self, node: Node<'_>) -> Weight {
        self.0[node.id().index()]
    }
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
