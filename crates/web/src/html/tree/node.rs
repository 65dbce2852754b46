//! Reading a tree: what a node is, and what is around it.

use html5ever::Attribute;

use super::{Data, Id, Slot, Tree};

/// A node with the tree it is in.
#[derive(Clone, Copy)]
pub(in crate::html) struct Node<'a> {
    tree: &'a Tree,
    id: Id,
}

impl PartialEq for Node<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id && std::ptr::eq(self.tree, other.tree)
    }
}

impl<'a> Node<'a> {
    pub(super) fn new(tree: &'a Tree, id: Id) -> Node<'a> {
        Node { tree, id }
    }

    fn slot(self) -> &'a Slot {
        &self.tree.slots[self.id.index()]
    }

    fn at(self, id: Option<Id>) -> Option<Node<'a>> {
        id.map(|id| Node { id, ..self })
    }

    pub(in crate::html) fn id(self) -> Id {
        self.id
    }

    /// How many nodes there are in its tree.
    pub(in crate::html) fn tree_len(self) -> usize {
        self.tree.slots.len()
    }

    /// The tag of an element, `""` for anything else.
    pub(in crate::html) fn tag(self) -> &'a str {
        match &self.slot().data {
            Data::Element { name, .. } => &name.local,
            _ => "",
        }
    }

    pub(in crate::html) fn text(self) -> Option<&'a str> {
        match &self.slot().data {
            Data::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Names and values.
    pub(in crate::html) fn attributes(self) -> impl Iterator<Item = (&'a str, &'a str)> {
        let attributes: &'a [Attribute] = match &self.slot().data {
            Data::Element { attributes, .. } => attributes,
            _ => &[],
        };
        attributes.iter().map(|attribute| (&*attribute.name.local, &*attribute.value))
    }

    pub(in crate::html) fn attribute(self, name: &str) -> Option<&'a str> {
        self.attributes().find(|(found, _)| *found == name).map(|(_, value)| value)
    }

    pub(in crate::html) fn classes(self) -> impl Iterator<Item = &'a str> {
        self.attribute("class").unwrap_or_default().split_ascii_whitespace()
    }

    pub(in crate::html) fn parent(self) -> Option<Node<'a>> {
        self.at(self.slot().parent)
    }

    pub(in crate::html) fn children(self) -> impl Iterator<Item = Node<'a>> {
        std::iter::successors(self.at(self.slot().first), |child| child.at(child.slot().next))
    }

    /// Calls `visit` for the node and what is below it, in document order; children only where it says so.
    pub(in crate::html) fn walk(self, mut visit: impl FnMut(Node<'a>) -> Descend) {
        self.traverse(|step| match step {
            Step::Into(node) => visit(node),
            Step::OutOf(_) => Descend::Yes,
        });
    }

    /// Like [`Node::walk`], and tells when a node that was entered is left.
    pub(in crate::html) fn traverse(self, mut visit: impl FnMut(Step<'a>) -> Descend) {
        let mut node = self;
        loop {
            let descends = visit(Step::Into(node)) == Descend::Yes;
            if let Some(child) = node.at(node.slot().first).filter(|_| descends) {
                node = child;
                continue;
            }
            loop {
                visit(Step::OutOf(node));
                if node == self {
                    return;
                }
                if let Some(next) = node.at(node.slot().next) {
                    node = next;
                    break;
                }
                let Some(parent) = node.parent() else { return };
                node = parent;
            }
        }
    }

    /// The node and all below it, in document order.
    fn descendants(self) -> impl Iterator<Item = Node<'a>> {
        std::iter::successors(Some(self), move |node| {
            let mut node = *node;
            if let Some(child) = node.at(node.slot().first) {
                return Some(child);
            }
            while node != self {
                if let Some(next) = node.at(node.slot().next) {
                    return Some(next);
                }
                node = node.parent()?;
            }
            None
        })
    }

    /// The first element with one of `tags`, in document order, the node itself included.
    pub(in crate::html) fn find(self, tags: &[&str]) -> Option<Node<'a>> {
        self.descendants().find(|node| tags.contains(&node.tag()))
    }

    /// All text below, as written.
    pub(in crate::html) fn all_text(self) -> String {
        let mut text = String::new();
        self.walk(|node| {
            text.push_str(node.text().unwrap_or_default());
            let is_text = !matches!(node.tag(), "script" | "style" | "template" | "svg");
            if is_text { Descend::Yes } else { Descend::No }
        });
        text
    }

    /// All text below, as one line.
    pub(in crate::html) fn line(self) -> String {
        squeezed(&self.all_text())
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::html) enum Descend {
    Yes,
    No,
}

/// What happens on a way through a tree.
#[derive(Clone, Copy)]
pub(in crate::html) enum Step<'a> {
    Into(Node<'a>),
    OutOf(Node<'a>),
}

/// Text of a line: spaces of all kinds become one.
pub(in crate::html) fn squeezed(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}
