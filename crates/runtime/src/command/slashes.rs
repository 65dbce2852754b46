//! Errors as they are read in a shell, where commands begin with two slashes.

use super::table;
use crate::error::Error;
use crate::topic::{Kind, Topic};

/// The error as it is read in a topic: its hints name the commands that are valid there as they are typed there.
pub fn as_typed_in(topic: &Topic, mut error: Error) -> Error {
    if topic.kind() == Kind::Bash {
        error.hints = error.hints.iter().map(|hint| with_slashes(hint, topic)).collect();
    }
    error
}

fn with_slashes(hint: &str, topic: &Topic) -> String {
    let mut is_for_a_terminal = false;
    let words = hint.split(' ').map(|word| {
        // `string main /info` is typed at a terminal, where the topic stands before the command.
        is_for_a_terminal |= word == "string";
        let slash = if !is_for_a_terminal && names_a_command(word, topic) { "/" } else { "" };
        format!("{slash}{word}")
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Whether a word is a command that is valid here, written with one slash. What stands in quotes is the caller's.
fn names_a_command(word: &str, topic: &Topic) -> bool {
    let name = word.strip_prefix('/').map(|word| word.trim_end_matches([',', '.', ';', ':']));
    name.and_then(|name| table::find(name, topic)).is_some_and(|spec| spec.place.allows(topic))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Code;

    #[test]
    fn hints_name_commands_as_they_are_typed() {
        let said = |hint: &str, topic: &str| {
            let error = Error::new(Code::InvalidParams, "/kill").hint(hint);
            let error = as_typed_in(&Topic::parse(topic).unwrap(), error);
            assert_eq!(error.message, "/kill");
            error.hints[0].clone()
        };
        for (hint, in_a_shell) in [
            ("Usage: /kill", "Usage: //kill"),
            (
                "Remove one: /session close NAME. /topics lists them.",
                "Remove one: //session close NAME. //topics lists them.",
            ),
            ("Stop it with /interrupt, or not", "Stop it with //interrupt, or not"),
            ("Try //help", "Try //help"),
            ("/exec CMD works in: tab, app", "/exec CMD works in: tab, app"),
            ("It is /open/x, /info.md or \"/info\"", "It is /open/x, /info.md or \"/info\""),
            ("Call string main /info", "Call string main /info"),
        ] {
            assert_eq!(said(hint, "bash:dev"), in_a_shell);
            assert_eq!(said(hint, "main"), hint);
        }
    }
}
