//! `GET /activity/stream`: what happens, as it happens.

use serde::{Deserialize, Serialize};

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
    /// An event came into the agent's inbox.
    Event { time: String, agent: String, event_id: String },
    /// This reader was too slow: so many events were left out for it.
    Missed { count: u64 },
}

impl Activity {
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Command { .. } => "command",
            Self::Reply { .. } => "reply",
            Self::Event { .. } => "event",
            Self::Missed { .. } => "missed",
        }
    }
}
