//! What is installed: apps and tools, as their hubs list them.

use super::agent::Format;
use crate::command::Arguments;
use crate::error::Result;
use crate::reply::with_body;

/// What a hub lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    Apps,
    Tools,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Command {
    what: What,
    format: Format,
}

impl Command {
    pub fn parse(what: What, arguments: Arguments<'_>) -> Result<Self> {
        let mut words = arguments.words()?;
        let format = if words.switch("--json") { Format::Json } else { Format::Text };
        words.done()?;
        Ok(Self { what, format })
    }
}

pub fn run(command: Command) -> String {
    match command.format {
        Format::Json => "[]".to_owned(),
        Format::Text => with_body(command.what.title(), &list(command.what)),
    }
}

pub fn list(what: What) -> String {
    match what {
        What::Apps => "No apps are installed.".to_owned(),
        What::Tools => "No tools are installed.".to_owned(),
    }
}

impl What {
    pub fn title(self) -> &'static str {
        match self {
            Self::Apps => "Apps",
            Self::Tools => "Tools",
        }
    }
}
