//! How a call of the binary can end.

use std::process::ExitCode;

/// The exit statuses that scripts can rely on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    Done,
    /// The command failed, or something on this side did.
    Failed,
    /// The command line or the environment makes no sense.
    Usage,
    /// The daemon could not be reached or started.
    NoDaemon,
    /// Left by a second Ctrl-C.
    Interrupted,
}

/// An error of the binary itself, as opposed to a reply that says a command failed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) status: Status,
    /// For stderr; empty when there is nothing to say.
    pub(crate) message: String,
    /// The reply that a command would get, where it can be given one.
    pub(crate) reply: Option<wire::Error>,
}

impl Failure {
    pub(crate) fn new(status: Status, message: impl Into<String>) -> Self {
        Self { status, message: message.into(), reply: None }
    }

    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Status::Usage, message)
    }

    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self::new(Status::Failed, message)
    }

    /// A settings file that cannot be used, and what to do about it.
    pub(crate) fn settings(problem: String, repair: &str) -> Self {
        let message = format!("{problem}\n  {repair}");
        let code = runtime::error::Code::LoadError.as_str().to_owned();
        let reply = wire::Error { code, message: problem, hints: vec![repair.to_owned()] };
        Self { reply: Some(reply), ..Self::failed(message) }
    }

    pub(crate) fn no_daemon(message: impl Into<String>) -> Self {
        Self::new(Status::NoDaemon, message)
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(match status {
            Status::Done => 0,
            Status::Failed => 1,
            Status::Usage => 2,
            Status::NoDaemon => 3,
            // What shells report for a process that SIGINT ended.
            Status::Interrupted => 130,
        })
    }
}
