//! A page as pieces of what Markdown can say: hidden parts and surroundings gone, links absolute, code and
//! tables in one shape each.

mod code;
mod inline;
mod link;
mod list;
mod siblings;
mod table;

use url::Url;

use super::boilerplate::{Comments, is_boilerplate, is_comments};
use super::hidden::{Sheet, is_for_screen_readers};
use super::piece::{Mark, Piece};
use super::tree::{Descend, Node};
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
    /// What readers' comments are here.
    comments: Comments,
    /// A link around blocks, waiting for the heading that can carry it.
    waiting_link: Option<String>,
    /// The ids of what began since the last text: a heading that follows is what they name.
    waiting_ids: Vec<String>,
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
        let comments = Comments::Content;
        Rebuild {
            base,
            sheet,
            weights,
            leave,
            whole: 0,
            comments,
            waiting_link: None,
            waiting_ids: Vec::new(),
        }
    }

    /// The content of `root`.
    pub(super) fn rebuild(&mut self, root: Node<'_>) -> Vec<Piece> {
        self.whole = self.weights.get(root).plain();
        self.comments = self.comments_of(root);
        self.children(root, Place { depth: 0, indents: 0, flow: Flow::Blocks })
    }

    /// Comments are left out where most of the text is something else.
    fn comments_of(&self, root: Node<'_>) -> Comments {
        if self.leave == Leave::Hidden {
            return Comments::Content;
        }
        let mut comments = 0;
        root.walk(|node| {
            if is_comments(node) {
                comments += self.weights.get(node).plain();
                return Descend::No;
            }
            Descend::Yes
        });
        if comments * 2 < self.whole { Comments::Surroundings } else { Comments::Content }
    }

    fn children(&mut self, node: Node<'_>, place: Place) -> Vec<Piece> {
        let mut out = Siblings::default();
        self.convert_children(node, place, &mut out);
        out.finish()
    }

    fn convert_children(&mut self, node: Node<'_>, place: Place, out: &mut Siblings) {
        let place = Place { depth: place.depth + 1, ..place };
        if place.depth > MAX_DEPTH {
            out.text(&self.visible_text(node));
            return;
        }
        for child in node.children() {
            self.convert(child, place, out);
        }
    }

    fn convert(&mut self, node: Node<'_>, place: Place, out: &mut Siblings) {
        if let Some(text) = node.text() {
            if !self.waiting_ids.is_empty() && !text.trim().is_empty() {
                self.waiting_ids.clear();
            }
            out.text(text);
            return;
        }
        if self.is_left_out(node) {
            if is_for_screen_readers(node) {
                out.space();
            }
            return;
        }
        self.waiting_ids.extend(ids(node));
        let is_line = place.flow == Flow::Line;
        match node.tag() {
            "" => {}
            "br" => out.line_break(place.flow),
            "hr" if !is_line => out.push(Piece::Rule),
            "h1" if !is_line => self.heading(1, node, place, out),
            "h2" if !is_line => self.heading(2, node, place, out),
            "h3" if !is_line => self.heading(3, node, place, out),
            "h4" if !is_line => self.heading(4, node, place, out),
            "h5" if !is_line => self.heading(5, node, place, out),
            "h6" if !is_line => self.heading(6, node, place, out),
            "p" if !is_line => out.block(self.children(node, place), Piece::Paragraph),
            "ul" | "ol" | "menu" | "dir" if is_line => self.list_in_line(node, place, out),
            "ul" | "ol" | "menu" | "dir" => self.list(node, place, out),
            "blockquote" if !is_line && place.indents < MAX_INDENTS => {
                let inside = Place { indents: place.indents + 1, ..place };
                out.block(self.children(node, inside), Piece::Quote);
            }
            "table" => self.table(node, place, out),
            "pre" | "listing" | "xmp" => self.code_block(node, place, out),
            "dt" | "summary" if !is_line => {
                let strong = Piece::Marked(Mark::Strong, self.children(node, place.line()));
                out.block(vec![strong], Piece::Paragraph);
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

    fn heading(&mut self, level: u8, node: Node<'_>, place: Place, out: &mut Siblings) {
        let waiting = self.waiting_link.take();
        let mut names = std::mem::take(&mut self.waiting_ids);
        node.walk(|part| {
            names.extend(ids(part));
            Descend::Yes
        });
        let mut line = self.children(node, place.line());
        if let Some(href) = waiting.filter(|_| !line.is_empty()) {
            line = vec![Piece::Link { href, label: line }];
        }
        self.waiting_ids.clear();
        out.block(line, |line| Piece::Heading { level, line, ids: names });
    }

    fn is_left_out(&self, node: Node<'_>) -> bool {
        let name = node.tag();
        is_never_shown(name)
            || inline::is_control(node)
            || (name != "body" && self.sheet.hides(node) && !self.is_all_there_is(node))
            || is_permalink(node)
            || (self.leave == Leave::Surroundings
                && is_boilerplate(node, self.weights, self.whole, self.comments))
    }

    /// Some pages hide everything until a script has run.
    fn is_all_there_is(&self, node: Node<'_>) -> bool {
        self.whole > 0 && self.weights.get(node).plain() * 10 >= self.whole * 9
    }

    fn visible_text(&self, root: Node<'_>) -> String {
        let mut text = String::new();
        root.walk(|node| {
            if let Some(contents) = node.text() {
                text.push_str(contents);
                text.push(' ');
                return Descend::Yes;
            }
            if self.is_left_out(node) { Descend::No } else { Descend::Yes }
        });
        text
    }
}

/// What an address may call an element.
fn ids(node: Node<'_>) -> impl Iterator<Item = String> {
    let is_id = move |name: &str| name == "id" || name == "name" && node.tag() == "a";
    node.attributes().filter(move |(name, id)| is_id(name) && !id.is_empty()).map(|(_, id)| id.to_owned())
}
