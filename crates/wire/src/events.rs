//! `/events` and `/webhook`: an agent's inbox as JSON.

use serde::{Deserialize, Serialize};

/// The name of the SSE event that carries an [`EventInfo`]; its id is the event's.
pub const STREAM_EVENT: &str = "event";

/// One page of an inbox, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Events {
    pub events: Vec<EventInfo>,
    /// There are more behind the last one: ask again with `after`.
    pub has_more: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct EventInfo {
    pub id: String,
    pub state: EventState,
    /// Who put it there: `webhook` or `watch`.
    pub source: String,
    pub received: String,
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum EventState {
    Pending,
    /// It reached a live stream.
    Delivered,
    Acked,
}

/// What came of clearing an inbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Cleared {
    pub removed: usize,
}

/// The answer to a post: the event is on disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Received {
    pub ok: bool,
    pub agent_id: String,
    pub event_id: String,
}

/// Where others post events for an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Webhook {
    pub agent_id: String,
    pub url: String,
}
