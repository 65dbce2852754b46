//! The words of the bash hub, and how they are typed.

use crate::command::table::Verb::{Bash, Spawn};
use crate::command::table::{Place, Spec, row};
use crate::command::{Format, Words};
use crate::error::{Code, Error, Result, quoted};
use crate::topic::{Hub, Name};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    List,
    Kill,
}

const HERE: Place = Place::Hub(Hub::Bash);

/// In the order `/help` shows them.
pub static WORDS: &[Spec] = &[
    row(Bash(Verb::List), "list", "/list [--json]", "live shells: pid, directory, what runs", HERE),
    row(Spawn, "spawn", "/spawn NAME", "start a shell", HERE),
    row(Bash(Verb::Kill), "kill", "/kill NAME", "end a shell; its topic stays", HERE),
];

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    List(Format),
    Kill(Name),
}

impl Command {
    pub fn format(&self) -> Format {
        match self {
            Self::List(format) => *format,
            _ => Format::Text,
        }
    }

    pub fn parse(verb: Verb, mut words: Words) -> Result<Self> {
        let command = match verb {
            Verb::List => Self::List(Format::asked(&mut words)),
            Verb::Kill => Self::Kill(name(&words.required("NAME")?)?),
        };
        words.done()?;
        Ok(command)
    }
}

/// The topic that a name means, with or without its prefix.
pub fn name(text: &str) -> Result<Name> {
    let name = text.strip_prefix("bash:").unwrap_or(text);
    Name::parse(name).ok_or_else(|| {
        Error::new(Code::InvalidTarget, format!("Not a name for a shell: {}", quoted(text)))
            .hint("Names are letters, digits, _ and -, such as dev.")
    })
}
