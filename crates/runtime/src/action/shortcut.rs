//! Value shortcuts: what a response template named `@name`, to be passed to other actions, and its long links.

use std::collections::BTreeMap;

use serde_json::Value;
use sfmd::{Origin, ShortcutKind};

use super::Trust;
use crate::agent::Workspace;
use crate::document::Source;
use crate::session::State;
use crate::substitute::Marked;
use crate::template::Evaluated;

/// The value shortcuts of a session. Empty, it owns no memory.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Shortcuts {
    values: BTreeMap<String, Marked>,
    /// The long links of the last output that had any.
    links: BTreeMap<String, Marked>,
}

impl Shortcuts {
    pub fn get(&self, id: &str) -> Option<&Marked> {
        self.values.get(id).or_else(|| self.links.get(id))
    }

    pub fn set(&mut self, id: String, value: Marked) {
        self.values.insert(id, value);
    }

    /// Puts the links of an output in place of those of an earlier one.
    pub fn set_links(&mut self, links: impl IntoIterator<Item = (String, Marked)>) {
        self.links = links.into_iter().collect();
    }

    /// All of them, in order of their names: values, then links.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.values.iter().chain(&self.links).map(|(id, marked)| (id.as_str(), &marked.value))
    }

    /// The ids that templates gave, without those of links.
    fn ids(&self) -> impl Iterator<Item = &str> {
        self.values.keys().map(String::as_str)
    }

    /// Forgets `name`, `name-1`, `name-2`, …
    pub fn forget(&mut self, name: &str) {
        let is_numbered = |id: &str| {
            let number = id.strip_prefix(name).and_then(|rest| rest.strip_prefix('-'));
            number.is_some_and(|number| number.bytes().all(|b| b.is_ascii_digit()))
        };
        self.values.retain(|id, _| id != name && !is_numbered(id));
    }
}

/// What `@id` passes to an action: a value, or where a link leads. Named links of the page come first, then
/// values, then automatic links, then menus.
pub fn passed(id: &str, state: &State, workspace: &Workspace) -> Option<Marked> {
    let link = state.page.as_ref().and_then(|page| page.shortcut(id));
    let target = |link: &sfmd::Shortcut| leads_to(&link.href, &Source::from_origin(&link.origin), workspace);
    if let Some(link) = link.filter(|link| link.kind == ShortcutKind::Named) {
        return Some(target(link));
    }
    let in_menus = || {
        let (menu, entry) = state.menus.entry(id)?;
        Some(leads_to(&entry.href, &menu.source, workspace))
    };
    state.shortcuts.get(id).cloned().or_else(|| link.map(target)).or_else(in_menus)
}

/// The output of a template with its long links as shortcuts, and where those lead. No id is given out that stands
/// for something else here.
pub fn with_short_links(
    text: &str,
    origin: &Origin,
    evaluated: &Evaluated,
    state: &State,
    workspace: &Workspace,
) -> (String, Vec<(String, Marked)>) {
    let page = state.page.iter().flat_map(|page| page.content().shortcuts());
    let menus = state.menus.all().iter().flat_map(|menu| &menu.entries);
    let reserved: Vec<&str> = (page.map(|shortcut| shortcut.id.as_str()))
        .chain(menus.map(|entry| entry.id.as_str()))
        .chain(state.shortcuts.ids())
        .chain(evaluated.shortcuts.iter().map(|shortcut| shortcut.id.as_str()))
        .collect();
    let (text, links) = sfmd::shorten_links(text, origin, &reserved);
    let base = Source::from_origin(origin);
    let links = links.into_iter().map(|link| (link.id, leads_to(&link.href, &base, workspace)));
    (text, links.collect())
}

fn leads_to(href: &str, base: &Source, workspace: &Workspace) -> Marked {
    let (path, block) = match href.split_once('#') {
        Some((path, block)) => (path, format!("#{block}")),
        None => (href, String::new()),
    };
    // A place in the same page has no path.
    let joined = if path.is_empty() { Ok(base.clone()) } else { base.join(path, workspace) };
    let target = match joined {
        Ok(Source::Web(url)) => format!("{url}{block}"),
        Ok(Source::File(file) | Source::Directory(file)) => format!("{}{block}", file.display()),
        Ok(Source::Version { .. }) | Err(_) => href.to_owned(),
    };
    Marked { value: target.into(), mark: Trust::of(base).mark() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_passed_as_where_it_leads() {
        let workspace = Workspace::new("/home/u".into(), Vec::new(), "/home/u/.string".into());
        let file = Source::File("/home/u/inc/sub/lnk.md".into());
        let page = Source::Web("https://h/a/b.md?q=1".parse().unwrap());
        for (href, base, expected) in [
            ("#part", &file, "/home/u/inc/sub/lnk.md#part"),
            ("x.md#part", &file, "/home/u/inc/sub/x.md#part"),
            ("../x.md", &file, "/home/u/inc/x.md"),
            ("#part", &page, "https://h/a/b.md?q=1#part"),
            ("c.md", &page, "https://h/a/c.md"),
        ] {
            assert_eq!(leads_to(href, base, &workspace).value, expected, "{href}");
        }
    }

    #[test]
    fn a_name_is_forgotten_with_its_numbers() {
        let mut shortcuts = Shortcuts::default();
        for id in ["item", "item-1", "item-20", "item-x", "items", "item-1-2"] {
            shortcuts.set(id.to_owned(), Value::Null.into());
        }
        shortcuts.forget("item");
        assert_eq!(shortcuts.values.into_keys().collect::<Vec<_>>(), ["item-1-2", "item-x", "items"]);
    }
}
