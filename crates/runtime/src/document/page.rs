//! A document as a session holds it, and what the agent sees of it.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sfmd::{Banner, MAX_NAV_ENTRIES, MAX_WARNINGS, NavMenu, Position, Requirement, Shortcut};

use super::compose::Composed;
use super::menu::{Menu, Menus};
use super::quote::typed;
use super::setup::{Named, Setup};
use super::{Fetched, Location, Reading, Source, Visit};
use crate::agent::Workspace;
use crate::edit::Digest;
use crate::error::{Code, Error, Result};
use crate::long::fitting;
use crate::manifest;
use crate::reply::REPLY_MAX;

/// Room in a reply for the status line and for the line that says how to go on.
const FRAME_ROOM: usize = 2 * 1024;
/// How much is shown above a page: thousands of actions must leave room for its text.
const BANNER_MAX: usize = 16 * 1024;

/// A document, loaded and composed.
#[derive(Debug)]
pub struct Page {
    pub location: Location,
    /// The menus that the page names.
    pub menus: Vec<Menu>,
    /// Where its reader learns what it needs.
    pub setup: Option<Setup>,
    /// How it was loaded, where that matters: `converted from HTML`.
    pub notes: Vec<String>,
    /// How lists name it, where that is not its location: `home` for an app's entry page.
    pub label: Option<String>,
    /// Of the text as it was loaded.
    pub digest: Digest,
    /// How much of it was read, for when it is loaded again.
    pub reading: Reading,
    /// Its own file with all links resolved, where it was reached through one; of the others, those that were.
    real: Option<PathBuf>,
    linked: Vec<PathBuf>,
    content: Arc<sfmd::Page>,
    /// What is wrong with the scripts of its actions.
    script_problem: Option<String>,
    /// What a page from the web calls itself, outside its text.
    title: Option<String>,
    fetched: Option<Fetched>,
}

/// Which part of a page to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Extent {
    #[default]
    Start,
    From(Position),
    Outline,
}

impl Page {
    pub fn new(
        location: Location,
        Composed { page: content, menus, setup, linked }: Composed,
        notes: Vec<String>,
        digest: Digest,
    ) -> Self {
        let script_problem = match &location.source {
            Source::File(path) | Source::Version { file: path, .. } => {
                manifest::problem(path, content.document()).map(|problem| problem.to_string())
            }
            Source::Directory(_) | Source::Web(_) => None,
        };
        Self {
            location,
            menus,
            setup,
            notes,
            label: None,
            digest,
            reading: Reading::Main,
            real: None,
            linked,
            content,
            script_problem,
            title: None,
            fetched: None,
        }
    }

    /// Adds what only a page from the web has.
    pub fn with_origin(mut self, title: Option<String>, fetched: Option<Fetched>) -> Self {
        self.title = title;
        self.fetched = fetched;
        self
    }

    /// Adds where a file that was reached through a link really is.
    pub fn reached_by_link(mut self, real: Option<PathBuf>) -> Self {
        self.real = real;
        self
    }

    /// The file that it is, with all links resolved.
    pub fn file(&self) -> Option<&Path> {
        match &self.location.source {
            Source::File(path) => Some(self.real.as_deref().unwrap_or(path)),
            Source::Directory(_) | Source::Version { .. } | Source::Web(_) => None,
        }
    }

    /// How the page came from the web, if it did.
    pub fn fetched(&self) -> Option<&Fetched> {
        self.fetched.as_ref()
    }

    /// Whether its server can say that it has not changed.
    pub fn can_be_revalidated(&self) -> bool {
        self.fetched.as_ref().is_some_and(|fetched| !fetched.validators.is_empty())
    }

    /// What opens it again.
    pub fn visit(&self) -> Visit {
        Visit { location: self.location.clone(), reading: self.reading }
    }

    /// How the page is named in status lines and lists.
    pub fn name(&self, workspace: &Workspace) -> String {
        match (&self.label, &self.location.block) {
            (Some(label), Some(block)) => format!("{label}#{block}"),
            (Some(label), None) => label.clone(),
            (None, _) => self.location.display(workspace),
        }
    }

    pub fn content(&self) -> &sfmd::Page {
        &self.content
    }

    pub fn title(&self) -> Option<&str> {
        self.content.document().title().or(self.title.as_deref())
    }

    /// The document as its author wrote it.
    pub fn source(&self) -> &str {
        self.fetched.as_ref().map_or(self.content.document().source(), |fetched| &fetched.source)
    }

    /// Marked blocks and includes, in order.
    pub fn block_ids(&self) -> Vec<String> {
        self.content.block_ids()
    }

    /// The page's own shortcut of that name.
    pub fn shortcut(&self, id: &str) -> Option<&Shortcut> {
        self.content.shortcut(id.strip_prefix("page.").unwrap_or(id))
    }

    /// What is wrong with the document, with the line.
    pub fn warnings(&self, workspace: &Workspace) -> Vec<String> {
        let own = self.content.origin();
        let warning = |(origin, warning): (&sfmd::Origin, &sfmd::Warning)| {
            let from = Source::from_origin(origin).display(workspace);
            if origin == own { warning.to_string() } else { format!("{from}: {warning}") }
        };
        let menu =
            |menu: &Menu| menu.problem.as_ref().map(|problem| format!("menu {}: {problem}", menu.name));
        let problems = self.script_problem.iter().cloned().chain(self.menus.iter().filter_map(menu));
        let mut all: Vec<String> = self.content.warnings().map(warning).collect();
        if all.len() == MAX_WARNINGS {
            all.push(format!("more than {MAX_WARNINGS}: the others are left out"));
        }
        problems.chain(all).collect()
    }

    /// Whether a file is part of what the page shows: its own, an included one, or a menu. The path has no links.
    pub fn shows(&self, path: &Path) -> bool {
        let is_file = |source: &Source| matches!(source, Source::File(file) if file == path);
        let included = || self.content.origins().any(|origin| Path::new(origin.as_str()) == path);
        let linked = || self.linked.iter().any(|file| file == path);
        self.file() == Some(path)
            || included()
            || linked()
            || self.menus.iter().any(|menu| is_file(&menu.source))
    }

    /// What the agent sees at the current location. Menus are shown in full once per session; `missing` are the
    /// required variables without a value.
    pub fn view(
        &self,
        extent: Extent,
        menus: &mut Menus,
        missing: &[Requirement],
        workspace: &Workspace,
    ) -> Result<String> {
        let (banner, view) = match &self.location.block {
            Some(id) => {
                let section = self.content.section(id).ok_or_else(|| self.no_block(id, workspace))?;
                (String::new(), Cow::Owned(self.content.view_section(&section)))
            }
            None => (fitting(&self.banner(menus, missing), BANNER_MAX).into_owned(), self.content.view()),
        };
        let shown = || self.location.display(workspace);
        let from = match extent {
            Extent::Start => None,
            Extent::From(position) => Some(position),
            Extent::Outline => return Ok(self.outline()),
        };
        let window = view.window(from, REPLY_MAX - FRAME_ROOM - banner.len()).ok_or_else(|| {
            let lines = self.content.document().line_count();
            Error::new(Code::InvalidParams, format!("{} has nothing to show from there on.", shown()))
                .hint(format!("It has {lines} lines."))
        })?;
        let mut text = [&*banner, &*unposed(window.text)].concat();
        if let Some(rest) = window.rest {
            let more = sfmd::size_label(rest.bytes);
            let raw = if self.reading == Reading::Whole { " --raw" } else { "" };
            let shown = format!("{}{raw}", typed(&shown()));
            let on = format!("/open {shown} --from {}", rest.next);
            text.push_str(&format!("\n\n… {more} more · {on} · /open {shown} --outline"));
        }
        Ok(text)
    }

    fn banner(&self, menus: &mut Menus, missing: &[Requirement]) -> String {
        let nav = |menu: &'_ Menu| menu.entries.len() <= MAX_NAV_ENTRIES && menus.show_once(menu);
        let expanded: Vec<bool> = self.menus.iter().map(nav).collect();
        let nav = self.menus.iter().zip(expanded).map(|(menu, expanded)| NavMenu {
            name: &menu.name,
            entries: expanded.then_some(&*menu.entries),
        });
        let actions: Vec<_> = self.content.actions().collect();
        let actions = actions.iter().map(|found| found.action.id.as_str()).collect();
        let setup = self.setup.as_ref().filter(|setup| {
            // What is required and there needs no setup; what requires nothing that can be checked always may.
            let unchecked = setup.named == Named::ByThePage && self.content.requirements().is_empty();
            unchecked || !missing.is_empty()
        });
        let setup = setup.map(|setup| setup.target.as_str());
        Banner { menus: nav.collect(), actions, missing: missing.iter().collect(), setup }.to_string()
    }

    fn outline(&self) -> String {
        let entries = self.content.outline();
        if entries.is_empty() {
            return "No headings and no blocks.".to_owned();
        }
        entries.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    }
}

/// The content of a page, whose first lines must not read as the lines that stand before it: those get a
/// backslash, which Markdown shows as nothing.
fn unposed(content: &str) -> Cow<'_, str> {
    const OURS: [&str; 5] = ["[nav] ", "[actions] ", "[env] ", "[requirements] ", "ERROR("];
    let is_ours = |line: &str| OURS.iter().any(|start| line.trim_start().starts_with(start));
    let posing = content.lines().take_while(|line| is_ours(line)).count();
    if posing == 0 {
        return Cow::Borrowed(content);
    }
    let lines = content.split('\n').enumerate().map(|(at, line)| match at < posing {
        true => format!("\\{}", line.trim_start()),
        false => line.to_owned(),
    });
    Cow::Owned(lines.collect::<Vec<_>>().join("\n"))
}

impl Source {
    /// The source as the parser keeps it, to tell files apart and to resolve links against.
    pub fn origin(&self) -> sfmd::Origin {
        match self {
            Self::File(path) | Self::Directory(path) => sfmd::Origin::new(&path.to_string_lossy()),
            Self::Version { file, number } => {
                sfmd::Origin::new(&format!("{}@{number}", file.to_string_lossy()))
            }
            Self::Web(url) => sfmd::Origin::new(url.as_str()),
        }
    }
}
