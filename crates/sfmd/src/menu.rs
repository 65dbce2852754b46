//! Menus: Markdown files whose named links are entries.

use std::collections::HashSet;

use crate::document::Document;
use crate::id::Id;
use crate::link::{NUMBERED_PREFIX, inline_href};
use crate::page::Shortcut;

/// `[@id Label](href)` in a menu file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MenuEntry {
    pub id: Id,
    pub label: String,
    /// As written, relative to the menu file.
    pub href: String,
    pub line: usize,
}

/// The entries of a parsed menu file, top to bottom; the first of an id counts.
pub fn menu_entries(menu: &Document) -> Vec<MenuEntry> {
    let mut seen = HashSet::new();
    let mut entries = Vec::new();
    for link in &menu.links {
        let Some(name) = &link.name else { continue };
        if seen.insert(&name.id) {
            entries.push(MenuEntry {
                id: name.id.clone(),
                label: link.text.trim().to_owned(),
                href: link.destination.clone(),
                line: menu.lines.line_of(link.range.start),
            });
        }
    }
    entries
}

/// A menu file made of links, one entry for each.
pub fn menu_of(links: &[Shortcut]) -> String {
    // Numbered ids are String's to give, and a slug may be one that no author could write: a file has its own.
    let own = |link: &Shortcut| Id::parse(&link.id).filter(|id| !id.as_str().starts_with(NUMBERED_PREFIX));
    let taken: HashSet<Id> = links.iter().filter_map(own).collect();
    let mut free = (1..).map(|number| format!("entry-{number}")).filter(|id| !taken.contains(id.as_str()));
    let line = |link: &Shortcut| {
        let id = own(link).map(|id| id.to_string()).or_else(|| free.next()).unwrap_or_default();
        let last = link.href.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let label = [&*link.label, last, &*link.href].into_iter().find(|label| !label.is_empty());
        format!("[@{id} {}]({})", written_label(label.unwrap_or_default()), inline_href(&link.href))
    };
    links.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// A plain text as Markdown that reads as that text between the brackets of a link.
fn written_label(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if "\\[]`*<".contains(c) {
            out.push('\\');
        }
        out.push(if c.is_control() { ' ' } else { c });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::parse;
    use crate::page::{Origin, Page, Source};

    #[test]
    fn a_menu_made_of_links_reads_as_those_links() {
        let page = parse(
            "[Ünï Cödé](a.md) [3D Models](b.md) [@named N](c.md) [](d/pic.png) [](https://x.org/) \
             [two words](<e f (1).md>) [a\\]b \\* `c` \\<x>](g.md) [entry 2](h.md)\n",
        );
        let page = Page::compose(Source::new(Origin::new("~/p.md"), page));
        let menu = menu_of(&page.every_link());
        let found = menu_entries(&parse(&menu));
        let found: Vec<_> =
            found.iter().map(|e| (e.id.as_str(), e.label.as_str(), e.href.as_str())).collect();
        let expected = [
            ("entry-1", "Ünï Cödé", "a.md"),
            ("entry-3", "3D Models", "b.md"),
            ("named", "N", "c.md"),
            ("entry-4", "pic.png", "d/pic.png"),
            ("entry-5", "x.org", "https://x.org/"),
            ("two-words", "two words", "e f (1).md"),
            ("entry-6", "a]b * c <x>", "g.md"),
            ("entry-2", "entry 2", "h.md"),
        ];
        assert_eq!(found, expected, "{menu}");
    }

    #[test]
    fn named_links_are_entries() {
        let menu = parse(
            "# Menu\n\n[@home Home](../index.md)\n[@blocks **Blocks** Guide](../guide/blocks.md)\n- [@far Far](<a b.md>)\n\n[Ref][@ref] [@home Again](x) [other](y)\n\n[@ref]: z.md\n",
        );
        let entries: Vec<_> = menu_entries(&menu)
            .into_iter()
            .map(|entry| (entry.id.to_string(), entry.label, entry.href, entry.line))
            .collect();
        let entry = |id: &str, label: &str, href: &str, line| {
            (id.to_owned(), label.to_owned(), href.to_owned(), line)
        };
        assert_eq!(
            entries,
            [
                entry("home", "Home", "../index.md", 3),
                entry("blocks", "Blocks Guide", "../guide/blocks.md", 4),
                entry("far", "Far", "a b.md", 5),
                entry("ref", "Ref", "z.md", 7),
            ]
        );
    }
}
