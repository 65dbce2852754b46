//! Why a call gave no result.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::host::TooLarge;

pub type Result<T, E = Error> = std::result::Result<T, E>;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum Error {
    /// A module cannot be read, is not understood, or uses what is not supported.
    #[error("{message}")]
    Program { message: String, position: Option<Position> },
    #[error("{0}")]
    Thrown(Thrown),
    #[error("it was stopped after {limit_ms} ms")]
    TimedOut { limit_ms: u64 },
    #[error("it needed more than {} MiB of memory", limit_bytes >> 20)]
    OutOfMemory { limit_bytes: usize },
    #[error("its input has {0}")]
    InputTooLarge(TooLarge),
    #[error("its output has {0}")]
    OutputTooLarge(TooLarge),
    #[error("it waits for something that never happens")]
    Stuck,
    #[error("its worker process ended in the middle of the call")]
    Lost,
    #[error("no worker process could be started: {0}")]
    Spawn(String),
    #[error("no further calls are taken")]
    Closed,
}

/// What a script threw.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Thrown {
    pub name: String,
    pub message: String,
    pub code: Option<String>,
    pub retryable: bool,
    /// Where, in the author's source.
    pub position: Option<Position>,
}

/// A place in a module as its author wrote it; lines and columns count from 1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    pub file: String,
    pub line: u32,
    pub column: u32,
}

impl Error {
    pub(crate) fn program(message: impl Into<String>) -> Self {
        Self::Program { message: message.into(), position: None }
    }

    /// Where it happened, if the script's own source is to blame.
    pub fn position(&self) -> Option<&Position> {
        match self {
            Self::Program { position, .. } => position.as_ref(),
            Self::Thrown(thrown) => thrown.position.as_ref(),
            _ => None,
        }
    }

    /// Whether the same call may succeed later.
    pub fn is_retryable(&self) -> bool {
        matches!(self, Self::Thrown(Thrown { retryable: true, .. }) | Self::Lost)
    }
}

impl fmt::Display for Thrown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.name.as_str(), self.message.as_str()) {
            ("", "") => f.write_str("it threw something that does not say why"),
            ("" | "Error", message) if !message.is_empty() => f.write_str(message),
            (name, "") => f.write_str(name),
            (name, message) => write!(f, "{name}: {message}"),
        }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}
