//! `/nav`: menus and shortcuts, with where they lead.

use serde_json::Value;
use sfmd::{MAX_NAV_ENTRIES, ShortcutKind, entry_links, menu_of};

use super::{Arguments, Context, open};
use crate::document::{Menu, Page, Source};
use crate::error::{Code, Error, Result, nearest, one_line, quoted};
use crate::reply::with_body;
use crate::substitute::text_of;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    Menus,
    Menu(String),
    /// The page's own shortcuts.
    Page,
    /// Everything, with resolved targets and where each comes from.
    Resolve,
    /// A menu file made of the page's links.
    Scaffold,
}

impl What {
    pub fn parse(arguments: Arguments<'_>) -> Result<Self> {
        let mut words = arguments.words()?;
        let what = if words.switch("--resolve") {
            Self::Resolve
        } else {
            match words.take().as_deref() {
                None => Self::Menus,
                Some("page") => Self::Page,
                Some("scaffold") => Self::Scaffold,
                Some(name) => Self::Menu(name.to_owned()),
            }
        };
        words.done()?;
        Ok(what)
    }
}

pub async fn run(what: &What, mut context: Context<'_>) -> Result<String> {
    open::ensure_entry(&mut context).await?;
    let context = &context;
    match what {
        What::Menus => Ok(menus(context)),
        What::Menu(name) => menu(name, context),
        What::Page => Ok(with_body("Menu: page", &page_shortcuts(page(context)?, context))),
        What::Resolve => Ok(with_body("Links", &resolved(context))),
        What::Scaffold => Ok(with_body("Menu file", &scaffold(page(context)?, context)?)),
    }
}

fn menus(context: &Context<'_>) -> String {
    let all = context.state.menus.all();
    if all.is_empty() {
        return with_body("Menus", "No menus. /nav page lists the page's own links.");
    }
    let expand = all.iter().map(|menu| menu.entries.len()).sum::<usize>() <= MAX_NAV_ENTRIES;
    let line = |menu: &Menu| match (menu.entries.len(), expand) {
        (0, _) => format!("{}: empty", menu.name),
        (_, true) => format!("{}: {}", menu.name, entry_links(&menu.name, &menu.entries)),
        (count, false) => format!("{}: {count} entries · /nav {}", menu.name, menu.name),
    };
    with_body("Menus", &all.iter().map(line).collect::<Vec<_>>().join("\n"))
}

fn menu(name: &str, context: &Context<'_>) -> Result<String> {
    let menus = &context.state.menus;
    let menu = menus.get(name).ok_or_else(|| {
        let names: Vec<&str> = menus.all().iter().map(|menu| menu.name.as_str()).collect();
        let near = nearest(name, names.iter().copied()).map(|near| format!("Did you mean {near}?"));
        let known = if names.is_empty() {
            "There are none.".to_owned()
        } else {
            format!("Menus: {}", names.join(", "))
        };
        Error::new(Code::NotFound, format!("No menu {}.", quoted(name))).hints(near).hint(known)
    })?;
    let lines = menu.entries.iter().map(|entry| format!("- [{}][@{name}.{}]", entry.label, entry.id));
    Ok(with_body(&format!("Menu: {name}"), &lines.collect::<Vec<_>>().join("\n")))
}

/// Named ones, then automatic ones.
fn page_shortcuts(page: &Page, context: &Context<'_>) -> String {
    let shortcuts = page.content().shortcuts();
    if shortcuts.is_empty() {
        return "No links.".to_owned();
    }
    let of = |kind| shortcuts.iter().filter(move |shortcut| shortcut.kind == kind);
    let line = |shortcut: &sfmd::Shortcut| {
        let from = Source::from_origin(&shortcut.origin);
        let target = target(&shortcut.href, &from, context);
        let included = shortcut.origin != *page.content().origin();
        let from = included.then(|| format!(" (from {})", from.display(&context.agent.workspace)));
        one_line(&format!("@{} → {target}{}", shortcut.id, from.unwrap_or_default()))
    };
    of(ShortcutKind::Named).chain(of(ShortcutKind::Auto)).map(line).collect::<Vec<_>>().join("\n")
}

fn resolved(context: &Context<'_>) -> String {
    let workspace = &context.agent.workspace;
    let mut sections = Vec::new();
    if let Some(page) = &context.state.page {
        let from = page.location.source.display(workspace);
        sections.push(format!("page ({from})\n{}", page_shortcuts(page, context)));
    }
    for menu in context.state.menus.all() {
        let line = |entry: &sfmd::MenuEntry| {
            let target = target(&entry.href, &menu.source, context);
            one_line(&format!("@{}.{} → {target}", menu.name, entry.id))
        };
        let mut lines = menu.entries.iter().map(line).collect::<Vec<_>>().join("\n");
        if lines.is_empty() {
            lines = menu.problem.clone().unwrap_or_else(|| "Empty.".to_owned());
        }
        sections.push(format!("{} ({})\n{lines}", menu.name, menu.source.display(workspace)));
    }
    let value = |(id, value): (&str, &Value)| format!("@{id} → {}", one_line(&text_of(value)));
    let values: Vec<String> = context.state.shortcuts.iter().map(value).collect();
    if !values.is_empty() {
        sections.push(format!("values (from actions)\n{}", values.join("\n")));
    }
    if sections.is_empty() { "No document and no menus.".to_owned() } else { sections.join("\n\n") }
}

/// What a link leads to, in the form that `/open` takes.
pub fn target(href: &str, base: &Source, context: &Context<'_>) -> String {
    let workspace = &context.agent.workspace;
    let (path, block) =
        href.split_once('#').map_or((href, String::new()), |(path, block)| (path, format!("#{block}")));
    let is_topic = crate::topic::Topic::canonical_target(href).is_some();
    match base.join(path, workspace) {
        _ if path.is_empty() && !block.is_empty() => format!("{}{block}", base.display(workspace)),
        Ok(source) if !path.is_empty() && !is_topic => format!("{}{block}", source.display(workspace)),
        _ => href.to_owned(),
    }
}

/// Links of the page itself stay as they are, since the menu is meant to lie beside it.
fn scaffold(page: &Page, context: &Context<'_>) -> Result<String> {
    let mut links = page.content().every_link();
    // A place on this page is none in another file.
    links.retain(|link| !link.href.is_empty() && !link.href.starts_with('#'));
    if links.is_empty() {
        return Err(Error::new(Code::NotFound, "This page has no links to make a menu of."));
    }
    for link in links.iter_mut().filter(|link| link.origin != *page.content().origin()) {
        link.href = target(&link.href, &Source::from_origin(&link.origin), context);
    }
    Ok(menu_of(&links))
}

fn page<'a>(context: &'a Context<'_>) -> Result<&'a Page> {
    context.state.page.as_deref().ok_or_else(open::no_document)
}
