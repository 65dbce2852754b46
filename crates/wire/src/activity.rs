//! `GET /activity/stream`: what happens, as it happens.

use serde::{Deserialize, Serialize};

use crate::EventState;

/// One event of the stream. Its `kind` is also the name of the SSE event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Activity {
    /// A command has started.
    Command { time: String, agent: String, topic: String, command: String },
    /// A command has ended.
    Reply {
        time: String,
        agent: String,
        topic: String,
        command: String,
        ok: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        code: Option<String>,
        ms: u64,
    },
    /// An event came into the agent's inbox (`pending`), reached a stream, or was acknowledged.
    Event { time: String, agent: String, event_id: String, state: EventState },
    /// Events were removed from the inbox.
    Cleared { time: String, agent: String, count: u64 },
    /// A topic was removed, with all it held.
    Closed { time: String, agent: String, topic: String },
    /// A live shell has started or ended.
    Shell { time: String, agent: String, topic: String, did: Life },
    /// A call of a tool has begun (`running`) or ended.
    Task { time: String, agent: String, topic: String, task: String, tool: String, outcome: TaskOutcome },
    /// A person at the terminal of the agent's shell.
    Person {
        time: String,
        agent: String,
        topic: String,
        did: Deed,
        /// What was run.
        #[serde(skip_serializing_if = "Option::is_none")]
        command: Option<String>,
    },
    /// This reader was too slow: so many events were left out for it.
    Missed { count: u64 },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Life {
    Started,
    Ended,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum TaskOutcome {
    Running,
    Ok,
    /// Or given up.
    Failed,
}

/// What a person does at a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Deed {
    Attached,
    /// A command, with Enter.
    Ran,
    /// Input for a program; it is not told what.
    Typed,
    Detached,
}

impl Activity {
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Command { .. } => "command",
            Self::Reply { .. } => "reply",
            Self::Event { .. } => "event",
            Self::Cleared { .. } => "cleared",
            Self::Closed { .. } => "closed",
            Self::Shell { .. } => "shell",
            Self::Task { .. } => "task",
            Self::Person { .. } => "person",
            Self::Missed { .. } => "missed",
        }
    }
}
