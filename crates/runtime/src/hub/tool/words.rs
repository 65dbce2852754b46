//! The words of the tool hub, and how they are typed.

use crate::command::table::Verb::Tools;
use crate::command::table::{Place, Spec, row};
use crate::command::{Format, Words};
use crate::error::Result;
use crate::task;
use crate::topic::Hub;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    List,
    Info,
    Tasks,
    Task,
    Purge,
}

const HERE: Place = Place::Hub(Hub::Tool);

/// In the order `/help` shows them.
pub static WORDS: &[Spec] = &[
    row(Tools(Verb::List), "list", "/list [--json]", "tools and skills, with one line each", HERE),
    row(
        Tools(Verb::Info),
        "info",
        "/info NAME [--json]",
        "one tool or skill: what it takes and may use",
        HERE,
    ),
    row(
        Tools(Verb::Tasks),
        "tasks",
        "/tasks [--json]",
        "tasks that are known or have left state behind",
        HERE,
    ),
    row(Tools(Verb::Task), "task", "/task ID [--json]", "one task: its state and what happened in it", HERE),
    row(Tools(Verb::Purge), "purge", "/purge ID… | --all", "remove tasks with their state", HERE),
];

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    List(Format),
    Info(String, Format),
    Tasks(Format),
    Task(task::Id, Format),
    Purge(Vec<task::Id>),
    PurgeAll,
}

impl Command {
    pub fn format(&self) -> Format {
        match self {
            Self::List(format) | Self::Info(_, format) | Self::Tasks(format) | Self::Task(_, format) => {
                *format
            }
            _ => Format::Text,
        }
    }

    pub fn parse(verb: Verb, mut words: Words) -> Result<Self> {
        let format = match verb {
            // What has happened is said in words.
            Verb::Purge => Format::Text,
            _ => Format::asked(&mut words),
        };
        let command = match verb {
            Verb::List => Self::List(format),
            Verb::Info => Self::Info(words.required("NAME")?.trim_start_matches("tool:").to_owned(), format),
            Verb::Tasks => Self::Tasks(format),
            Verb::Task => Self::Task(task::Id::parse(&words.required("ID")?)?, format),
            Verb::Purge if words.switch("--all") => Self::PurgeAll,
            Verb::Purge => {
                let first = words.required("ID")?;
                let ids = std::iter::once(first).chain(words.rest()?);
                return Ok(Self::Purge(ids.map(|id| task::Id::parse(&id)).collect::<Result<_>>()?));
            }
        };
        words.done()?;
        Ok(command)
    }
}
