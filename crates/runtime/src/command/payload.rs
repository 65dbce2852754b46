//! A payload: the command line, its body, and further commands below it.

mod mistake;

use self::mistake::{NOTHING_RUN, elsewhere, not_a_command, stray_line, unknown, wrong_place};
use super::table::{self, Body, Spec};
use crate::error::{Code, Error, Result};
use crate::topic::Topic;

/// One command of a payload, not yet understood beyond its name.
#[derive(Debug)]
pub struct Line<'a> {
    pub spec: &'static Spec,
    /// The command line as the agent wrote it, with one slash.
    pub text: &'a str,
    /// What the word says beyond the command's name.
    pub suffix: Suffix<'a>,
    /// What follows the word on its line.
    pub arguments: &'a str,
    /// The lines below, for commands that take content.
    pub body: Option<&'a str>,
}

/// A line that is no command that is valid here.
#[derive(Debug)]
pub struct Wrong<'a> {
    pub text: &'a str,
    pub error: Error,
}

impl Wrong<'_> {
    /// The line as it may be shown: what is not understood may hold anything, also a secret.
    pub fn shown(&self) -> String {
        match split_word(self.text) {
            (word, "") => format!("/{word}"),
            (word, _) => format!("/{word} …"),
        }
    }
}

/// Whether a word that names no command may name an action. Which ones there are, only the session knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Actions {
    Possible,
    /// There is no document.
    Impossible,
}

/// What a word says beyond the name of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Suffix<'a> {
    None,
    /// `search` in `/act.search`, `shout.up` in `/tool:shout.up`.
    Of(&'a str),
    /// The whole word, which names no command and may name an action of the document.
    Bare(&'a str),
}

impl Line<'_> {
    /// All that belongs to the command: the rest of its line, and the lines below.
    pub fn content(&self) -> String {
        match self.body {
            Some(body) => format!("{}\n{body}", self.arguments),
            None => self.arguments.to_owned(),
        }
    }
}

/// Splits a payload into its commands. Nothing runs if it holds a line that belongs to none; a command that is
/// wrong is an error in its place.
pub fn split<'a>(
    payload: &'a str,
    topic: &Topic,
    actions: Actions,
) -> Result<Vec<Result<Line<'a>, Wrong<'a>>>> {
    let mut lines: Vec<Result<Line<'a>, Wrong<'a>>> = Vec::new();
    let mut rest = payload.trim_start();
    if rest.is_empty() {
        return Err(Error::new(Code::CommandUnsupported, "The command is empty.")
            .hint("Try /help for the commands valid here."));
    }
    while !rest.is_empty() {
        let (line, below) = rest.split_once('\n').unwrap_or((rest, ""));
        let line = line.trim_end();
        let Some(text) = command_text(line) else {
            return Err(match lines.pop() {
                None => not_a_command(line, topic),
                Some(Ok(above)) => stray_line(line, above.spec, topic),
                // The text may well be the body of what was meant.
                Some(Err(above)) if lines.is_empty() => above.error,
                Some(Err(above)) => above.error.hint(NOTHING_RUN),
            });
        };
        let (word, arguments) = split_word(text);
        // Which actions there are below other commands depends on what those do.
        let actions = if lines.is_empty() { actions } else { Actions::Impossible };
        let found = find(word, topic, actions);
        let takes_content = found.as_ref().is_ok_and(|(spec, _)| spec.body != Body::None);
        let body = takes_content.then_some(below).filter(|below| !below.is_empty());
        lines.push(match found {
            Ok((spec, suffix)) => Ok(Line { spec, text, suffix, arguments, body }),
            Err(error) => Err(Wrong { text, error }),
        });
        rest = if takes_content { "" } else { skip_blank_lines(below) };
    }
    Ok(lines)
}

/// The word after the slash, and the rest of the line.
pub fn split_word(text: &str) -> (&str, &str) {
    let word = &text[1..];
    match word.split_once(char::is_whitespace) {
        Some((word, rest)) => (word, rest.trim()),
        None => (word, ""),
    }
}

/// The line with one slash, if it is a command at all. `//x` means the same as `/x`.
fn command_text(line: &str) -> Option<&str> {
    let after = line.strip_prefix('/')?;
    Some(if after.starts_with('/') { after } else { line })
}

/// The error for a word that names nothing here.
pub fn not_valid(word: &str, topic: &Topic) -> Error {
    match table::find(word, topic).filter(|_| elsewhere(word, topic).is_none()) {
        Some(spec) => wrong_place(spec, topic),
        None => unknown(word, topic),
    }
}

fn find<'a>(word: &'a str, topic: &Topic, actions: Actions) -> Result<(&'static Spec, Suffix<'a>)> {
    let named = |name: &str| table::find(name, topic).filter(|spec| spec.place.allows(topic));
    if let Some(spec) = named(word) {
        return Ok((spec, Suffix::None));
    }
    let prefixes = [("act", '.'), ("action", '.'), ("tool", ':')];
    for (name, mark) in prefixes {
        let rest = word.split_once(mark).filter(|(head, _)| head.eq_ignore_ascii_case(name));
        if let (Some((_, rest)), Some(spec)) = (rest, named(name)) {
            return Ok((spec, Suffix::Of(rest)));
        }
    }
    let may_be_action = actions == Actions::Possible && sfmd::Id::parse(word).is_some();
    match named("act").filter(|_| may_be_action) {
        Some(spec) => Ok((spec, Suffix::Bare(word))),
        None => Err(not_valid(word.split(['.', ':']).next().unwrap_or(word), topic)),
    }
}

fn skip_blank_lines(text: &str) -> &str {
    let blank =
        text.split_inclusive('\n').take_while(|line| line.trim().is_empty()).map(str::len).sum::<usize>();
    &text[blank..]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(payload: &str) -> Result<Vec<&'static str>> {
        let lines = split(payload, &Topic::main(), Actions::Possible)?.into_iter();
        lines.map(|line| line.map(|line| line.spec.name).map_err(|wrong| wrong.error)).collect()
    }

    fn first<'a>(payload: &'a str, topic: &Topic, actions: Actions) -> Result<Line<'a>, Wrong<'a>> {
        split(payload, topic, actions).unwrap().remove(0)
    }

    #[test]
    fn a_payload_holds_one_or_more_commands() {
        let table: &[(&str, &[&str])] = &[
            ("/info", &["info"]),
            ("//info", &["info"]),
            ("  \n/INFO  ", &["info"]),
            ("/session close a\n/session close b", &["session", "session"]),
            ("/info\r\n\r\n//topics\r\n", &["info", "topics"]),
        ];
        for (payload, expected) in table {
            assert_eq!(&names(payload).unwrap(), expected, "{payload:?}");
        }
    }

    #[test]
    fn what_is_no_command_is_refused() {
        let table = [
            ("", Code::CommandUnsupported),
            ("   \n ", Code::CommandUnsupported),
            ("hello world", Code::CommandUnsupported),
            ("/", Code::CommandUnsupported),
            ("/Opne x", Code::CommandUnsupported),
            ("///info", Code::CommandUnsupported),
            ("/info\n/status", Code::CommandUnsupported),
            ("/info\nnot a command", Code::InvalidParams),
            ("/info\n/frobnicate", Code::CommandUnsupported),
            ("/info\n/wirte a.md\ntext", Code::CommandUnsupported),
        ];
        for (payload, code) in table {
            assert_eq!(names(payload).unwrap_err().code, code, "{payload:?}");
        }
    }

    #[test]
    fn the_nearest_command_is_named() {
        let error = names("/info\n/opne x").unwrap_err();
        assert!(error.to_string().contains("Did you mean /open?"), "{error}");
    }

    #[test]
    fn words_of_other_systems_lead_to_what_is_typed_here() {
        for (word, typed) in mistake::ELSEWHERE.iter().map(|(word, _, typed)| (word, typed)) {
            let payload = format!("/{word} x");
            let error = first(&payload, &Topic::main(), Actions::Impossible).unwrap_err().error.to_string();
            assert!(error.contains(&format!("Did you mean /{typed}?")), "{error}");
        }
        let agent = Topic::parse("agent").unwrap();
        assert!(first("/rm x", &agent, Actions::Impossible).is_ok());
        let hub = first("/cat x", &Topic::parse("system").unwrap(), Actions::Impossible).unwrap_err().error;
        assert!(hub.to_string().contains("Unknown command \"/cat\"."), "{hub}");
    }

    #[test]
    fn words_of_a_hub_lead_to_its_commands() {
        for (line, topic, meant) in [
            ("list", "event", Some("Did you mean /list?")),
            ("ack evt_1 evt_2", "event", Some("Did you mean /ack evt_1 evt_2?")),
            ("string event list --all", "event", Some("Did you mean /list --all?")),
            ("string event list", "main", Some("Did you mean /list in the topic event?")),
            ("list", "main", None),
            ("frobnicate", "event", None),
            ("string theory", "main", None),
        ] {
            let topic = Topic::parse(topic).unwrap();
            let error = split(line, &topic, Actions::Impossible).unwrap_err();
            let hint = error.hints.iter().find(|hint| hint.starts_with("Did you mean"));
            assert_eq!(hint.map(String::as_str), meant, "{line} in {topic}");
        }
    }

    #[test]
    fn errors_say_how_commands_are_written_here_and_where_they_work() {
        let said = |payload: &str, topic: &str| {
            let topic = Topic::parse(topic).unwrap();
            split(payload, &topic, Actions::Impossible).unwrap().remove(0).unwrap_err().error.to_string()
        };
        let slip = said("//topcs", "bash:x");
        assert!(slip.contains("\"//topcs\"") && slip.contains("Did you mean //topics?"), "{slip}");
        assert!(slip.contains("Try //help"), "{slip}");
        let hub = said("/exec ls", "app");
        assert!(
            hub.contains("/exec is not valid in the app hub.") && hub.contains("works in: tab, app"),
            "{hub}"
        );
        let list = said("/list", "main");
        assert!(list.contains("the app hub, the bash hub") && list.contains("the agent hub"), "{list}");
    }

    #[test]
    fn text_for_a_topic_named_like_a_command_may_be_its_arguments() {
        let said = |payload: &str, topic: &str| {
            split(payload, &Topic::parse(topic).unwrap(), Actions::Impossible).unwrap_err().to_string()
        };
        let hint = "Or did you mean the command? string /open foo.md";
        assert!(said("foo.md", "open").contains(hint) && said("foo.md", "Open").contains(hint));
        for topic in ["main", "app:open", "spawn"] {
            assert!(!said("foo.md", topic).contains("did you mean"), "{topic}");
        }
    }

    #[test]
    fn a_word_may_say_more_than_a_command() {
        let table = [
            ("/act", "act", Suffix::None),
            ("/act.search x", "act", Suffix::Of("search")),
            ("/ACTION.get_token", "action", Suffix::Of("get_token")),
            ("/tool:shout.up a", "tool", Suffix::Of("shout.up")),
            ("/search x", "act", Suffix::Bare("search")),
            ("/status", "act", Suffix::Bare("status")),
        ];
        for (payload, name, suffix) in table {
            let line = first(payload, &Topic::main(), Actions::Possible).unwrap();
            assert_eq!((line.spec.name, line.suffix), (name, suffix), "{payload}");
        }
        assert!(first("/search", &Topic::parse("agent").unwrap(), Actions::Possible).is_err());
        assert!(first("/search", &Topic::main(), Actions::Impossible).is_err());
        let say = first("/act.say \"a\nb\"", &Topic::main(), Actions::Impossible).unwrap();
        assert_eq!(say.content(), "\"a\nb\"");
    }

    #[test]
    fn arguments_keep_their_case_and_inner_spaces() {
        let line = first("/OPEN  My  File.md ", &Topic::main(), Actions::Possible).unwrap();
        assert_eq!(line.arguments, "My  File.md");
    }
}
