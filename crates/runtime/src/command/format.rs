//! Who reads a command's answer.

use super::{Command, Words};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Text,
    Json,
}

impl Format {
    /// What the words ask for. Takes `--json` out of them.
    pub fn asked(words: &mut Words) -> Self {
        if words.switch("--json") { Self::Json } else { Self::Text }
    }
}

impl Command {
    /// Whether its answer is for people or, by `--json`, for a program.
    pub fn format(&self) -> Format {
        match self {
            Self::App(command) => command.format(),
            Self::Bash(command) => command.format(),
            Self::Agent(command) => command.format(),
            Self::Capability(command) => command.format(),
            Self::Tools(command) => command.format(),
            Self::System(command) => command.format(),
            Self::Event(command) => command.format(),
            Self::Watch(command) => command.format(),
            Self::Durable(command) => command.format(),
            _ => Format::Text,
        }
    }
}
