//! What every transport turns its input into: one payload for one topic of one agent.

use std::path::PathBuf;

use crate::origin::Origin;

#[derive(Debug, Clone)]
pub struct Request {
    /// As the caller gave it; whether such an agent exists is checked when the request runs.
    pub agent: String,
    /// As the caller wrote it.
    pub topic: String,
    /// The command line and, below it, its body or further commands.
    pub payload: String,
    /// The caller's working directory.
    pub cwd: Option<PathBuf>,
    /// The task that tool calls belong to, if the caller names one.
    pub task: Option<String>,
    pub origin: Origin,
}
