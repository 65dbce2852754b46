//! From the rebuilt tree to Markdown that means nothing but itself.

use std::rc::Rc;
use std::sync::LazyLock;

use htmd::element_handler::{HandlerResult, Handlers};
use htmd::options::{BulletListMarker, Options};
use htmd::{Element, HtmlToMarkdown};
use markup5ever_rcdom::Node;

use super::element::{attribute, tag};

/// Stand for `<` and `~` of the page's text until it is known what stands beside them. Private-use characters
/// are taken out of pages, so these come from us alone.
pub(super) const LESS_THAN: char = '\u{e000}';
pub(super) const TILDE: char = '\u{e001}';

static CONVERTER: LazyLock<HtmlToMarkdown> = LazyLock::new(|| {
    let options = Options {
        ul_bullet_spacing: 1,
        ol_number_spacing: 1,
        bullet_list_marker: BulletListMarker::Dash,
        ..Options::default()
    };
    HtmlToMarkdown::builder()
        .options(options)
        .add_handler(vec!["a"], link)
        .add_handler(vec!["img"], image)
        .add_handler(vec!["del"], deleted)
        .add_handler(vec!["table"], table)
        .build()
});

/// The Markdown of a tree made by [`super::rebuild`].
pub(super) fn write(root: &Rc<Node>) -> String {
    settle(&CONVERTER.tree_to_markdown(root))
}

fn link(handlers: &dyn Handlers, element: Element<'_>) -> Option<HandlerResult> {
    let content = handlers.walk_children(element.node).content;
    let label = one_line(&content);
    let Some(href) = attribute(element.node, "href").filter(|_| !label.is_empty()) else {
        return Some(content.into());
    };
    let (before, after) = (
        space_at(content.starts_with(char::is_whitespace)),
        space_at(content.ends_with(char::is_whitespace)),
    );
    Some(format!("{before}[{}]({href}){after}", inert_label(&label)).into())
}

fn image(_: &dyn Handlers, element: Element<'_>) -> Option<HandlerResult> {
    let source = attribute(element.node, "src")?;
    let alt = escape(&attribute(element.node, "alt").unwrap_or_default());
    Some(format!("![{}]({source})", inert_label(&alt)).into())
}

fn deleted(handlers: &dyn Handlers, element: Element<'_>) -> Option<HandlerResult> {
    let content = handlers.walk_children(element.node).content;
    let text = content.trim();
    (!text.is_empty()).then(|| format!("~~{text}~~").into())
}

/// Compact rows: padding to the widest cell would square the size of a table.
fn table(handlers: &dyn Handlers, element: Element<'_>) -> Option<HandlerResult> {
    let mut markdown = String::from("\n\n");
    for (index, row) in element.node.children.borrow().iter().enumerate() {
        let cells = row.children.borrow();
        markdown.push('|');
        for cell in cells.iter() {
            let content = one_line(&handlers.walk_children(cell).content).replace('|', "\\|");
            markdown.push_str(&format!(" {content} |"));
        }
        markdown.push('\n');
        if index == 0 {
            markdown.push_str(&format!("|{}\n", " --- |".repeat(cells.len())));
        }
    }
    markdown.push('\n');
    debug_assert_eq!(tag(element.node), "table");
    Some(markdown.into())
}

fn one_line(content: &str) -> String {
    content.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn space_at(edge: bool) -> &'static str {
    if edge { " " } else { "" }
}

/// A label that begins like a name, a directive or a footnote must not be one.
fn inert_label(label: &str) -> String {
    // An image comes from us: brackets in text are escaped.
    let before = if label.starts_with("![") {
        " "
    } else if label.starts_with(['@', '!', '^']) {
        "\\"
    } else {
        ""
    };
    format!("{before}{label}")
}

/// Text with everything escaped that Markdown would read.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 8);
    if text.starts_with(['#', '-', '+', '=', '>']) {
        escaped.push('\\');
    }
    for c in text.chars() {
        if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '~' | '|') {
            escaped.push('\\');
        }
        escaped.push(if c == '\n' { ' ' } else { c });
    }
    escaped
}

/// Resolves the marks, escapes lines that would be rules or frontmatter, and leaves one blank line between blocks.
fn settle(markdown: &str) -> String {
    let mut settled = String::with_capacity(markdown.len() + 64);
    let mut fence: Option<&str> = None;
    let mut blanks = 0;
    for line in markdown.lines() {
        let content = inner(line);
        if let Some(open) = fence {
            settled.push_str(line);
            settled.push('\n');
            if content.starts_with(open) && content.trim_start_matches('`').trim().is_empty() {
                fence = None;
            }
            continue;
        }
        if line.trim().is_empty() {
            blanks += 1;
            if blanks == 1 && !settled.is_empty() {
                settled.push('\n');
            }
            continue;
        }
        blanks = 0;
        let ticks = content.len() - content.trim_start_matches('`').len();
        if ticks >= 3 && !content[ticks..].contains('`') {
            fence = Some(&content[..ticks]);
        }
        let is_rule = ['-', '='].iter().any(|mark| content.trim_end().trim_start_matches(*mark).is_empty());
        // Two spaces at the end of a line break it; at the end of a quote's blank line they are nothing.
        if content.is_empty() {
            settled.push_str(line.trim_end());
            settled.push('\n');
            continue;
        }
        let at = line.len() - content.len();
        settled.push_str(&line[..at]);
        if is_rule {
            settled.push('\\');
        }
        let text = line[at..].trim_end();
        resolve(text, &mut settled);
        settled.push_str(if line.ends_with("  ") { "  " } else { "" });
        settled.push('\n');
    }
    settled.truncate(settled.trim_end().len());
    settled
}

/// A line without the marks of the quotes and lists it is in.
fn inner(line: &str) -> &str {
    let mut rest = line.trim_start();
    loop {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let after = rest
            .strip_prefix("> ")
            .or_else(|| rest.strip_prefix("- "))
            .or_else(|| (digits > 0).then(|| rest[digits..].strip_prefix(". ")).flatten());
        match after {
            Some(after) => rest = after.trim_start(),
            None => return rest,
        }
    }
}

fn resolve(line: &str, out: &mut String) {
    let mut chars = line.chars().peekable();
    let mut before = ' ';
    while let Some(c) = chars.next() {
        let next = chars.peek().copied().unwrap_or(' ');
        match c {
            LESS_THAN => {
                if next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?' | '$') || !next.is_ascii() {
                    out.push('\\');
                }
                out.push('<');
            }
            TILDE => {
                if next == TILDE || before == TILDE || next == '~' || before == '~' {
                    out.push('\\');
                }
                out.push('~');
            }
            c => out.push(c),
        }
        before = c;
    }
}
