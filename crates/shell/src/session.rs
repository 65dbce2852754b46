//! A live shell: bash on a terminal, driven turn by turn.

mod attach;
mod control;
mod descriptor;
mod directory;
mod driver;
mod ending;
mod foreground;
mod lifeline;
mod probe;
mod report;
mod request;
pub(crate) mod script;
mod shell;
mod terminal;
mod watch;

use std::path::PathBuf;
use std::time::Duration;

use crate::boundary::Boundary;
use crate::environment::Environment;
use crate::output::{LogFiles, Output};
use crate::status::Status;

pub use attach::{Attachment, End, Shown, Size, Typing};
pub use directory::Directory;
pub use shell::Shell;
pub use watch::{Seen, Until, Watch};

/// How a shell is started.
#[derive(Debug, Clone)]
pub struct Config {
    pub directory: PathBuf,
    pub environment: Environment,
    pub boundary: Boundary,
    pub logs: LogFiles,
}

/// What came of a request, and what is new on the terminal since the last one.
#[derive(Debug, Clone)]
pub struct Turn {
    pub outcome: Outcome,
    /// What the command has printed since it was last asked.
    pub output: Output,
    pub untold: Untold,
    pub directory: Directory,
    /// Where the shell's output went when it began.
    pub streams: Streams,
}

/// What has happened that no turn has returned yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Untold {
    /// What the background has printed while nothing ran.
    pub late: Option<Output>,
    /// Commands that have ended before this one began, with nobody waiting for them.
    pub earlier: Vec<Earlier>,
    /// Text for a program that has ended without reading it, and that was not run either.
    pub unread: Option<String>,
}

/// What an earlier command has made of the shell's standard output and error.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Streams {
    #[default]
    Terminal,
    /// One was closed, with which nothing could be shown any more. It is open again.
    Reopened,
    /// `exec >FILE`: output goes there, as the user wants it.
    Redirected,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    Finished(Status),
    Running(Running),
    /// The shell has ended, and with it everything it had started.
    Died(Death),
    /// Nothing runs, and nothing has ended since the last turn.
    Idle,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Running {
    /// The foreground process.
    pub pid: i32,
    pub waiting_for_input: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Earlier {
    /// The command, if it was typed by a person who is attached.
    pub typed: Option<String>,
    pub status: Status,
    pub output: Output,
}

/// The end of a shell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Death {
    pub status: Status,
    pub cause: Cause,
    /// Where it was last.
    pub directory: Directory,
    pub untold: Untold,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// It ended by itself: `exit`, a signal, `set -e`.
    Ended,
    /// It no longer answered, since the command had taken away what it answers with, or filled it with its own words.
    Lost,
    /// Its own code ignored every signal, so that only killing the shell ended it.
    Killed,
    /// Its guard process was killed.
    GuardLost,
    /// It was closed while a turn waited.
    Closed,
}

/// What runs in a shell, and where.
#[derive(Debug, Clone)]
pub struct Info {
    /// Of bash itself.
    pub pid: i32,
    pub directory: Directory,
    pub running: Option<RunningCommand>,
    /// Set once the shell has ended.
    pub death: Option<Death>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunningCommand {
    /// The payload's text.
    pub payload: String,
    /// The foreground process.
    pub pid: i32,
    pub running_for: Duration,
    /// It takes lines without showing them: what is typed may be a password.
    pub hides_input: bool,
}

/// Text for the program that runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// With Enter at its end.
    Line(String),
    /// As it is, for programs that take single keys.
    Keys(String),
}
