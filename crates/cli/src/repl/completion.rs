//! What Tab offers: commands, the words of a hub, and topics.

use std::rc::Rc;
use std::time::Duration;

use client::Client;
use runtime::command::table;
use runtime::topic::{Hub, Kind, Topic};
use rustyline::completion::Completer;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::validate::Validator;
use tokio::runtime::Runtime;
use wire::{SessionInfo, TopicType};

/// A daemon that does not answer by then must not hold up the typing.
const PATIENCE: Duration = Duration::from_millis(300);

pub(super) struct Helper {
    client: Client,
    runtime: Rc<Runtime>,
    pub(super) topic: Topic,
}

impl Helper {
    pub(super) fn new(client: Client, runtime: Rc<Runtime>, topic: Topic) -> Self {
        Self { client, runtime, topic }
    }

    fn sessions(&self) -> Vec<SessionInfo> {
        let asked =
            self.runtime.block_on(async { tokio::time::timeout(PATIENCE, self.client.sessions()).await });
        match asked {
            Ok(Ok(open)) => open.sessions,
            _ => Vec::new(),
        }
    }
}

impl Completer for Helper {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        at: usize,
        _: &rustyline::Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        Ok(candidates(&line[..at], &self.topic, || self.sessions()))
    }
}

impl Hinter for Helper {
    type Hint = String;
}

impl Highlighter for Helper {}
impl Validator for Helper {}
impl rustyline::Helper for Helper {}

/// Where the word being typed starts, and what it may become. `open` is asked only when topics are wanted.
fn candidates(typed: &str, topic: &Topic, open: impl FnOnce() -> Vec<SessionInfo>) -> (usize, Vec<String>) {
    if let Some(name) = typed.strip_prefix(':') {
        return (1, matching(name, all_topics(open())));
    }
    let start = typed.rfind(char::is_whitespace).map_or(0, |at| at + 1);
    let (before, word) = typed.split_at(start);
    let before: Vec<_> = before.split_whitespace().collect();
    if before.is_empty() {
        let slashes = word.len() - word.trim_start_matches('/').len();
        // In a hub its words stand for its commands; in a shell one slash is a path.
        let wanted = match topic.kind() {
            Kind::Hub => true,
            Kind::Bash => slashes == 2,
            Kind::Tab | Kind::App => slashes > 0,
        };
        let names = if wanted { commands(topic) } else { Vec::new() };
        return (slashes, matching(&word[slashes..], names));
    }
    let command = before[0].trim_start_matches('/');
    let offered = match (command, &before[1..]) {
        ("open", []) => canonical_topics(open()),
        ("session", []) => vec!["close".to_owned()],
        ("session", ["close"]) => open().into_iter().map(|session| session.topic).collect(),
        ("topics" | "sessions", []) => Kind::ALL.iter().map(|kind| kind.as_str().to_owned()).collect(),
        ("help", []) => commands(topic),
        _ => Vec::new(),
    };
    (start, matching(word, offered))
}

fn commands(topic: &Topic) -> Vec<String> {
    table::valid_in(topic).map(|command| command.name.to_owned()).collect()
}

/// What `/open` takes for a topic: tabs have no address there, a bare word is a file.
fn canonical_topics(open: Vec<SessionInfo>) -> Vec<String> {
    all_topics(open.into_iter().filter(|session| session.topic_type != TopicType::Tab).collect())
}

/// The open ones, and the hubs, which always exist.
fn all_topics(open: Vec<SessionInfo>) -> Vec<String> {
    let open = open.into_iter().map(|session| session.topic);
    open.chain(Hub::ALL.iter().map(|hub| hub.as_str().to_owned())).collect()
}

fn matching(word: &str, mut offered: Vec<String>) -> Vec<String> {
    offered.retain(|candidate| candidate.starts_with(word));
    offered.sort_unstable();
    offered.dedup();
    offered
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open() -> Vec<SessionInfo> {
        [
            ("main", TopicType::Tab),
            ("docs", TopicType::Tab),
            ("app:mail", TopicType::App),
            ("agent", TopicType::Hub),
        ]
        .map(|(topic, topic_type)| SessionInfo {
            topic: topic.into(),
            topic_type,
            detail: String::new(),
            running: None,
        })
        .into()
    }

    #[test]
    fn tab_offers_what_fits() {
        let table: &[(&str, &str, usize, &[&str])] = &[
            ("main", "/op", 1, &["open"]),
            ("main", "//op", 2, &["open"]),
            ("main", "/list", 1, &[]),
            ("main", "op", 0, &[]),
            ("main", "/session c", 9, &["close"]),
            ("main", "/session close ", 15, &["agent", "app:mail", "docs", "main"]),
            ("main", "/session close d", 15, &["docs"]),
            ("main", "/open a", 6, &["agent", "app", "app:mail"]),
            ("main", "/open d", 6, &[]),
            ("main", "/topics t", 8, &["tab"]),
            ("main", "/help top", 6, &["topics"]),
            ("main", ":d", 1, &["docs"]),
            ("main", "/info x", 6, &[]),
            ("agent", "li", 0, &["list"]),
            ("agent", "/li", 1, &["list"]),
            ("system", "li", 0, &[]),
            ("bash:dev", "/in", 1, &[]),
            ("bash:dev", "//in", 2, &["info", "interrupt"]),
        ];
        for (topic, typed, start, expected) in table {
            let found = candidates(typed, &Topic::parse(topic).unwrap(), open);
            assert_eq!(found.0, *start, "{typed}");
            assert_eq!(found.1, *expected, "{typed}");
        }
    }

    #[test]
    fn the_daemon_is_asked_only_for_topics() {
        let asked = || -> Vec<SessionInfo> { panic!("asked the daemon") };
        candidates("/info", &Topic::main(), asked);
    }
}
