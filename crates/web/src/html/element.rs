//! Reading and making nodes of the parser's tree.

use std::cell::{Ref, RefCell};
use std::rc::Rc;

use html5ever::tendril::StrTendril;
use html5ever::{Attribute, LocalName, QualName, ns};
use markup5ever_rcdom::{Node, NodeData};

/// The tag of an element, `""` for anything else.
pub(super) fn tag(node: &Node) -> &str {
    match &node.data {
        NodeData::Element { name, .. } => &name.local,
        _ => "",
    }
}

pub(super) fn is_text(node: &Node) -> bool {
    matches!(node.data, NodeData::Text { .. })
}

pub(super) fn attributes(node: &Node) -> Option<Ref<'_, Vec<Attribute>>> {
    match &node.data {
        NodeData::Element { attrs, .. } => Some(attrs.borrow()),
        _ => None,
    }
}

pub(super) fn attribute(node: &Node, name: &str) -> Option<String> {
    let attributes = attributes(node)?;
    attributes.iter().find(|attribute| &*attribute.name.local == name).map(|found| found.value.to_string())
}

pub(super) fn has_attribute(node: &Node, name: &str) -> bool {
    attributes(node).is_some_and(|all| all.iter().any(|attribute| &*attribute.name.local == name))
}

/// Calls `visit` for `root` and what is below it, in document order; children only where it says so.
pub(super) fn walk(root: &Rc<Node>, visit: &mut dyn FnMut(&Rc<Node>) -> Descend) {
    let mut stack = vec![root.clone()];
    while let Some(node) = stack.pop() {
        if visit(&node) == Descend::Yes {
            stack.extend(node.children.borrow().iter().rev().cloned());
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Descend {
    Yes,
    No,
}

/// The first element with one of `tags`, in document order.
pub(super) fn find(root: &Rc<Node>, tags: &[&str]) -> Option<Rc<Node>> {
    let mut found = None;
    walk(root, &mut |node| {
        if found.is_none() && tags.contains(&tag(node)) {
            found = Some(node.clone());
        }
        if found.is_some() { Descend::No } else { Descend::Yes }
    });
    found
}

/// All text below `root`, as written.
pub(super) fn text_of(root: &Rc<Node>) -> String {
    let mut text = String::new();
    walk(root, &mut |node| {
        if let NodeData::Text { contents } = &node.data {
            text.push_str(&contents.borrow());
        }
        if matches!(tag(node), "script" | "style" | "template" | "svg") { Descend::No } else { Descend::Yes }
    });
    text
}

/// Text of a line: spaces of all kinds become one.
pub(super) fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A new element over `children`.
pub(super) fn element(name: &str, children: Vec<Rc<Node>>) -> Rc<Node> {
    element_with(name, &[], children)
}

pub(super) fn element_with(name: &str, attributes: &[(&str, &str)], children: Vec<Rc<Node>>) -> Rc<Node> {
    let attrs = attributes
        .iter()
        .map(|(name, value)| Attribute {
            name: QualName::new(None, ns!(), LocalName::from(*name)),
            value: StrTendril::from(*value),
        })
        .collect();
    let node = Node::new(NodeData::Element {
        name: QualName::new(None, ns!(html), LocalName::from(name)),
        attrs: RefCell::new(attrs),
        template_contents: RefCell::new(None),
        mathml_annotation_xml_integration_point: false,
    });
    for child in &children {
        child.parent.set(Some(Rc::downgrade(&node)));
    }
    node.children.replace(children);
    node
}

pub(super) fn text(contents: &str) -> Rc<Node> {
    Node::new(NodeData::Text { contents: RefCell::new(StrTendril::from(contents)) })
}
