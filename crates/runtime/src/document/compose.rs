//! From a text to a page: what it includes, and the menus it names.

use std::path::PathBuf;
use std::sync::Arc;

use futures::StreamExt;
use futures::stream;
use sfmd::{Document, menu_entries};

use super::include::{NamedMenu, Parts};
use super::load::{Content, Loaded, Text};
use super::setup::Setup;
use super::{Library, Menu, Reading, Source};

/// How many files of a page are loaded side by side: they may all come from one server.
pub(super) const AT_ONCE: usize = 8;
/// How many menus a page may name; nobody finds their way through more.
const MENUS_MAX: usize = 64;

/// A composed text, and what any part of it names besides: menus, a setup page.
#[derive(Debug)]
pub struct Composed {
    pub page: Arc<sfmd::Page>,
    pub menus: Vec<Menu>,
    pub setup: Option<Setup>,
    /// The files among them that were reached through links, with those resolved.
    pub linked: Vec<PathBuf>,
}

impl Composed {
    /// A page that names nothing.
    pub fn alone(page: Arc<sfmd::Page>) -> Self {
        Self { page, menus: Vec::new(), setup: None, linked: Vec::new() }
    }
}

/// Composes a page from its loaded text. What cannot be loaded becomes a note in the text, never an error.
pub async fn compose(library: &Library<'_>, source: &Source, document: Arc<Document>) -> Composed {
    let mut parts = Parts::of(library, source.clone(), document);
    parts.gather().await;
    let (named, setup) = parts.named();
    let mut linked = std::mem::take(&mut parts.linked);
    let page = sfmd::Page::compose(parts.joined());
    let loading = named.into_iter().enumerate().map(|(at, named)| load_menu(library, named, at));
    let loading: Vec<_> = loading.collect();
    let menus: Vec<_> = stream::iter(loading).buffered(AT_ONCE).collect().await;
    let mut known = Vec::new();
    for (menu, real) in menus.into_iter().flatten() {
        known.push(menu);
        linked.extend(real);
    }
    let setup = match setup {
        None if !page.requirements().is_empty() => Setup::beside(source, library).await,
        named => named,
    };
    Composed { page: Arc::new(page), menus: known, setup, linked }
}

/// The page of a text that names no other file: whoever opens it, and whenever, it is this one until the text changes.
pub fn alone(source: &Source, document: &Arc<Document>) -> Option<Arc<sfmd::Page>> {
    let stands_alone = document.directives.is_empty() && document.frontmatter.env.is_empty();
    let page = || sfmd::Page::compose(sfmd::Source::new(source.origin(), Arc::clone(document)));
    stands_alone.then(|| Arc::new(page().with_view()))
}

/// A menu that cannot be loaded is empty: `/info` says why, and the page is shown all the same.
async fn load_menu(
    library: &Library<'_>,
    NamedMenu { name, path, base }: NamedMenu,
    at: usize,
) -> Option<(Menu, Option<PathBuf>)> {
    let source = base.join(&path, library.workspace).ok()?;
    let loaded = match at < MENUS_MAX {
        true => library.load(&source, Reading::Main).await.map_err(|error| error.message),
        false => Err(format!("more than {MENUS_MAX} menus are named")),
    };
    let (entries, real, problem) = match loaded {
        Ok(Loaded { real, content: Content::Text(Text::Document(text)), .. }) => {
            (menu_entries(&sfmd::parse(&text)), real, None)
        }
        Ok(_) => (Vec::new(), None, Some(format!("{path} is no Markdown"))),
        Err(problem) => (Vec::new(), None, Some(problem)),
    };
    Some((Menu { name, source, entries, problem }, real))
}
