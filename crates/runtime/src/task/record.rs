//! What is known of a task.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// The tool of its last top-level call.
    pub tool: String,
    pub topic: String,
    /// Milliseconds since the Unix epoch.
    pub started_at: i64,
    pub ended_at: i64,
    pub outcome: Outcome,
    /// Top-level calls so far.
    pub calls: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    Ok,
    Failed,
    /// Only in lists: nothing is kept of a call before it has ended.
    Running,
}

impl Outcome {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Failed => "failed",
            Self::Running => "running",
        }
    }
}
