//! What lives at a topic, and the rule that its commands run one at a time.

mod act;
mod map;
mod state;
mod turn;

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use shell::Shell;
use tokio_util::sync::CancellationToken;

pub use act::{Act, Acts};
pub use map::{Map, TOPICS_MAX, Topics};
pub use state::{HISTORY_MAX, ShellState, State};
pub use turn::{Turn, WAIT_MAX, WAITING_MAX};

use crate::activity::{Life, Teller, What};
use crate::bash::Live;
use crate::edit::Edits;
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
    /// Shared by the durable writes that are under way; whoever removes the session waits for them.
    writes: tokio::sync::RwLock<()>,
    /// What others may know without waiting for the running command.
    glance: Mutex<Glance>,
    teller: Arc<Teller>,
}

#[derive(Default)]
struct Glance {
    /// Where the session stands, as `/topics` shows it.
    location: Option<Box<str>>,
    running: Option<Box<Running>>,
    acts: Acts,
    /// The shell of a bash topic, reachable also while a command runs in it.
    shell: Option<Live>,
    /// Why the last one was ended from outside.
    taken: Option<Box<str>>,
    /// Files that were edited since the page was loaded.
    edits: Edits,
}

impl std::fmt::Debug for Glance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Glance")
            .field("location", &self.location)
            .field("running", &self.running)
            .finish_non_exhaustive()
    }
}

#[derive(Debug)]
struct Running {
    command: String,
    cancel: CancellationToken,
}

impl Session {
    fn new(topic: Topic, number: u64, teller: Arc<Teller>) -> Self {
        Self {
            topic,
            number,
            state: Arc::default(),
            waiting: AtomicUsize::new(0),
            closed: AtomicBool::new(false),
            writes: tokio::sync::RwLock::default(),
            glance: Mutex::default(),
            teller,
        }
    }

    /// Where the session stands, without waiting for the command that runs in it.
    pub fn location(&self) -> Option<String> {
        self.glance().location.as_deref().map(str::to_owned)
    }

    pub fn set_location(&self, location: Option<String>) {
        self.glance().location = location.map(Into::into);
    }

    /// Looks at what the topic's commands work on; none while one of them runs.
    pub fn peek<T>(&self, look: impl FnOnce(&State) -> T) -> Option<T> {
        self.state.try_lock().ok().map(|state| look(&state))
    }

    /// The live shell of a bash topic.
    pub fn shell(&self) -> Option<Arc<Shell>> {
        self.live().map(|live| live.shell)
    }

    /// The live shell, and the boundary it was started with.
    pub fn live(&self) -> Option<Live> {
        self.glance().shell.clone()
    }

    /// Puts a shell in place of the one there was, which is given back.
    pub fn set_shell(&self, shell: Option<Live>) -> Option<Arc<Shell>> {
        let begins = shell.is_some();
        let before = {
            let mut glance = self.glance();
            if begins {
                glance.taken = None;
            }
            let before = std::mem::replace(&mut glance.shell, shell);
            if before.is_some() {
                glance.location = None;
            }
            before
        };
        if before.is_some() {
            self.tell_of_shell(Life::Ended);
        }
        if begins {
            self.tell_of_shell(Life::Started);
        }
        before.map(|live| live.shell)
    }

    fn tell_of_shell(&self, life: Life) {
        self.teller.tell(|| What::Shell { topic: self.topic.to_string(), life });
    }

    /// Ends the shell, if there is one, and keeps why for the next command. Whether there was one.
    pub async fn take_shell(&self, why: &str) -> bool {
        let taken = {
            let mut glance = self.glance();
            let taken = glance.shell.take();
            if taken.is_some() {
                glance.taken = Some(why.into());
                glance.location = None;
            }
            taken
        };
        let Some(live) = taken else { return false };
        self.tell_of_shell(Life::Ended);
        live.shell.close().await;
        true
    }

    /// Why the last shell was ended from outside, until there is another.
    pub fn taken(&self) -> Option<String> {
        self.glance().taken.as_deref().map(str::to_owned)
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

    /// Ends the shell of a closed session and everything it has started, and waits for its writes.
    async fn end(&self) {
        let shell = self.set_shell(None);
        if let Some(shell) = shell {
            shell.close().await;
        }
        self.settle().await;
        self.teller.tell(|| What::Closed { topic: self.topic.to_string() });
    }

    /// Whether the session was removed: then a command that waited for it starts a fresh one.
    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    /// Says that a file was edited, to a session that may show it now or once its command has ended.
    pub fn note_edit(&self, path: &Arc<Path>) {
        let mut glance = self.glance();
        if glance.location.is_some() || glance.running.is_some() {
            glance.edits.add(path);
        }
    }

    /// Says that whatever the session shows may have been replaced.
    pub fn note_replaced(&self) {
        self.glance().edits.add_all();
    }

    /// The files that were edited since this was last asked.
    pub fn take_edits(&self) -> Edits {
        std::mem::take(&mut self.glance().edits)
    }

    /// Keeps the session's removal waiting until a durable write is done; none if it was removed already. What is
    /// written later would outlive the session.
    pub async fn hold_open(&self) -> Option<tokio::sync::RwLockReadGuard<'_, ()>> {
        let held = self.writes.read().await;
        (!self.is_closed()).then_some(held)
    }

    fn close(&self) {
        self.closed.store(true, Ordering::Release);
    }

    /// Returns when no durable write of a closed session is under way, and none can begin.
    async fn settle(&self) {
        drop(self.writes.write().await);
    }

    fn glance(&self) -> std::sync::MutexGuard<'_, Glance> {
        // Each critical section is one assignment or one read, so a panic cannot leave it half done.
        self.glance.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
