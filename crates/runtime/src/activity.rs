//! What happens, as it happens, for those who watch. Nobody watching costs nothing.

use store::Timestamp;
use tokio::sync::broadcast;

use crate::error::Code;
use crate::{agent, event};

/// How many events a slow watcher may be behind before it misses some.
const BEHIND_MAX: usize = 1024;

#[derive(Debug, Clone)]
pub struct Event {
    pub time: Timestamp,
    pub agent: agent::Id,
    pub what: What,
}

#[derive(Debug, Clone)]
pub enum What {
    Command {
        topic: String,
        /// Without secrets and without the body.
        command: String,
        phase: Phase,
    },
    /// An event came into the agent's inbox.
    Inbox { id: event::Id },
    /// Somebody at the terminal of the agent's shell, beside the agent.
    Person { topic: String, did: Person },
}

/// What a person does at the terminal of a shell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Person {
    Attached,
    Ran {
        command: String,
    },
    /// Input for a program. What it says may be a password, so it is not told.
    Typed,
    Detached,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    Started,
    Ended { code: Option<Code>, ms: u64 },
}

/// Clones tell the same watchers.
#[derive(Debug, Clone)]
pub struct Stream(broadcast::Sender<Event>);

impl Stream {
    pub fn watch(&self) -> broadcast::Receiver<Event> {
        self.0.subscribe()
    }

    /// Tells the watchers, if there are any; only then is the event made.
    pub fn tell(&self, event: impl FnOnce() -> Event) {
        if self.0.receiver_count() > 0 {
            // The last watcher may leave in between.
            let _ = self.0.send(event());
        }
    }
}

impl Default for Stream {
    fn default() -> Self {
        Self(broadcast::Sender::new(BEHIND_MAX))
    }
}
