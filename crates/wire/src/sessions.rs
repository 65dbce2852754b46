//! `/sessions`: an agent's open topics as JSON.

use serde::{Deserialize, Serialize};

use crate::TopicType;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Sessions {
    pub sessions: Vec<SessionInfo>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SessionInfo {
    pub topic: String,
    #[serde(rename = "type")]
    pub topic_type: TopicType,
    /// What `/topics` shows: `current: ~/report.md`, `cwd: ~/projects`, `(no document)`.
    pub detail: String,
    /// The command that runs now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub running: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NewSession {
    pub topic: String,
}
