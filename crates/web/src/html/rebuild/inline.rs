//! Phrases within a line: emphasis, short code, and the marks around them.

use super::siblings::Siblings;
use super::{Place, Rebuild};
use crate::html::invisible::without_invisible;
use crate::html::piece::{Mark, Piece, is_blank};
use crate::html::tree::Node;

/// Elements that Markdown can say, or that need a mark of ours.
pub(super) fn is_phrase(name: &str) -> bool {
    matches!(
        name,
        "b" | "strong"
            | "i"
            | "em"
            | "code"
            | "kbd"
            | "samp"
            | "tt"
            | "var"
            | "del"
            | "s"
            | "strike"
            | "q"
            | "sup"
            | "rt"
            | "math"
            | "input"
    )
}

/// Elements that mean nothing by themselves.
pub(super) fn is_transparent(name: &str) -> bool {
    matches!(
        name,
        "span"
            | "font"
            | "abbr"
            | "acronym"
            | "small"
            | "big"
            | "u"
            | "mark"
            | "cite"
            | "time"
            | "data"
            | "label"
            | "ins"
            | "bdi"
            | "bdo"
            | "wbr"
            | "nobr"
            | "sub"
            | "dfn"
            | "ruby"
            | "rb"
            | "picture"
            | "output"
            | "slot"
    )
}

/// Things to operate, not to read. Boxes of a task list are kept.
pub(super) fn is_control(node: Node<'_>) -> bool {
    match node.tag() {
        "button" | "select" | "textarea" | "option" | "optgroup" | "progress" | "meter" => true,
        "label" => node.find(&["select", "textarea"]).is_some(),
        "input" => node.attribute("type") != Some("checkbox") || node.attribute("disabled").is_none(),
        _ => false,
    }
}

/// The `#` or `¶` beside a heading, and the arrow from a note back to its text.
pub(super) fn is_permalink(node: Node<'_>) -> bool {
    if node.tag() != "a" || !node.attribute("href").is_some_and(|href| href.contains('#')) {
        return false;
    }
    let label = node.line();
    let is_mark = matches!(
        label.as_str(),
        "#" | "¶"
            | "§"
            | "🔗"
            | "^"
            | "↑"
            | "↩"
            | "↩\u{fe0e}"
            | "link"
            | "Link"
            | "Permalink"
            | "Anchor"
            | "\u{200b}"
    );
    let is_bare = label.is_empty() && node.find(&["img"]).is_none();
    let is_named = node.classes().any(|class| {
        matches!(
            class,
            "headerlink" | "permalink" | "hash-link" | "header-anchor" | "heading-anchor" | "anchorjs-link"
        )
    });
    (is_mark && label.chars().count() <= 2) || is_bare || (is_named && label.chars().count() <= 10)
}

impl Rebuild<'_> {
    pub(super) fn phrase(&mut self, node: Node<'_>, name: &str, place: Place, out: &mut Siblings) {
        match name {
            "b" | "strong" => self.mark(Mark::Strong, node, place, out),
            "i" | "em" | "var" => self.mark(Mark::Emphasis, node, place, out),
            "del" | "s" | "strike" => self.mark(Mark::Deleted, node, place, out),
            "code" | "kbd" | "samp" | "tt" => self.short_code(node, out),
            "q" => self.around("“", node, "”", place, out),
            "rt" => self.around("(", node, ")", place, out),
            "sup" => {
                let is_power = node.find(&["a"]).is_none()
                    && node.line().chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '+'));
                self.around(if is_power { "^" } else { "" }, node, "", place, out);
            }
            "math" => {
                let source = node.find(&["annotation"]).unwrap_or(node);
                out.short_code(&without_invisible(&source.line()));
            }
            // `is_control` leaves only the boxes of task lists.
            _ => out.text(if node.attribute("checked").is_some() { "☑ " } else { "☐ " }),
        }
    }

    /// Emphasis around a line; around blocks it would not be Markdown.
    fn mark(&mut self, mark: Mark, node: Node<'_>, place: Place, out: &mut Siblings) {
        const BLOCKS: [&str; 12] =
            ["p", "div", "ul", "ol", "table", "pre", "h1", "h2", "h3", "h4", "blockquote", "section"];
        if node.find(&BLOCKS).is_some() {
            self.convert_children(node, place, out);
            return;
        }
        let inside = self.children(node, place.line());
        match is_blank(&inside) {
            true if inside.is_empty() => {}
            true => out.space(),
            false => out.push(Piece::Marked(mark, inside)),
        }
    }

    fn around(&mut self, before: &str, node: Node<'_>, after: &str, place: Place, out: &mut Siblings) {
        let children = self.children(node, place.line());
        if !is_blank(&children) {
            out.text(before);
            out.extend(children);
            out.text(after);
        }
    }

    /// A link within code becomes code within a link.
    fn short_code(&mut self, node: Node<'_>, out: &mut Siblings) {
        let code = without_invisible(&node.line()).into_owned();
        match node.find(&["a"]).filter(|link| link.line() == code) {
            Some(link) if node.tag() == "code" => self.link_over(link, vec![Piece::Code(code)], out),
            _ => out.short_code(&code),
        }
    }
}

impl Siblings {
    fn short_code(&mut self, code: &str) {
        if !code.trim().is_empty() {
            self.push(Piece::Code(code.trim().to_owned()));
        }
    }
}
