//! The texts of watch events: short, on few lines, whatever a program or a script wrote.

use super::{Until, What};
use crate::bash::first_line;
use crate::error::one_line;
use crate::state::Entry;
use crate::task::Record;

/// The most of a line, a command or a value that a notice shows.
const SHOWN: usize = 200;

/// How the watch of a shell ends.
#[derive(Debug, Clone)]
pub enum Ending {
    Seen(shell::Seen),
    /// Somebody closed the shell.
    Closed,
    /// The daemon that had the shell is gone, and the shell with it.
    Lost,
}

/// What became of an entry.
#[derive(Debug, Clone)]
pub enum Change {
    Written(Entry),
    Removed,
}

pub(super) fn shell(what: &What, ending: &Ending) -> String {
    let What::Shell { topic, until } = what else { return lost(what) };
    let instead = match until {
        Until::Exit => String::new(),
        Until::Match(text) => format!(" before {text:?} was seen"),
    };
    let next = format!("See what it printed: string {topic} //wait");
    match ending {
        Ending::Seen(shell::Seen::Matched(line)) => format!("{topic} shows: {}\n{next}", short(line.trim())),
        Ending::Seen(shell::Seen::Finished { command, status }) => {
            let first = short(&first_line(command));
            format!("{topic} has ended a command with status {status}: {first}\n{next}")
        }
        Ending::Seen(shell::Seen::Died(status)) => {
            format!("The shell of {topic} has ended with status {status}{instead}.")
        }
        Ending::Closed => format!("The shell of {topic} was closed{instead}."),
        Ending::Lost => lost(what),
    }
}

pub(super) fn state(what: &What, change: &Change) -> String {
    let name = short(&what.to_string());
    match change {
        Change::Written(entry) => {
            format!("{name} has changed to {}: {}", entry.revision, short(entry.value.get()))
        }
        Change::Removed => format!("{name} was removed."),
    }
}

pub(super) fn task(what: &What, record: &Record) -> String {
    let Record { tool, topic, outcome, .. } = record;
    format!("{what} has ended: {} ({tool} in {topic})\nSee more: string tool {what}", outcome.as_str())
}

/// For what cannot have survived the daemon that it ran in.
pub(super) fn lost(what: &What) -> String {
    match what {
        What::Shell { topic, .. } => {
            format!("The shell of {topic} is lost: the daemon has ended since. Any input starts a fresh one.")
        }
        other => format!("{other} is lost if it was running: the daemon has ended since. Start it again."),
    }
}

fn short(text: &str) -> String {
    let cut = text.char_indices().nth(SHOWN).map_or(text.len(), |(at, _)| at);
    let mark = if cut < text.len() { " …" } else { "" };
    format!("{}{mark}", one_line(&text[..cut]))
}
