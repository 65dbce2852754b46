//! What lives at a topic, and the rule that its commands run one at a time.

mod map;
mod turn;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio_util::sync::CancellationToken;

pub use map::{Map, Topics};
pub use turn::{Turn, WAIT_MAX, WAITING_MAX};

use crate::agent::Workspace;
use crate::document::{Location, Page, Source};
use crate::edit::{Seen, Undo};
use crate::reply::Meta;
use crate::topic::Topic;

/// One session. Idle, it is this struct and nothing else: no task, no thread.
#[derive(Debug)]
pub struct Session {
    pub topic: Topic,
    /// Position in the order of creation.
    pub number: u64,
    state: Arc<tokio::sync::Mutex<State>>,
    waiting: AtomicUsize,
    closed: AtomicBool,
    /// Whether the file of its page may have been edited since it was loaded.
    edited: AtomicBool,
    /// What others may know without waiting for the running command.
    glance: Mutex<Glance>,
}

/// What the commands of a topic read and change, one command at a time.
#[derive(Debug, Default)]
pub struct State {
    pub page: Option<Box<Page>>,
    pub history: Vec<Location>,
    /// The directory opened last, which `./x` means while no document is open.
    pub directory: Option<PathBuf>,
    /// What this topic has read of files.
    pub seen: Seen,
    /// The last edit.
    pub undo: Option<Arc<Undo>>,
    /// Why the page is older than its file.
    pub reload_failure: Option<Box<str>>,
}

impl State {
    /// Makes a page the current one; the previous one goes into the history.
    pub fn enter(&mut self, page: Page) {
        self.has_read(&page);
        let previous = self.page.replace(Box::new(page));
        self.history.extend(previous.map(|page| page.location));
    }

    /// Remembers that the agent gets to see a page.
    pub fn has_read(&mut self, page: &Page) {
        self.reload_failure = None;
        if let Source::File(path) = &page.location.source {
            self.seen.remember(path.clone(), page.digest);
        }
    }

    /// The directory that `./` means: the document's, else the one opened last.
    pub fn here(&self) -> Option<&Path> {
        self.page.as_ref().map(|page| page.location.source.directory()).or(self.directory.as_deref())
    }

    /// What is wrong with the page.
    pub fn warnings(&self) -> Vec<String> {
        let Some(page) = &self.page else { return Vec::new() };
        self.reload_failure.iter().map(ToString::to_string).chain(page.warnings()).collect()
    }

    /// Where the session stands, as lists show it.
    pub fn location(&self, workspace: &Workspace) -> Option<String> {
        self.page.as_ref().map(|page| page.location.display(workspace))
    }

    pub fn meta(&self, workspace: &Workspace) -> Meta {
        let Some(page) = &self.page else { return Meta::default() };
        Meta {
            uri: Some(page.location.source.display(workspace)),
            title: page.title(),
            current_block: page.location.block.clone(),
            warnings: self.warnings(),
        }
    }
}

#[derive(Debug, Default)]
struct Glance {
    /// Where the session stands, as `/topics` shows it.
    location: Option<Box<str>>,
    running: Option<Box<Running>>,
}

#[derive(Debug)]
struct Running {
    command: String,
    cancel: CancellationToken,
}

impl Session {
    fn new(topic: Topic, number: u64) -> Self {
        Self {
            topic,
            number,
            state: Arc::default(),
            waiting: AtomicUsize::new(0),
            closed: AtomicBool::new(false),
            edited: AtomicBool::new(false),
            glance: Mutex::default(),
        }
    }

    /// Where the session stands, without waiting for the command that runs in it.
    pub fn location(&self) -> Option<String> {
        self.glance().location.as_deref().map(str::to_owned)
    }

    pub fn set_location(&self, location: Option<String>) {
        self.glance().location = location.map(Into::into);
    }

    /// The command that runs now.
    pub fn running(&self) -> Option<String> {
        self.glance().running.as_ref().map(|running| running.command.clone())
    }

    /// Stops the command that runs now, and names it.
    pub fn interrupt(&self) -> Option<String> {
        let glance = self.glance();
        let running = glance.running.as_ref()?;
        running.cancel.cancel();
        Some(running.command.clone())
    }

    /// Whether the session was removed: then a command that waited for it starts a fresh one.
    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    /// Whether the session shows a file, or may be about to: then its command loads what it finds.
    pub fn may_show(&self, shown: &str) -> bool {
        let glance = self.glance();
        let shows = |location: &str| {
            location.strip_prefix(shown).is_some_and(|rest| rest.is_empty() || rest.starts_with('#'))
        };
        glance.running.is_some() || glance.location.as_deref().is_some_and(shows)
    }

    /// Says that the file of the page was edited.
    pub fn mark_edited(&self) {
        self.edited.store(true, Ordering::Release);
    }

    /// Whether the file was edited since this was last asked.
    pub fn take_edited(&self) -> bool {
        self.edited.load(Ordering::Relaxed) && self.edited.swap(false, Ordering::AcqRel)
    }

    fn close(&self) {
        self.closed.store(true, Ordering::Release);
    }

    fn glance(&self) -> std::sync::MutexGuard<'_, Glance> {
        // Each critical section is one assignment or one read, so a panic cannot leave it half done.
        self.glance.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
