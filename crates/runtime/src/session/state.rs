//! What the commands of a topic work on: its page, what was read and answered, its variables.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::action::Shortcuts;
use crate::agent::Workspace;
use crate::bash::Cwd;
use crate::document::{Bases, Menus, Page, Visit};
use crate::edit::{Seen, Undo};
use crate::reply::Meta;
use crate::substitute::Marked;
use crate::variable::Variables;

/// So many documents does `/back` lead through. Of more, those left longest ago are forgotten.
pub const HISTORY_MAX: usize = 1_000;

/// What the commands of a topic read and change, one command at a time.
#[derive(Debug, Default)]
pub struct State {
    pub page: Option<Box<Page>>,
    pub history: Vec<Visit>,
    /// The page from the web that was left last: `/back` asks only whether it has changed.
    pub left: Option<Box<Page>>,
    /// The directory opened last, which `./x` means while no document is open.
    pub directory: Option<PathBuf>,
    /// What this topic has read of files.
    pub seen: Arc<Seen>,
    /// The last edit.
    pub undo: Option<Arc<Undo>>,
    /// Why the page is older than its file.
    pub reload_failure: Option<Box<str>>,
    pub variables: Variables,
    /// The result of the last action.
    pub response: Option<Box<Marked>>,
    /// What the last action left open: what its template had no value for, a task that was not kept.
    pub unanswered: Vec<String>,
    pub shortcuts: Shortcuts,
    pub menus: Menus,
    pub cookies: web::CookieJar,
    pub shell: ShellState,
}

/// What a bash topic remembers of its shell between turns.
#[derive(Debug, Default)]
pub struct ShellState {
    /// Where the live shell is.
    pub directory: Option<shell::Directory>,
    /// Where a shell that has ended was: the next one starts there.
    pub restart_in: Option<PathBuf>,
    /// A command was still running at the end of the last turn.
    pub running: bool,
    /// It has printed something, in this turn or an earlier one.
    pub printed: bool,
    /// The last command, as lists show it.
    pub command: String,
    /// A reply that nobody heard, because its caller had gone away. The next one begins with it.
    pub unheard: Option<String>,
    /// What was last written down of the shell.
    pub recorded: Option<crate::bash::Record>,
}

impl State {
    /// Makes a page the current one; if it is of another document, the previous one goes into the history.
    pub fn enter(&mut self, page: Box<Page>) {
        if let Some(previous) = self.page.take_if(|previous| previous.location.source != page.location.source)
        {
            if self.history.len() == HISTORY_MAX {
                self.history.remove(0);
            }
            self.history.push(previous.visit());
            self.left = Some(previous).filter(|previous| previous.can_be_revalidated());
        }
        self.replace(page);
    }

    /// Makes a page, which the agent gets to see, the current one in place of the previous one.
    pub fn replace(&mut self, page: Box<Page>) {
        self.renew(page);
        self.saw_page();
    }

    /// The agent gets to see the current page as it is loaded, or a part of it.
    pub fn saw_page(&mut self) {
        let Some(page) = &self.page else { return };
        if let Some(path) = page.file() {
            Arc::make_mut(&mut self.seen).remember(path.to_owned(), page.digest);
        }
    }

    /// Puts a page in place of an older load of the same document.
    pub fn renew(&mut self, page: Box<Page>) {
        self.reload_failure = None;
        self.menus.learn(&page.menus);
        self.page = Some(page);
    }

    /// Where relative targets start.
    pub fn bases<'a>(&'a self, workspace: &'a Workspace, caller: Option<&'a Path>) -> Bases<'a> {
        let page = self.page.as_ref().map(|page| &page.location.source);
        Bases { workspace, page, directory: self.directory.as_deref(), caller }
    }

    /// What is wrong with the page, and what the last action left open.
    pub fn warnings(&self, workspace: &Workspace) -> Vec<String> {
        let page = self.page.iter().flat_map(|page| page.warnings(workspace));
        let reload = self.reload_failure.iter().map(ToString::to_string);
        reload.chain(page).chain(self.unanswered.iter().cloned()).collect()
    }

    /// Where the session stands, as lists show it.
    pub fn location(&self, workspace: &Workspace) -> Option<String> {
        let page = self.page.as_ref().map(|page| page.name(workspace));
        page.or_else(|| self.shell.directory.as_ref().map(|directory| Cwd(directory, workspace).to_string()))
    }

    pub fn meta(&self, workspace: &Workspace) -> Meta {
        let Some(page) = &self.page else {
            return Meta { warnings: self.warnings(workspace), ..Meta::default() };
        };
        Meta {
            uri: Some(page.location.source.display(workspace)),
            title: page.title().map(str::to_owned),
            current_block: page.location.block.clone(),
            warnings: self.warnings(workspace),
        }
    }
}
