//! Parsing HTML within bounds, whatever it holds.
//!
//! html5ever is quadratic in nesting depth and in attributes per tag, and misnested formatting multiplies nodes.
//! So the tree refuses to grow beyond a size, and the page is fed in pieces: after each one the tree, not the
//! text, is asked how deep, how large and how late it got. What was parsed until then is kept.

use std::borrow::Cow;
use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use html5ever::interface::tree_builder::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::tree_builder::TreeBuilderOpts;
use html5ever::{Attribute, ExpandedName, ParseOpts, QualName, parse_document};
use markup5ever_rcdom::{Node, RcDom};

/// Browsers stop at 512; real pages stay under 60.
const MAX_DEPTH: usize = 256;
/// An 8 MiB page of ordinary markup has about 200,000 elements.
const MAX_ELEMENTS: usize = 300_000;
/// Large enough that checks cost nothing, small enough that one piece cannot do much harm.
const PIECE: usize = 4 << 10;
/// Ordinary pages of 8 MiB take a tenth of this.
const PARSE_FOR: Duration = Duration::from_secs(2);

pub(super) struct Parsed {
    pub(super) document: Rc<Node>,
    pub(super) elements: usize,
    pub(super) stopped: Option<Stop>,
}

/// Why the rest of a page was not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    Depth,
    Elements,
    Time,
}

impl Stop {
    pub(super) fn note(self) -> &'static str {
        match self {
            Stop::Depth => "cut: from some point on the page is nested too deeply",
            Stop::Elements => "cut: the page has too many elements",
            Stop::Time => "cut: the page takes too long to read",
        }
    }
}

pub(super) fn parse(html: &str) -> Parsed {
    parse_within(html, PARSE_FOR)
}

fn parse_within(html: &str, time: Duration) -> Parsed {
    let tree_builder = TreeBuilderOpts { scripting_enabled: false, ..TreeBuilderOpts::default() };
    let options = ParseOpts { tree_builder, ..ParseOpts::default() };
    let mut parser = parse_document(BoundedTree::default(), options);
    let start = Instant::now();
    let mut stopped = None;
    for piece in pieces(html) {
        parser.process(StrTendril::from(piece));
        let tree = &parser.tokenizer.sink.sink;
        stopped = if tree.is_full() {
            Some(Stop::Elements)
        } else if depth_of_last_branch(&tree.dom.document) > MAX_DEPTH {
            Some(Stop::Depth)
        } else {
            (start.elapsed() > time).then_some(Stop::Time)
        };
        if stopped.is_some() {
            break;
        }
    }
    let tree = parser.finish();
    Parsed { document: tree.dom.document.clone(), elements: tree.elements.get(), stopped }
}

fn pieces(mut html: &str) -> impl Iterator<Item = &str> {
    std::iter::from_fn(move || {
        if html.is_empty() {
            return None;
        }
        let (piece, rest) = html.split_at(html.floor_char_boundary(PIECE.min(html.len())));
        html = rest;
        Some(piece)
    })
}

/// The open elements are on the branch of last children, so this is at least how deep the parser stands.
fn depth_of_last_branch(document: &Rc<Node>) -> usize {
    let mut node = document.clone();
    let mut depth = 0;
    loop {
        let last = node.children.borrow().last().cloned();
        match last {
            Some(last) => node = last,
            None => return depth,
        }
        depth += 1;
    }
}

/// The parser's tree, without comments, and with nothing more in it once it is full.
#[derive(Default)]
struct BoundedTree {
    dom: RcDom,
    elements: Cell<usize>,
}

impl BoundedTree {
    fn is_full(&self) -> bool {
        self.elements.get() >= MAX_ELEMENTS
    }
}

type Handle = Rc<Node>;

impl TreeSink for BoundedTree {
    type Handle = Handle;
    type Output = Self;
    type ElemName<'a> = ExpandedName<'a>;

    fn finish(self) -> Self {
        self
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> Handle {
        self.dom.get_document()
    }

    fn elem_name<'a>(&'a self, target: &'a Handle) -> ExpandedName<'a> {
        self.dom.elem_name(target)
    }

    fn create_element(&self, name: QualName, attrs: Vec<Attribute>, flags: ElementFlags) -> Handle {
        self.elements.set(self.elements.get() + 1);
        self.dom.create_element(name, attrs, flags)
    }

    fn create_comment(&self, _: StrTendril) -> Handle {
        self.dom.create_comment(StrTendril::new())
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> Handle {
        self.dom.create_comment(StrTendril::new())
    }

    fn append(&self, parent: &Handle, child: NodeOrText<Handle>) {
        if !self.is_full() {
            self.dom.append(parent, child);
        }
    }

    fn append_based_on_parent_node(&self, element: &Handle, previous: &Handle, child: NodeOrText<Handle>) {
        if !self.is_full() {
            self.dom.append_based_on_parent_node(element, previous, child);
        }
    }

    fn append_before_sibling(&self, sibling: &Handle, child: NodeOrText<Handle>) {
        if !self.is_full() {
            self.dom.append_before_sibling(sibling, child);
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn get_template_contents(&self, target: &Handle) -> Handle {
        self.dom.get_template_contents(target)
    }

    fn same_node(&self, x: &Handle, y: &Handle) -> bool {
        Rc::ptr_eq(x, y)
    }

    fn set_quirks_mode(&self, mode: QuirksMode) {
        self.dom.set_quirks_mode(mode);
    }

    fn add_attrs_if_missing(&self, target: &Handle, attrs: Vec<Attribute>) {
        self.dom.add_attrs_if_missing(target, attrs);
    }

    fn remove_from_parent(&self, target: &Handle) {
        self.dom.remove_from_parent(target);
    }

    fn reparent_children(&self, node: &Handle, new_parent: &Handle) {
        self.dom.reparent_children(node, new_parent);
    }

    fn is_mathml_annotation_xml_integration_point(&self, target: &Handle) -> bool {
        self.dom.is_mathml_annotation_xml_integration_point(target)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(600);

    #[test]
    fn hostile_pages_stop_the_parser_and_ordinary_ones_do_not() {
        let nested = |tag: &str| format!("<{tag}>").repeat(100_000);
        // Each <p> repeats all the formatting that the first one left open.
        let formatting: String = (0..200).map(|id| format!("<b id={id}>")).collect();
        let cases = [
            (nested("div"), Some(Stop::Depth)),
            (nested("b"), Some(Stop::Depth)),
            (nested("svg"), Some(Stop::Depth)),
            (nested("table><tr><td"), Some(Stop::Depth)),
            (nested("ul><li"), Some(Stop::Depth)),
            ("<span><div></span></x>".repeat(20_000), Some(Stop::Depth)),
            (format!("<p>{formatting}</p>{}", "<p>x".repeat(20_000)), Some(Stop::Elements)),
            ("<br>".repeat(MAX_ELEMENTS + 1), Some(Stop::Elements)),
            ("<p>unclosed <li>everything <td>here <i>too</i> ".repeat(500), None),
            ("</div>".repeat(100_000), None),
            ("<!--".repeat(100_000), None),
            ("<".repeat(100_000), None),
            (format!("<p title='{}'>long", "x".repeat(100_000)), None),
        ];
        for (html, expected) in cases {
            let parsed = parse_within(&html, LONG);
            assert_eq!(parsed.stopped, expected, "{html:.40}");
            assert!(parsed.elements < 2 * MAX_ELEMENTS, "{html:.40}: {}", parsed.elements);
        }
    }

    #[test]
    fn a_page_that_takes_too_long_is_cut() {
        let attributes: String = (0..20_000).map(|n| format!(" a{n}=1")).collect();
        let parsed = parse_within(&format!("<p>before</p><p{attributes}>after"), Duration::ZERO);
        assert_eq!(parsed.stopped, Some(Stop::Time));
    }

    #[test]
    fn pieces_never_split_a_character() {
        let text = "é漢😀".repeat(20_000);
        assert_eq!(pieces(&text).collect::<String>(), text);
    }
}
