//! Parsing HTML within bounds, whatever it holds.
//!
//! html5ever is quadratic in nesting depth and in attributes per tag, and misnested formatting multiplies nodes.
//! So the tree refuses to grow beyond a size, and the page is fed in pieces: after each one the tree, not the
//! text, is asked how deep, how large and how late it got. What was parsed until then is kept.

use std::borrow::Cow;
use std::cell::{Cell, Ref, RefCell};
use std::collections::HashMap;
use std::sync::LazyLock;
use std::time::Duration;

use html5ever::interface::tree_builder::{ElemName, ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::tree_builder::TreeBuilderOpts;
use html5ever::{Attribute, LocalName, Namespace, ParseOpts, QualName, ns, parse_document};
use rustix::time::{ClockId, clock_gettime};

use super::tree::{Data, Id, TakesHtml, Tree};

/// Browsers stop at 512; real pages stay under 60.
const MAX_DEPTH: usize = 256;
/// An 8 MiB page of ordinary markup has about 200,000 elements.
const MAX_ELEMENTS: usize = 300_000;
/// Large enough that checks cost nothing, small enough that one piece cannot do much harm.
const PIECE: usize = 4 << 10;
/// Of work, so that a page is not cut because others keep the machine busy. Ordinary pages of 8 MiB take a tenth.
const PARSE_FOR: Duration = Duration::from_secs(2);

pub(super) struct Parsed {
    pub(super) tree: Tree,
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
    let mut parser = parse_document(BoundedTree::new(html.len()), options);
    let start = worked();
    let mut stopped = None;
    for piece in pieces(html) {
        parser.process(StrTendril::from(piece));
        let tree = &parser.tokenizer.sink.sink;
        stopped = if tree.is_full() {
            Some(Stop::Elements)
        } else if tree.tree.borrow().depth_of_last_branch() > MAX_DEPTH {
            Some(Stop::Depth)
        } else {
            (worked().saturating_sub(start) > time).then_some(Stop::Time)
        };
        if stopped.is_some() {
            break;
        }
    }
    let BoundedTree { tree, elements, .. } = parser.finish();
    Parsed { tree: tree.into_inner(), elements: elements.get(), stopped }
}

/// How long this thread has worked so far.
fn worked() -> Duration {
    // It fails for clocks that do not exist, and never gives less than nothing.
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}

fn pieces(mut html: &str) -> impl Iterator<Item = &str> {
    std::iter::from_fn(move || {
        if html.is_empty() {
            return None;
        }
        let end = html.floor_char_boundary(PIECE.min(html.len()));
        // A page that is cut between a `<` and its tag would show the `<`.
        let end = end - usize::from(end > 1 && end < html.len() && html[..end].ends_with('<'));
        let (piece, rest) = html.split_at(end);
        html = rest;
        Some(piece)
    })
}

/// The parser's tree, without comments, and with nothing more in it once it is full.
struct BoundedTree {
    tree: RefCell<Tree>,
    elements: Cell<usize>,
    /// What templates hold: no part of the page.
    templates: RefCell<HashMap<Id, Id>>,
}

impl BoundedTree {
    fn new(bytes: usize) -> BoundedTree {
        let templates = RefCell::default();
        BoundedTree { tree: RefCell::new(Tree::new(bytes)), elements: Cell::new(0), templates }
    }

    fn is_full(&self) -> bool {
        self.elements.get() >= MAX_ELEMENTS
    }

    fn insert(&self, parent: Id, child: NodeOrText<Id>, before: Option<Id>) {
        if self.is_full() {
            return;
        }
        let mut tree = self.tree.borrow_mut();
        match child {
            NodeOrText::AppendNode(node) => tree.insert(parent, node, before),
            NodeOrText::AppendText(text) => tree.insert_text(parent, text, before),
        }
    }
}

/// What an element is called, while the tree is looked at.
#[derive(Debug)]
struct Name<'a>(Ref<'a, QualName>);

impl ElemName for Name<'_> {
    fn ns(&self) -> &Namespace {
        &self.0.ns
    }

    fn local_name(&self) -> &LocalName {
        &self.0.local
    }
}

/// The name of what is no element; the parser asks for none.
static NO_NAME: LazyLock<QualName> = LazyLock::new(|| QualName::new(None, ns!(), LocalName::default()));

impl TreeSink for BoundedTree {
    type Handle = Id;
    type Output = Self;
    type ElemName<'a> = Name<'a>;

    fn finish(self) -> Self {
        self
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> Id {
        self.tree.borrow().document().id()
    }

    fn elem_name<'a>(&'a self, target: &'a Id) -> Name<'a> {
        Name(Ref::map(self.tree.borrow(), |tree| match tree.data(*target) {
            Data::Element { name, .. } => name,
            _ => &NO_NAME,
        }))
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, flags: ElementFlags) -> Id {
        self.elements.set(self.elements.get() + 1);
        let takes_html = match flags.mathml_annotation_xml_integration_point {
            true => TakesHtml::Yes,
            false => TakesHtml::No,
        };
        let mut tree = self.tree.borrow_mut();
        let element = tree.add(Data::Element { name, attributes, takes_html });
        if flags.template {
            self.templates.borrow_mut().insert(element, tree.add(Data::Root));
        }
        element
    }

    fn create_comment(&self, _: StrTendril) -> Id {
        self.tree.borrow_mut().add(Data::Comment)
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> Id {
        self.tree.borrow_mut().add(Data::Comment)
    }

    fn append(&self, parent: &Id, child: NodeOrText<Id>) {
        self.insert(*parent, child, None);
    }

    fn append_based_on_parent_node(&self, element: &Id, previous: &Id, child: NodeOrText<Id>) {
        let parent = self.tree.borrow().parent(*element);
        match parent {
            Some(parent) => self.insert(parent, child, Some(*element)),
            None => self.insert(*previous, child, None),
        }
    }

    fn append_before_sibling(&self, sibling: &Id, child: NodeOrText<Id>) {
        let parent = self.tree.borrow().parent(*sibling);
        if let Some(parent) = parent {
            self.insert(parent, child, Some(*sibling));
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn get_template_contents(&self, target: &Id) -> Id {
        self.templates.borrow().get(target).copied().unwrap_or(*target)
    }

    fn same_node(&self, x: &Id, y: &Id) -> bool {
        x == y
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn add_attrs_if_missing(&self, target: &Id, more: Vec<Attribute>) {
        if let Data::Element { attributes, .. } = self.tree.borrow_mut().data_mut(*target) {
            for attribute in more {
                if attributes.iter().all(|known| known.name != attribute.name) {
                    attributes.push(attribute);
                }
            }
        }
    }

    fn remove_from_parent(&self, target: &Id) {
        self.tree.borrow_mut().detach(*target);
    }

    fn reparent_children(&self, node: &Id, new_parent: &Id) {
        self.tree.borrow_mut().move_children(*node, *new_parent);
    }

    fn is_mathml_annotation_xml_integration_point(&self, target: &Id) -> bool {
        matches!(self.tree.borrow().data(*target), Data::Element { takes_html: TakesHtml::Yes, .. })
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
