//! Code blocks: one shape, with their language, without line numbers.

use std::rc::Rc;

use markup5ever_rcdom::{Node, NodeData};

use super::siblings::Siblings;
use super::{Flow, Place, Rebuild};
use crate::html::element::{Descend, attributes, element, element_with, find, squeezed, tag, text, walk};
use crate::html::invisible::without_invisible;

/// How far above the code its language may be written.
const LANGUAGE_WITHIN: usize = 4;
/// Classes of line numbers and buttons inside code.
const NOT_CODE: [&str; 10] = [
    "lineno",
    "linenos",
    "linenodiv",
    "line-number",
    "line-numbers",
    "line-numbers-rows",
    "ln",
    "gutter",
    "hljs-ln-numbers",
    "copy-button",
];

impl Rebuild<'_> {
    pub(super) fn code_block(&mut self, node: &Rc<Node>, place: Place, out: &mut Siblings) {
        let code = code_text(node);
        let code = code.trim_end().trim_start_matches('\n');
        if code.trim().is_empty() {
            return;
        }
        if place.flow == Flow::Line {
            out.push(element("code", vec![text(&squeezed(code))]));
            return;
        }
        out.push(block(code, language(node).as_deref()));
    }
}

pub(super) fn block(code: &str, language: Option<&str>) -> Rc<Node> {
    let class = language.map(|language| format!("language-{language}"));
    let attributes: Vec<(&str, &str)> = class.iter().map(|class| ("class", class.as_str())).collect();
    element("pre", vec![element_with("code", &attributes, vec![text(code)])])
}

/// The text of code as written, with line breaks where the page has them.
pub(super) fn code_text(root: &Rc<Node>) -> String {
    let mut code = String::new();
    walk(root, &mut |node| {
        match &node.data {
            NodeData::Text { contents } => code.push_str(&contents.borrow()),
            NodeData::Element { .. } if tag(node) == "br" => code.push('\n'),
            // Lines that are boxes of their own.
            NodeData::Element { .. } if is_line(tag(node)) && !code.is_empty() && !code.ends_with('\n') => {
                code.push('\n');
            }
            _ => {}
        }
        if is_not_code(node) { Descend::No } else { Descend::Yes }
    });
    without_invisible(&code.replace('\u{a0}', " ")).into_owned()
}

fn is_line(name: &str) -> bool {
    matches!(name, "div" | "p" | "li" | "tr")
}

fn is_not_code(node: &Node) -> bool {
    matches!(tag(node), "button" | "script" | "style" | "svg")
        || class_of(node, |class| NOT_CODE.contains(&class).then_some(())).is_some()
}

/// The language that a class at or just above the code names.
pub(super) fn language(node: &Rc<Node>) -> Option<String> {
    let inside = find(node, &["code"]);
    let mut current = Some(node.clone());
    let mut places: Vec<Rc<Node>> = inside.into_iter().collect();
    while let Some(here) = current.take().filter(|_| places.len() <= LANGUAGE_WITHIN) {
        current = here.parent.take().and_then(|weak| {
            let parent = weak.upgrade();
            here.parent.set(Some(weak));
            parent
        });
        places.push(here);
    }
    places.iter().find_map(|place| named_language(place))
}

fn named_language(node: &Node) -> Option<String> {
    const PREFIXES: [&str; 6] =
        ["language-", "lang-", "highlight-source-", "highlight-", "brush:", "sourceCode-"];
    const ATTRIBUTES: [&str; 4] = ["data-lang", "data-language", "data-code-language", "lang-name"];
    let by_class = class_of(node, |class| {
        PREFIXES.iter().find_map(|prefix| class.strip_prefix(prefix)).and_then(usable)
    });
    by_class.or_else(|| {
        let attributes = attributes(node)?;
        attributes.iter().find(|a| ATTRIBUTES.contains(&&*a.name.local)).and_then(|a| usable(&a.value))
    })
}

/// A name that can stand behind a fence and mean nothing else there: no dots, so never an action.
fn usable(name: &str) -> Option<String> {
    const NOT_A_LANGUAGE: [&str; 8] =
        ["default", "text", "none", "plaintext", "plain", "txt", "nohighlight", "wrapper"];
    let name: String = name
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '#' | '-' | '_'))
        .take(24)
        .collect::<String>()
        .to_ascii_lowercase();
    (!name.is_empty() && !NOT_A_LANGUAGE.contains(&name.as_str())).then_some(name)
}

fn class_of<T>(node: &Node, take: impl Fn(&str) -> Option<T>) -> Option<T> {
    let attributes = attributes(node)?;
    let classes = attributes.iter().find(|attribute| &*attribute.name.local == "class")?;
    classes.value.split_ascii_whitespace().find_map(take)
}
