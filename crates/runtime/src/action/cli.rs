//! Command actions: from a definition and its fields to a line for bash, and the interface to what runs it.

use std::path::PathBuf;
use std::time::Duration;

use futures::future::BoxFuture;
use sfmd::{Action, Template};

use super::Trust;
use super::definition::Definition;
use super::http::LONGEST_LIMIT;
use crate::agent::{Agent, Boundary};
use crate::error::{Code, Error, Result};
use crate::substitute::{self, command_line, fill_line};

/// How long a command may run, unless the action says otherwise.
pub const COMMAND_LIMIT: Duration = Duration::from_secs(120);

/// Runs command lines with `bash -c`, within the boundary of an agent.
pub trait Commands: Send + Sync {
    fn run<'a>(&'a self, command: Command, agent: &'a Agent) -> BoxFuture<'a, Result<Finished>>;
}

/// A command, ready to run: the line refers to its values by their names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    pub line: String,
    pub directory: PathBuf,
    pub values: Vec<(String, String)>,
    pub limit: Duration,
}

/// How a command ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    pub end: End,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    Exit(i32),
    TimedOut,
}

/// Makes the command of an action that a document in `directory` declares.
pub fn prepare(
    action: &Action,
    line: &Template,
    definition: &Definition<'_>,
    trust: &Trust,
    directory: PathBuf,
    agent: &Agent,
) -> Result<Command> {
    trust.require_local("run commands")?;
    if agent.boundary == Boundary::Off {
        return Err(Error::new(Code::NotAllowed, "This agent may not run commands: its boundary is off.")
            .hint("A person may change that: string agent boundary workspace"));
    }
    let names = substitute::missing([line], definition);
    // A `$NAME` without a value belongs to the shell.
    let missing: Vec<String> = names.into_iter().filter(|name| name.starts_with('{')).collect();
    if !missing.is_empty() {
        return Err(substitute::undefined(missing).hint("Nothing was run."));
    }
    let built = command_line(&fill_line(line, definition)?)?;
    let limit = action.timeout.unwrap_or(COMMAND_LIMIT).min(LONGEST_LIMIT);
    Ok(Command { line: built.line, directory, values: built.values, limit })
}
