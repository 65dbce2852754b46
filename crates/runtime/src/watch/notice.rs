//! The texts of watch events: short, on few lines, whatever a program or a script wrote.

use super::{Until, What};
use crate::bash::first_line;
use crate::error::one_line;
use crate::state::Entry;
use crate::task::Record;

/// The most of a line, a command or a value that a notice shows.
const SHOWN: usize = 200;
/// How much it shows of what stands before a text that was looked for, where that is far into a line. A list of
/// events, which shows less, has the text then.
const SHOWN_BEFORE: usize = 30;

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
        Ending::Seen(shell::Seen::Matched(line)) => {
            let shown = match until {
                Until::Match(text) => around(line.trim(), text),
                Until::Exit => short(line.trim()),
            };
            format!("{topic} shows: {shown}\n{next}")
        }
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

/// The part of a line that has the text in it.
fn around(line: &str, text: &str) -> String {
    let at = line.find(text).unwrap_or(0);
    let before = line[..at].chars().count();
    if before + text.chars().count() <= SHOWN {
        return short(line);
    }
    let start = line.char_indices().nth(before.saturating_sub(SHOWN_BEFORE)).map_or(0, |(at, _)| at);
    format!("… {}", short(&line[start..]))
}

fn short(text: &str) -> String {
    let cut = text.char_indices().nth(SHOWN).map_or(text.len(), |(at, _)| at);
    let mark = if cut < text.len() { " …" } else { "" };
    format!("{}{mark}", one_line(&text[..cut]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_far_into_a_line_is_shown_with_what_is_around_it() {
        let far = format!("{}needle{}", "é".repeat(3000), "b".repeat(3000));
        let shown = around(&far, "needle");
        assert!(shown.starts_with(&format!("… {}needleb", "é".repeat(SHOWN_BEFORE))), "{shown}");
        assert!(shown.ends_with("b …") && shown.chars().count() <= SHOWN + 4, "{shown}");
        assert_eq!(around("a needle b", "needle"), "a needle b");
        assert_eq!(around(&format!("{}needle", "a".repeat(3000)), "needle").chars().count(), 38);
        assert!(around(&"n".repeat(500), &"n".repeat(400)).starts_with("… nnn"));
    }
}
