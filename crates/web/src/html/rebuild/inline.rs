//! Phrases within a line: emphasis, short code, and the marks around them.

use std::rc::Rc;

use markup5ever_rcdom::Node;

use super::siblings::{Siblings, is_blank};
use super::{Place, Rebuild};
use crate::html::element::{
    attribute, attributes, element, find, has_attribute, squeezed, tag, text, text_of,
};

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
pub(super) fn is_control(node: &Node) -> bool {
    match tag(node) {
        "button" | "select" | "textarea" | "option" | "optgroup" | "progress" | "meter" => true,
        "input" => {
            !matches!(attribute(node, "type").as_deref(), Some("checkbox"))
                || !has_attribute(node, "disabled")
        }
        _ => false,
    }
}

/// The `#` or `¶` beside a heading.
pub(super) fn is_permalink(node: &Rc<Node>) -> bool {
    if tag(node) != "a" {
        return false;
    }
    let Some(attributes) = attributes(node) else { return false };
    let value = |name: &str| attributes.iter().find(|a| &*a.name.local == name).map_or("", |a| &*a.value);
    if !value("href").contains('#') {
        return false;
    }
    let label = squeezed(&text_of(node));
    let is_mark = matches!(
        label.as_str(),
        "#" | "¶" | "§" | "🔗" | "link" | "Link" | "Permalink" | "Anchor" | "\u{200b}"
    );
    let is_bare = label.is_empty() && find(node, &["img"]).is_none();
    let class = value("class");
    let is_named =
        ["headerlink", "permalink", "hash-link", "header-anchor", "heading-anchor", "anchorjs-link"]
            .iter()
            .any(|name| class.split_ascii_whitespace().any(|class| class == *name));
    (is_mark && label.chars().count() <= 2) || is_bare || (is_named && label.chars().count() <= 10)
}

impl Rebuild<'_> {
    pub(super) fn phrase(&mut self, node: &Rc<Node>, name: &str, place: Place, out: &mut Siblings) {
        match name {
            "b" | "strong" => self.mark("strong", node, place, out),
            "i" | "em" | "var" => self.mark("em", node, place, out),
            "del" | "s" | "strike" => self.mark("del", node, place, out),
            "code" | "kbd" | "samp" | "tt" => self.short_code(node, place, out),
            "q" => self.around("“", node, "”", place, out),
            "rt" => self.around("(", node, ")", place, out),
            "sup" => {
                let is_power = find(node, &["a"]).is_none()
                    && self
                        .line_of(node)
                        .chars()
                        .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '+'));
                self.around(if is_power { "^" } else { "" }, node, "", place, out);
            }
            "math" => {
                let source =
                    find(node, &["annotation"]).map_or_else(|| self.line_of(node), |tex| self.line_of(&tex));
                out.short_code(&source);
            }
            // `is_control` leaves only the boxes of task lists.
            _ => out.text(if has_attribute(node, "checked") { "☑ " } else { "☐ " }),
        }
    }

    /// Emphasis around a line; around blocks it would not be Markdown.
    fn mark(&mut self, name: &str, node: &Rc<Node>, place: Place, out: &mut Siblings) {
        const BLOCKS: [&str; 12] =
            ["p", "div", "ul", "ol", "table", "pre", "h1", "h2", "h3", "h4", "blockquote", "section"];
        if find(node, &BLOCKS).is_some() {
            self.convert_children(node, place, out);
            return;
        }
        let children = self.children(node, place.line());
        match is_blank(&children) {
            true if children.is_empty() => {}
            true => out.space(),
            false => out.push(element(name, children)),
        }
    }

    fn around(&mut self, before: &str, node: &Rc<Node>, after: &str, place: Place, out: &mut Siblings) {
        let children = self.children(node, place.line());
        if !is_blank(&children) {
            out.text(before);
            out.extend(children);
            out.text(after);
        }
    }

    /// A link within code becomes code within a link.
    fn short_code(&mut self, node: &Rc<Node>, place: Place, out: &mut Siblings) {
        let code = self.line_of(node);
        match find(node, &["a"]).filter(|link| self.line_of(link) == code) {
            Some(link) if tag(node) == "code" => {
                let inside = element("code", vec![text(&code)]);
                self.link_over(&link, vec![inside], place, out);
            }
            _ => out.short_code(&code),
        }
    }
}

impl Siblings {
    fn short_code(&mut self, code: &str) {
        let code = crate::html::invisible::without_invisible(code);
        if !code.trim().is_empty() {
            self.push(element("code", vec![text(code.trim())]));
        }
    }
}
