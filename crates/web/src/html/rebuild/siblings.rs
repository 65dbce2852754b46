//! The children of a node while they are being made.

use std::rc::Rc;

use html5ever::tendril::StrTendril;
use markup5ever_rcdom::{Node, NodeData};

use super::Flow;
use crate::html::element::{element, is_text, tag, text};
use crate::html::invisible::without_invisible;
use crate::html::write::{LESS_THAN, TILDE};

#[derive(Default)]
pub(super) struct Siblings {
    nodes: Vec<Rc<Node>>,
    /// A line break that waits to see whether another follows.
    has_break: bool,
}

impl Siblings {
    pub(super) fn finish(self) -> Vec<Rc<Node>> {
        self.nodes
    }

    /// Text outside code. What could start HTML or a fence gets a mark that [`super::super::write`] resolves.
    pub(super) fn text(&mut self, contents: &str) {
        let clean = without_invisible(contents);
        let is_blank = clean.bytes().all(|byte| byte.is_ascii_whitespace());
        if self.has_break && is_blank {
            return;
        }
        if clean.contains(['<', '~', '\u{a0}', '\u{2007}', '\u{202f}']) {
            let marked: String = clean
                .chars()
                .map(|c| match c {
                    '<' => LESS_THAN,
                    '~' => TILDE,
                    '\u{a0}' | '\u{2007}' | '\u{202f}' => ' ',
                    c => c,
                })
                .collect();
            self.join(&marked);
        } else {
            self.join(&clean);
        }
    }

    /// Neighbouring texts must be one: htmd decides about escapes by looking at a text as a whole.
    fn join(&mut self, contents: &str) {
        if contents.is_empty() {
            return;
        }
        self.settle_break();
        if let Some(NodeData::Text { contents: last }) = self.nodes.last().map(|last| &last.data) {
            last.borrow_mut().push_slice(contents);
        } else {
            self.nodes.push(text(contents));
        }
    }

    pub(super) fn space(&mut self) {
        if self.nodes.last().is_some_and(|last| !ends_with_space(last)) {
            self.join(" ");
        }
    }

    /// One break is a break; two end the paragraph.
    pub(super) fn line_break(&mut self, flow: Flow) {
        match flow {
            Flow::Line => self.space(),
            Flow::Blocks if self.has_break => {
                self.has_break = false;
                self.nodes.push(element("p", Vec::new()));
            }
            Flow::Blocks => self.has_break = !self.nodes.is_empty(),
        }
    }

    fn settle_break(&mut self) {
        if std::mem::take(&mut self.has_break) {
            self.nodes.push(element("br", Vec::new()));
        }
    }

    pub(super) fn push(&mut self, node: Rc<Node>) {
        let is_block = is_block(tag(&node));
        if is_block {
            // A break before a block breaks nothing.
            self.has_break = false;
        }
        self.settle_break();
        if !self.merge(&node) {
            self.nodes.push(node);
        }
    }

    /// `<b>a</b><b>b</b>` is one phrase; htmd would join long rows of them one by one, in quadratic time.
    fn merge(&mut self, node: &Rc<Node>) -> bool {
        let name = tag(node);
        let Some(last) = self
            .nodes
            .last()
            .filter(|last| matches!(name, "strong" | "em" | "code" | "del") && tag(last) == name)
        else {
            return false;
        };
        let (last, node) = (last.children.borrow(), node.children.borrow());
        match (last.as_slice(), node.as_slice()) {
            ([last], [node]) => match (&last.data, &node.data) {
                (NodeData::Text { contents: last }, NodeData::Text { contents: more }) => {
                    let more: StrTendril = more.borrow().clone();
                    last.borrow_mut().push_tendril(&more);
                    true
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// A block element, unless nothing is in it.
    pub(super) fn block(&mut self, name: &str, children: Vec<Rc<Node>>) {
        if !is_blank(&children) {
            self.push(element(name, children));
        }
    }

    /// A box without a meaning of its own. Boxes in boxes become one.
    pub(super) fn section(&mut self, mut children: Vec<Rc<Node>>) {
        if is_blank(&children) {
            self.space();
            return;
        }
        let holds_blocks_only = children
            .iter()
            .all(|child| is_block(tag(child)) || (is_text(child) && is_blank(std::slice::from_ref(child))));
        if holds_blocks_only {
            children.retain(|child| !is_text(child));
            if children.len() == 1 {
                self.nodes.extend(children);
                return;
            }
        }
        self.push(element("div", children));
    }

    pub(super) fn extend(&mut self, nodes: Vec<Rc<Node>>) {
        for node in nodes {
            match &node.data {
                NodeData::Text { contents } => self.join(&contents.borrow()),
                _ => self.push(node),
            }
        }
    }
}

/// Whether `nodes` would show as nothing.
pub(super) fn is_blank(nodes: &[Rc<Node>]) -> bool {
    nodes.iter().all(|node| match &node.data {
        NodeData::Text { contents } => contents.borrow().bytes().all(|byte| byte.is_ascii_whitespace()),
        _ => tag(node) != "img" && tag(node) != "hr" && is_blank(&node.children.borrow()),
    })
}

fn ends_with_space(node: &Node) -> bool {
    matches!(&node.data, NodeData::Text { contents } if contents.borrow().ends_with([' ', '\n', '\t']))
}

fn is_block(name: &str) -> bool {
    matches!(
        name,
        "div"
            | "p"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
            | "ul"
            | "ol"
            | "li"
            | "blockquote"
            | "pre"
            | "table"
            | "hr"
    )
}
