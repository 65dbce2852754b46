//! A page as a tree in one piece of memory: nodes are numbers, and links between numbers make the tree.

mod node;

use std::num::NonZeroU32;

use html5ever::tendril::StrTendril;
use html5ever::{Attribute, LocalName, QualName};

pub(in crate::html) use node::{Descend, Node, Step, squeezed};

/// The number of a node in its tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::html) struct Id(NonZeroU32);

impl Id {
    /// Its place in a list with one entry for each node.
    pub(in crate::html) fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

pub(in crate::html) enum Data {
    /// The document itself, or what a template holds.
    Root,
    Element {
        name: QualName,
        attributes: Vec<Attribute>,
        takes_html: TakesHtml,
    },
    Text(StrTendril),
    Comment,
}

/// Whether an element of MathML holds HTML.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::html) enum TakesHtml {
    Yes,
    No,
}

struct Slot {
    data: Data,
    parent: Option<Id>,
    first: Option<Id>,
    last: Option<Id>,
    previous: Option<Id>,
    next: Option<Id>,
}

pub(in crate::html) struct Tree {
    slots: Vec<Slot>,
}

impl Tree {
    /// A tree of a document alone, with room for what `bytes` of HTML usually hold.
    pub(in crate::html) fn new(bytes: usize) -> Tree {
        const BYTES_PER_NODE: usize = 16;
        let mut tree = Tree { slots: Vec::with_capacity(bytes / BYTES_PER_NODE + 16) };
        tree.add(Data::Root);
        tree
    }

    pub(in crate::html) fn document(&self) -> Node<'_> {
        self.node(Id(NonZeroU32::MIN))
    }

    pub(in crate::html) fn node(&self, id: Id) -> Node<'_> {
        Node::new(self, id)
    }

    /// A new node that is nowhere yet.
    pub(in crate::html) fn add(&mut self, data: Data) -> Id {
        self.slots.push(Slot { data, parent: None, first: None, last: None, previous: None, next: None });
        let number = u32::try_from(self.slots.len()).ok().and_then(NonZeroU32::new);
        // Parsing stops at a few hundred thousand elements, and each has few nodes that are none.
        Id(number.unwrap_or(NonZeroU32::MAX))
    }

    pub(in crate::html) fn data_mut(&mut self, id: Id) -> &mut Data {
        &mut self.slots[id.index()].data
    }

    pub(in crate::html) fn data(&self, id: Id) -> &Data {
        &self.slots[id.index()].data
    }

    pub(in crate::html) fn parent(&self, id: Id) -> Option<Id> {
        self.slots[id.index()].parent
    }

    /// Puts `child` below `parent`, before one of its children or last.
    pub(in crate::html) fn insert(&mut self, parent: Id, child: Id, before: Option<Id>) {
        self.detach(child);
        let previous = match before {
            Some(next) => self.slots[next.index()].previous.replace(child),
            None => self.slots[parent.index()].last.replace(child),
        };
        match previous {
            Some(previous) => self.slots[previous.index()].next = Some(child),
            None => self.slots[parent.index()].first = Some(child),
        }
        let slot = &mut self.slots[child.index()];
        (slot.parent, slot.previous, slot.next) = (Some(parent), previous, before);
    }

    /// Text at that place; it joins a text that ends there.
    pub(in crate::html) fn insert_text(&mut self, parent: Id, text: StrTendril, before: Option<Id>) {
        let previous = match before {
            Some(next) => self.slots[next.index()].previous,
            None => self.slots[parent.index()].last,
        };
        if let Some(Data::Text(written)) = previous.map(|previous| self.data_mut(previous)) {
            written.push_tendril(&text);
            return;
        }
        let child = self.add(Data::Text(text));
        self.insert(parent, child, before);
    }

    pub(in crate::html) fn detach(&mut self, id: Id) {
        let slot = &mut self.slots[id.index()];
        let Some(parent) = slot.parent.take() else { return };
        let (previous, next) = (slot.previous.take(), slot.next.take());
        match previous {
            Some(previous) => self.slots[previous.index()].next = next,
            None => self.slots[parent.index()].first = next,
        }
        match next {
            Some(next) => self.slots[next.index()].previous = previous,
            None => self.slots[parent.index()].last = previous,
        }
    }

    /// Gives all elements with an attribute another tag.
    pub(in crate::html) fn rename(&mut self, attribute: &str, tag: &str) {
        for slot in &mut self.slots {
            if let Data::Element { name, attributes, .. } = &mut slot.data
                && attributes.iter().any(|known| &*known.name.local == attribute)
            {
                name.local = LocalName::from(tag);
            }
        }
    }

    pub(in crate::html) fn move_children(&mut self, from: Id, to: Id) {
        while let Some(child) = self.slots[from.index()].first {
            self.insert(to, child, None);
        }
    }

    /// How many last children of last children there are. The parser's open elements are among them.
    pub(in crate::html) fn depth_of_last_branch(&self) -> usize {
        std::iter::successors(Some(self.document().id()), |id| self.slots[id.index()].last).count() - 1
    }
}
