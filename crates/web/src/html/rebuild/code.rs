//! Code blocks: one shape, with their language, without line numbers.

use super::siblings::Siblings;
use super::{Flow, Place, Rebuild};
use crate::html::invisible::without_invisible;
use crate::html::piece::Piece;
use crate::html::tree::{Descend, Node, squeezed};

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
    pub(super) fn code_block(&mut self, node: Node<'_>, place: Place, out: &mut Siblings) {
        let code = code_text(node);
        let code = code.trim_end().trim_start_matches('\n');
        if code.trim().is_empty() {
            return;
        }
        if place.flow == Flow::Line {
            out.push(Piece::Code(squeezed(code)));
            return;
        }
        out.push(Piece::Listing { language: language(node), code: code.to_owned() });
    }
}

/// The text of code as written, with line breaks where the page has them.
pub(super) fn code_text(root: Node<'_>) -> String {
    let mut code = String::new();
    root.walk(|node| {
        match (node.text(), node.tag()) {
            (Some(text), _) => code.push_str(text),
            (None, "br") => code.push('\n'),
            // Lines that are boxes of their own.
            (None, tag) if is_line(tag) && !code.is_empty() && !code.ends_with('\n') => code.push('\n'),
            _ => {}
        }
        if is_not_code(node) { Descend::No } else { Descend::Yes }
    });
    if code.contains('\u{a0}') {
        code = code.replace('\u{a0}', " ");
    }
    without_invisible(&code).into_owned()
}

fn is_line(name: &str) -> bool {
    matches!(name, "div" | "p" | "li" | "tr")
}

fn is_not_code(node: Node<'_>) -> bool {
    matches!(node.tag(), "button" | "script" | "style" | "svg")
        || node.classes().any(|class| NOT_CODE.contains(&class))
}

/// The language that a class at or just above the code names.
pub(super) fn language(node: Node<'_>) -> Option<String> {
    let above = std::iter::successors(Some(node), |node| node.parent()).take(LANGUAGE_WITHIN);
    node.find(&["code"]).into_iter().chain(above).find_map(named_language)
}

fn named_language(node: Node<'_>) -> Option<String> {
    const PREFIXES: [&str; 6] =
        ["language-", "lang-", "highlight-source-", "highlight-", "brush:", "sourceCode-"];
    const ATTRIBUTES: [&str; 4] = ["data-lang", "data-language", "data-code-language", "lang-name"];
    let by_class = node
        .classes()
        .find_map(|class| PREFIXES.iter().find_map(|prefix| class.strip_prefix(prefix)).and_then(usable));
    by_class.or_else(|| {
        node.attributes().find(|(name, _)| ATTRIBUTES.contains(name)).and_then(|(_, value)| usable(value))
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
