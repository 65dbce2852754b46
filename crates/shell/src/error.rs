//! What can go wrong in this crate.

use std::io;

use crate::session::Death;

pub type Result<T, E = Error> = std::result::Result<T, E>;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot start the guard process: {0}")]
    Spawn(#[source] io::Error),
    #[error("the guard process could not {stage}: {message}")]
    Guard { stage: String, message: String },
    #[error("the guard process is gone")]
    GuardLost,
    #[error("bash did not become ready")]
    NotReady,
    #[error("this kernel does not support the boundary: {0}")]
    BoundaryUnsupported(String),
    #[error("a command is still running")]
    Busy,
    #[error("no command is running")]
    NothingRuns,
    #[error("the shell has ended with status {}", .0.status)]
    Gone(Box<Death>),
    #[error("a command cannot contain a NUL byte")]
    NulByte,
    #[error("a line of input is {length} bytes long; the terminal takes at most {limit}")]
    LineTooLong { length: usize, limit: usize },
    #[error("{what}: {source}")]
    Io { what: &'static str, source: io::Error },
}

impl Error {
    /// An input/output error with the thing that was being done.
    pub(crate) fn io(what: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { what, source }
    }
}
