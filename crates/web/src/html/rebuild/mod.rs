//! A new, small tree with only what Markdown can say: hidden parts and surroundings gone, links absolute, code and
//! tables in one shape each.

mod code;
mod inline;
mod link;
mod list;
mod siblings;
mod table;

use std::rc::Rc;

use markup5ever_rcdom::{Node, NodeData};
use url::Url;

use super::boilerplate::{is_boilerplate, is_comments};
use super::element::{Descend, element, squeezed, tag, text_of, walk};
use super::hidden::Sheet;
use super::weigh::{Weights, is_never_shown};
use inline::is_permalink;
use siblings::Siblings;

/// Deeper than real pages go; below it only text is kept, so that nothing recursive overflows.
const MAX_DEPTH: usize = 100;
/// Lists and quotes in each other: every level adds to each line.
const MAX_INDENTS: usize = 8;

/// What is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leave {
    /// Only what a reader would not see.
    Hidden,
    /// Navigation and other surroundings too.
    Surroundings,
}

pub(super) struct Rebuild<'a> {
    pub(super) base: &'a Url,
    pub(super) sheet: &'a Sheet,
    pub(super) weights: &'a Weights,
    pub(super) leave: Leave,
    /// Plain text of the root, the measure for what is large.
    whole: usize,
    /// Whether comments are surroundings here, not the content itself.
    leaves_comments: bool,
    /// A link around blocks, waiting for the heading that can carry it.
    waiting_link: Option<String>,
}

/// Where a node is put.
#[derive(Clone, Copy)]
struct Place {
    depth: usize,
    indents: usize,
    flow: Flow,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Flow {
    Blocks,
    /// One line: in headings, links and cells.
    Line,
}

impl Place {
    fn line(self) -> Place {
        Place { flow: Flow::Line, ..self }
    }
}

impl<'a> Rebuild<'a> {
    pub(super) fn new(base: &'a Url, sheet: &'a Sheet, weights: &'a Weights, leave: Leave) -> Rebuild<'a> {
        Rebuild { base, sheet, weights, leave, whole: 0, leaves_comments: false, waiting_link: None }
    }

    /// The content of `root`, as children of a new `body`.
    pub(super) fn rebuild(&mut self, root: &Rc<Node>) -> Rc<Node> {
        self.whole = self.weights.get(root).plain();
        self.leaves_comments = self.leave == Leave::Surroundings && self.comments_are_surroundings(root);
        let place = Place { depth: 0, indents: 0, flow: Flow::Blocks };
        element("body", self.children(root, place))
    }

    /// Comments are left out where most of the text is something else.
    fn comments_are_surroundings(&self, root: &Rc<Node>) -> bool {
        let mut comments = 0;
        walk(root, &mut |node| {
            if is_comments(node) {
                comments += self.weights.get(node).plain();
                return Descend::No;
            }
            Descend::Yes
        });
        comments * 2 < self.whole
    }

    fn children(&mut self, node: &Rc<Node>, place: Place) -> Vec<Rc<Node>> {
        let mut out = Siblings::default();
        self.convert_children(node, place, &mut out);
        out.finish()
    }

    fn convert_children(&mut self, node: &Rc<Node>, place: Place, out: &mut Siblings) {
        let place = Place { depth: place.depth + 1, ..place };
        if place.depth > MAX_DEPTH {
            out.text(&self.visible_text(node));
            return;
        }
        for child in node.children.borrow().iter() {
            self.convert(child, place, out);
        }
    }

    fn convert(&mut self, node: &Rc<Node>, place: Place, out: &mut Siblings) {
        if let NodeData::Text { contents } = &node.data {
            out.text(&contents.borrow());
            return;
        }
        if self.is_left_out(node) {
            return;
        }
        let is_line = place.flow == Flow::Line;
        match tag(node) {
            "" => {}
            "br" => out.line_break(place.flow),
            "hr" if !is_line => out.push(element("hr", Vec::new())),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" if !is_line => self.heading(node, place, out),
            "p" if !is_line => out.block("p", self.children(node, place)),
            "ul" | "ol" | "menu" | "dir" if is_line => self.list_in_line(node, place, out),
            "ul" | "ol" | "menu" | "dir" => self.list(node, place, out),
            "blockquote" if !is_line && place.indents < MAX_INDENTS => {
                let inside = Place { indents: place.indents + 1, ..place };
                out.block("blockquote", self.children(node, inside));
            }
            "table" => self.table(node, place, out),
            "pre" | "listing" | "xmp" => self.code_block(node, place, out),
            "dt" | "summary" if !is_line => {
                let strong = element("strong", self.children(node, place.line()));
                out.block("p", vec![strong]);
            }
            "a" => self.link(node, place, out),
            "img" => self.image(node, out),
            "iframe" | "video" | "audio" | "embed" => self.media(node, place, out),
            name if inline::is_phrase(name) => self.phrase(node, name, place, out),
            name if inline::is_transparent(name) => self.convert_children(node, place, out),
            _ if is_line => {
                out.space();
                self.convert_children(node, place, out);
                out.space();
            }
            _ => out.section(self.children(node, place)),
        }
    }

    fn heading(&mut self, node: &Rc<Node>, place: Place, out: &mut Siblings) {
        let waiting = self.waiting_link.take();
        let mut line = self.children(node, place.line());
        if let Some(href) = waiting.filter(|_| !line.is_empty()) {
            line = vec![link::anchor(&href, line)];
        }
        out.block(tag(node), line);
    }

    fn is_left_out(&self, node: &Rc<Node>) -> bool {
        let name = tag(node);
        is_never_shown(name)
            || inline::is_control(node)
            || (name != "body" && self.sheet.hides(node) && !self.is_all_there_is(node))
            || is_permalink(node)
            || (self.leave == Leave::Surroundings
                && (is_boilerplate(node, self.weights, self.whole)
                    || (self.leaves_comments && is_comments(node))))
    }

    /// Some pages hide everything until a script has run.
    fn is_all_there_is(&self, node: &Rc<Node>) -> bool {
        self.whole > 0 && self.weights.get(node).plain() * 10 >= self.whole * 9
    }

    fn visible_text(&self, root: &Rc<Node>) -> String {
        let mut text = String::new();
        walk(root, &mut |node| {
            if let NodeData::Text { contents } = &node.data {
                text.push_str(&contents.borrow());
                text.push(' ');
            }
            if self.is_left_out(node) { Descend::No } else { Descend::Yes }
        });
        text
    }

    /// The text of a node as one line.
    fn line_of(&self, node: &Rc<Node>) -> String {
        squeezed(&text_of(node))
    }
}
