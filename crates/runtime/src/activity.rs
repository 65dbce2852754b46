//! What happens, as it happens, for those who watch. Nobody watching costs nothing.

use std::fmt;
use std::sync::Arc;

use store::{Clock, Timestamp};
use tokio::sync::broadcast;

use crate::error::Code;
use crate::{agent, event, task};

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
    /// An event came into the agent's inbox, or is further than it was.
    Inbox { id: event::Id, state: event::State },
    /// Events were removed from the inbox.
    Cleared { count: usize },
    /// A topic was removed, with all it held.
    Closed { topic: String },
    /// A live shell of the agent.
    Shell { topic: String, life: Life },
    /// A call of a tool from outside, and what belongs to it.
    Task { id: task::Id, tool: String, topic: String, outcome: task::Outcome },
    /// Somebody at the terminal of the agent's shell, beside the agent.
    Person { topic: String, did: Person },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Life {
    Started,
    /// One that dies between two commands is missed with the next.
    Ended,
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
#[derive(Clone)]
pub struct Stream {
    events: broadcast::Sender<Event>,
    clock: Arc<dyn Clock>,
}

/// Tells of one agent.
#[derive(Debug)]
pub struct Teller {
    stream: Stream,
    agent: agent::Id,
}

impl Stream {
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { events: broadcast::Sender::new(BEHIND_MAX), clock }
    }

    pub fn watch(&self) -> broadcast::Receiver<Event> {
        self.events.subscribe()
    }

    pub fn of(&self, agent: &agent::Id) -> Teller {
        Teller { stream: self.clone(), agent: agent.clone() }
    }

    /// Tells the watchers, if there are any; only then is the event made.
    pub fn tell(&self, agent: &agent::Id, what: impl FnOnce() -> What) {
        if self.events.receiver_count() > 0 {
            let event = Event { time: self.clock.now(), agent: agent.clone(), what: what() };
            // The last watcher may leave in between.
            let _ = self.events.send(event);
        }
    }
}

impl Teller {
    pub fn tell(&self, what: impl FnOnce() -> What) {
        self.stream.tell(&self.agent, what);
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream").finish_non_exhaustive()
    }
}
