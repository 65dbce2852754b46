//! Which word is being typed, and what kind of word belongs there.

use super::shell;
use crate::topic::{Kind, Topic};

/// The unfinished word at the end of a text, without the slashes of a command.
#[derive(Debug, PartialEq, Eq)]
pub struct Typed<'a> {
    pub word: &'a str,
    pub wanted: Wanted<'a>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted<'a> {
    Nothing,
    /// One of a few.
    Words(&'static [&'static str]),
    Commands,
    /// Any topic there is.
    Topics,
    OpenTopics,
    Kinds,
    /// The fields of an action of the document.
    Fields(&'a str),
    /// What can be opened.
    Target,
    File,
    /// As a shell reads it, which stands elsewhere than the caller.
    ShellFile,
}

impl<'a> Typed<'a> {
    pub fn read(text: &'a str, topic: &Topic) -> Self {
        if let Some(word) = text.strip_prefix(':') {
            return Self { word, wanted: Wanted::Topics };
        }
        if topic.kind() == Kind::Bash && !text.starts_with("//") {
            return match shell::file_word(text) {
                Some(word) => Self { word, wanted: Wanted::ShellFile },
                None => Self { word: "", wanted: Wanted::Nothing },
            };
        }
        let Some((command, rest)) = text.split_once(char::is_whitespace) else {
            return Self::command(text, topic);
        };
        let rest = rest.trim_start();
        let (before, last) = rest.split_at(rest.rfind(char::is_whitespace).map_or(0, |at| at + 1));
        let command = command.trim_start_matches('/');
        let wanted = match (command, before.trim_end()) {
            ("session", "") => Wanted::Words(&["close"]),
            ("session", "close") => Wanted::OpenTopics,
            ("topics" | "sessions", "") => Wanted::Kinds,
            ("help", "") => Wanted::Commands,
            // The rest of the line is one target: names have spaces.
            ("open" | "install", _) => return Self { word: rest, wanted: Wanted::Target },
            ("ls" | "edit" | "write" | "append" | "replace" | "commit" | "log", _) => {
                return Self { word: rest, wanted: Wanted::File };
            }
            _ => match command.strip_prefix("act.").or_else(|| command.strip_prefix("action.")) {
                Some(action) if last.starts_with('-') => Wanted::Fields(action),
                _ => Wanted::Nothing,
            },
        };
        Self { word: last, wanted }
    }

    fn command(text: &'a str, topic: &Topic) -> Self {
        let word = text.trim_start_matches('/');
        let slashes = text.len() - word.len();
        // In a hub its words stand for its commands; in a shell more slashes are a path.
        let is_command = match topic.kind() {
            Kind::Hub => true,
            Kind::Bash => slashes == 2,
            Kind::Tab | Kind::App => slashes > 0,
        };
        Self { word, wanted: if is_command { Wanted::Commands } else { Wanted::Nothing } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_place_wants_its_kind_of_word() {
        let table = [
            ("main", "/op", "op", Wanted::Commands),
            ("main", "//op", "op", Wanted::Commands),
            ("main", "op", "op", Wanted::Nothing),
            ("main", "/session c", "c", Wanted::Words(&["close"])),
            ("main", "/session close d", "d", Wanted::OpenTopics),
            ("main", "/topics t", "t", Wanted::Kinds),
            ("main", "/help top", "top", Wanted::Commands),
            ("main", "/help top x", "x", Wanted::Nothing),
            ("main", ":d", "d", Wanted::Topics),
            ("main", "/open a", "a", Wanted::Target),
            ("main", "/open My notes/a", "My notes/a", Wanted::Target),
            ("main", "/ls ~/no", "~/no", Wanted::File),
            ("main", "/act.find --qu", "--qu", Wanted::Fields("find")),
            ("main", "/act.find --query x --", "--", Wanted::Fields("find")),
            ("main", "/act.find x", "x", Wanted::Nothing),
            ("main", "/info x", "x", Wanted::Nothing),
            ("agent", "li", "li", Wanted::Commands),
            ("bash:dev", "/in", "/in", Wanted::ShellFile),
            ("bash:dev", "//in", "in", Wanted::Commands),
            ("bash:dev", "open a", "a", Wanted::ShellFile),
            ("bash:dev", "op", "", Wanted::Nothing),
            ("bash:dev", "//watch a", "a", Wanted::Nothing),
        ];
        for (topic, text, word, wanted) in table {
            assert_eq!(Typed::read(text, &Topic::parse(topic).unwrap()), Typed { word, wanted }, "{text}");
        }
    }
}
