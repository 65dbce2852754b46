//! Directives: `[!nav:name](path)`, `[!include:id](path)`, `[!requirements](path)`, each on its own line.

use std::collections::HashSet;

use crate::id::Id;
use crate::warning::Warnings;

/// The name of the page's own shortcuts (`@page.id`), which no menu may take.
const PAGE_MENU: &str = "page";

/// A line that asks for another file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directive {
    pub line: usize,
    pub kind: DirectiveKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DirectiveKind {
    /// `[!nav:name](path)` or `[!menu:name](path)`.
    Nav {
        name: Id,
        path: String,
    },
    Include(Include),
    /// `[!requirements](path)`.
    Requirements {
        path: String,
    },
}

/// `[!include:id](path#block)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Include {
    pub id: Id,
    /// Empty for `[!include:id]()`: see [`Include::path_beside`].
    pub path: String,
    pub block: Option<String>,
}

impl Include {
    /// The path to load, relative to the directory of the document whose file name without extension is
    /// `stem`.
    pub fn path_beside(&self, stem: &str) -> String {
        if self.path.is_empty() { format!("{stem}.source/{}.md", self.id) } else { self.path.clone() }
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    Known(DirectiveKind),
    /// A known word with a name that cannot be one: stays in the text, with a warning.
    BadName,
    /// Another word: stays in the text, and is no link.
    Unknown,
}

/// Reads a line without its leading and trailing space. The path may hold spaces, which a Markdown link may
/// not. A line that only begins and ends as a directive does, such as one of several links, is none.
pub(crate) fn directive(line: &str) -> Option<Line> {
    let (head, path) = line.strip_prefix("[!")?.strip_suffix(')')?.split_once("](")?;
    let (word, name) = head.split_once(':').map_or((head, None), |(word, name)| (word, Some(name)));
    let is_word = word.starts_with(|c: char| c.is_ascii_alphabetic())
        && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    if !is_word || name.is_some_and(|name| name.contains(['[', ']'])) {
        return None;
    }
    let path = destination(path.trim())?.to_owned();
    let line = match (word, name) {
        ("nav" | "menu", Some(name)) => match Id::parse(name).filter(|name| name != PAGE_MENU) {
            Some(name) if !path.is_empty() => Line::Known(DirectiveKind::Nav { name, path }),
            _ => Line::BadName,
        },
        ("include", Some(name)) => match Id::parse(name) {
            Some(id) => {
                let (path, block) = match path.split_once('#') {
                    Some((path, block)) => (path.to_owned(), Some(block.to_owned())),
                    None => (path, None),
                };
                Line::Known(DirectiveKind::Include(Include { id, path, block }))
            }
            None => Line::BadName,
        },
        ("requirements", None) if !path.is_empty() => Line::Known(DirectiveKind::Requirements { path }),
        _ => Line::Unknown,
    };
    Some(line)
}

/// What stands between the parentheses, if that is one destination and not the end of one and the beginning of
/// another.
fn destination(text: &str) -> Option<&str> {
    if let Some(path) = text.strip_prefix('<').and_then(|path| path.strip_suffix('>')) {
        return (!path.contains(['<', '>'])).then_some(path);
    }
    let mut open = 0_usize;
    for c in text.chars() {
        match c {
            '(' => open += 1,
            ')' => open = open.checked_sub(1)?,
            _ => {}
        }
    }
    (open == 0 && !text.contains("](")).then_some(text)
}

pub(crate) fn warn_repeated(directives: &[Directive], warnings: &mut Warnings) {
    let mut seen: HashSet<(&str, &Id)> = HashSet::new();
    for directive in directives {
        let (word, name) = match &directive.kind {
            DirectiveKind::Nav { name, .. } => ("menu", name),
            DirectiveKind::Include(include) => ("include", &include.id),
            DirectiveKind::Requirements { .. } => continue,
        };
        if !seen.insert((word, name)) {
            warnings.add(directive.line, || format!("{word} {name} is already on this page"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn include(id: &str, path: &str, block: Option<&str>) -> Line {
        let id = Id::parse(id).unwrap();
        let block = block.map(str::to_owned);
        Line::Known(DirectiveKind::Include(Include { id, path: path.to_owned(), block }))
    }

    #[test]
    fn directives_are_read_from_whole_lines() {
        let nav = |name: &str, path: &str| {
            Line::Known(DirectiveKind::Nav { name: Id::parse(name).unwrap(), path: path.to_owned() })
        };
        let cases = [
            ("[!nav:main](./nav/main.md)", Some(nav("main", "./nav/main.md"))),
            ("[!menu:side](a b.md)", Some(nav("side", "a b.md"))),
            ("[!nav:page](x.md)", Some(Line::BadName)),
            ("[!nav:Main](x.md)", Some(Line::BadName)),
            ("[!nav:main]()", Some(Line::BadName)),
            ("[!include:foot](parts/f.md#legal)", Some(include("foot", "parts/f.md", Some("legal")))),
            ("[!include:foot](<parts/my f.md>)", Some(include("foot", "parts/my f.md", None))),
            ("[!include:foot]()", Some(include("foot", "", None))),
            (
                "[!requirements](./setup.md)",
                Some(Line::Known(DirectiveKind::Requirements { path: "./setup.md".to_owned() })),
            ),
            ("[!include:foot](f (1).md)", Some(include("foot", "f (1).md", None))),
            ("[!include:foot](<f) (1.md>)", Some(include("foot", "f) (1.md", None))),
            ("[!video:x](y)", Some(Line::Unknown)),
            ("[!NOTE](y)", Some(Line::Unknown)),
            ("[!nav:my menu](x.md)", Some(Line::BadName)),
            // Links and other text on the same line.
            ("[![Build](https://ci.org/b.svg)](https://ci.org/)", None),
            ("[![Build](https://ci.org/b.svg)](https://ci.org/) [Docs](https://docs.org/)", None),
            ("[!important] see [z](https://z.org/)", None),
            ("[! ](x)", None),
            ("[!include:x](y.md) (optional)", None),
            ("[!include:x](y.md) and [x](https://x.org/)", None),
            ("[!nav:main](menu.md) see [x](https://x.org/)", None),
            ("[!include:x](<y.md>) and [x](<z.md>)", None),
            ("[!include:x](y(1.md)", None),
            ("[!include:x](y) and more", None),
            ("[!NOTE]", None),
            ("[nav:x](y)", None),
        ];
        for (line, expected) in cases {
            assert_eq!(directive(line), expected, "{line}");
        }
    }

    #[test]
    fn an_include_without_path_lies_beside_the_document() {
        let include = Include { id: Id::parse("footer").unwrap(), path: String::new(), block: None };
        assert_eq!(include.path_beside("index"), "index.source/footer.md");
    }
}
