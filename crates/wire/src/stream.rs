//! The shape of everything that is streamed: server-sent events.

use serde::{Deserialize, Serialize};

/// One event of a stream. Its data is JSON; what it is depends on the name of the event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ServerSentEvent {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    pub data: String,
}
