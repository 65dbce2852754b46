//! Shortcuts: where `@id` leads from here.

use serde_json::Value;
use sfmd::ShortcutKind;

use crate::action::Trust;
use crate::agent::Workspace;
use crate::document::{Location, Source};
use crate::error::{Code, Error, Result, nearest, quoted};
use crate::session::State;
use crate::substitute::{Mark, Marked, text_of};
use crate::topic::Topic;

/// Where a shortcut leads.
#[derive(Debug)]
pub enum Followed {
    /// The mark is that of the link or value.
    Location(Location, Mark),
    Topic(Topic),
}

/// The value that a shortcut stands for. Named links of the page come before values.
pub fn value_of<'a>(id: &str, state: &'a State) -> Option<&'a Marked> {
    let on_page = state.page.as_ref().and_then(|page| page.shortcut(id));
    let named = on_page.filter(|shortcut| shortcut.kind == ShortcutKind::Named);
    state.shortcuts.get(id).filter(|_| named.is_none())
}

/// Looks a shortcut up: named links of the page, values, automatic links, then menus.
pub fn follow(id: &str, state: &State, workspace: &Workspace) -> Result<Followed> {
    match value_of(id, state) {
        Some(Marked { value: Value::String(target), mark }) => return value(target, *mark, state, workspace),
        Some(Marked { value: other, .. }) => {
            let message = format!("@{id} is a value, not a document: {}", text_of(other));
            return Err(Error::new(Code::InvalidParams, message).hint("Pass it to an action, as it is."));
        }
        None => {}
    }
    let on_page = state.page.as_ref().and_then(|page| page.shortcut(id));
    let (href, base) = match on_page {
        Some(shortcut) => (&shortcut.href, Source::from_origin(&shortcut.origin)),
        None => {
            let (menu, entry) = state.menus.entry(id).ok_or_else(|| unknown(id, state))?;
            (&entry.href, menu.source.clone())
        }
    };
    if let Some(topic) = Topic::canonical_target(href) {
        return topic.map(Followed::Topic);
    }
    let mark = Trust::of(&base).mark();
    location(href, base, mark, workspace)
}

/// Where a value leads: a document by its path or address, relative to the page that it came with.
fn value(target: &str, mark: Mark, state: &State, workspace: &Workspace) -> Result<Followed> {
    let page = state.page.as_ref().map(|page| page.location.source.clone());
    let base = page.unwrap_or_else(|| Source::Directory(workspace.home().to_owned()));
    location(target, base, mark, workspace)
}

fn location(href: &str, base: Source, mark: Mark, workspace: &Workspace) -> Result<Followed> {
    let (path, block) = match href.split_once('#') {
        Some((path, block)) if !block.is_empty() => (path, Some(block.to_owned())),
        _ => (href, None),
    };
    let source = if path.is_empty() { Ok(base) } else { base.join(path, workspace) };
    let source = source.map_err(|error| {
        Error::new(Code::InvalidParams, format!("{} cannot be opened: {error}.", quoted(href)))
    })?;
    Ok(Followed::Location(Location { source, block }, mark))
}

fn unknown(id: &str, state: &State) -> Error {
    let page =
        state.page.iter().flat_map(|page| page.content().shortcuts()).map(|shortcut| shortcut.id.clone());
    let menus = state.menus.all().iter();
    let menus = menus.flat_map(|menu| menu.entries.iter().map(|entry| format!("{}.{}", menu.name, entry.id)));
    let values = state.shortcuts.iter().map(|(id, _)| id.to_owned());
    let known: Vec<String> = page.chain(values).chain(menus).collect();
    let in_menus = known.iter().filter(|name| name.rsplit_once('.').is_some_and(|(_, entry)| entry == id));
    let in_menus: Vec<String> = in_menus.map(|name| format!("@{name}")).collect();
    if !in_menus.is_empty() {
        let message = format!("{} is in several menus.", quoted(&format!("@{id}")));
        return Error::new(Code::NotFound, message).hint(format!("Name one: {}", in_menus.join(", ")));
    }
    let near = nearest(id, known.iter().map(String::as_str)).map(|name| format!("Did you mean @{name}?"));
    Error::new(Code::NotFound, format!("No shortcut {}.", quoted(&format!("@{id}"))))
        .hints(near)
        .hint("See them all: /nav --resolve")
}
