//! The words of the app hub, and how they are typed.

use crate::command::table::Verb::App;
use crate::command::table::{Place, Spec, row};
use crate::command::{Format, Words};
use crate::error::Result;
use crate::package::parse_name;
use crate::topic::{Hub, Name};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    List,
    Info,
}

const HERE: Place = Place::Hub(Hub::App);

/// In the order `/help` shows them.
pub static WORDS: &[Spec] = &[
    row(App(Verb::List), "list", "/list [--json]", "installed apps and open app topics", HERE),
    row(App(Verb::Info), "info", "/info [NAME]", "one app: version, source, files", HERE),
];

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    List(Format),
    Info(Name),
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
            Verb::Info => match words.take() {
                Some(name) => Self::Info(parse_name(name.trim_start_matches("app:"))?),
                None => Self::List(Format::Text),
            },
        };
        words.done()?;
        Ok(command)
    }
}
