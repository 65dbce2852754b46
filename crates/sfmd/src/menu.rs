//! Menus: Markdown files whose named links are entries.

use std::collections::HashSet;

use crate::document::Document;
use crate::id::Id;

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::parse;

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
