//! Menus: named lists of links that stay with the session.

use sfmd::MenuEntry;

use super::Source;

/// A menu file, loaded.
#[derive(Debug, Clone)]
pub struct Menu {
    pub name: String,
    /// The file that its links are relative to.
    pub source: Source,
    pub entries: Vec<MenuEntry>,
    /// Why it has none.
    pub problem: Option<String>,
}

/// The menus that a session has seen. Those of the current page come first.
#[derive(Debug, Default)]
pub struct Menus {
    known: Vec<Menu>,
    /// Menus whose entries were shown in full, by name and source.
    shown: Vec<(String, Source)>,
}

impl Menus {
    /// Remembers the menus of a page, in place of others of the same name.
    pub fn learn(&mut self, menus: &[Menu]) {
        self.known.retain(|known| menus.iter().all(|menu| menu.name != known.name));
        self.known.splice(0..0, menus.iter().cloned());
    }

    /// Whether the entries are still to be shown in full; they are, once.
    pub fn show_once(&mut self, menu: &Menu) -> bool {
        let seen = (menu.name.clone(), menu.source.clone());
        let first = !self.shown.contains(&seen);
        if first {
            self.shown.push(seen);
        }
        first
    }

    pub fn all(&self) -> &[Menu] {
        &self.known
    }

    pub fn get(&self, name: &str) -> Option<&Menu> {
        self.known.iter().find(|menu| menu.name == name)
    }

    /// The entry that `menu.id` names, or a bare id that only one menu has.
    pub fn entry(&self, id: &str) -> Option<(&Menu, &MenuEntry)> {
        let find = |menu: &'_ Menu, id: &str| menu.entries.iter().position(|entry| entry.id.as_str() == id);
        if let Some((name, id)) = id.split_once('.') {
            let menu = self.get(name)?;
            return find(menu, id).map(|at| (menu, &menu.entries[at]));
        }
        let mut found =
            self.known.iter().filter_map(|menu| find(menu, id).map(|at| (menu, &menu.entries[at])));
        found.next().filter(|_| found.next().is_none())
    }
}
