//! The words of the system hub, and how they are typed.

use crate::command::table::Verb::{Durable, System};
use crate::command::table::{Place, Spec, content, row};
use crate::command::{Format, Words};
use crate::error::Result;
use crate::hub::logs;
use crate::topic::Hub;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    Status,
    Env,
    Logs,
    Doctor,
    Stop,
}

const HERE: Place = Place::Hub(Hub::System);

/// In the order `/help` shows them.
pub static WORDS: &[Spec] = &[
    row(System(Verb::Status), "status", "/status [--json]", "version, uptime, memory, agents, topics", HERE),
    row(System(Verb::Env), "env", "/env [--json]", "what shells see, and which $NAME are set", HERE),
    row(System(Verb::Logs), "logs", "/logs [-n N] [--audit] [--json] [-f]", "the end of a log", HERE),
    row(System(Verb::Doctor), "doctor", "/doctor [--json]", "what is wrong here, and how to repair it", HERE),
    content(
        Durable,
        "state",
        "/state [ls|get|put|rm|export|import|backup|check …]",
        "look at durable state and change it; /state alone says more",
        HERE,
    ),
    row(System(Verb::Stop), "stop", "/stop", "stop the daemon", HERE),
];

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    Status(Format),
    Env(Format),
    Logs(logs::Asked),
    Doctor(Format),
    Stop,
}

impl Command {
    pub fn format(&self) -> Format {
        match self {
            Self::Status(format) | Self::Env(format) | Self::Doctor(format) => *format,
            Self::Logs(asked) => asked.format,
            Self::Stop => Format::Text,
        }
    }

    pub fn parse(verb: Verb, mut words: Words) -> Result<Self> {
        let command = match verb {
            Verb::Status => Self::Status(Format::asked(&mut words)),
            Verb::Env => Self::Env(Format::asked(&mut words)),
            Verb::Logs => Self::Logs(logs::Asked::parse(&mut words)?),
            Verb::Doctor => Self::Doctor(Format::asked(&mut words)),
            Verb::Stop => Self::Stop,
        };
        words.done()?;
        Ok(command)
    }
}
