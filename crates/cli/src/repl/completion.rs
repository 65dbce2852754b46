//! What Tab offers: the daemon knows the commands, topics, actions and files.

use std::rc::Rc;
use std::time::Duration;

use client::Client;
use runtime::topic::Topic;
use rustyline::completion::Completer;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::validate::Validator;
use tokio::runtime::Runtime;
use wire::Typed;

/// A daemon that does not answer by then must not hold up the typing.
const PATIENCE: Duration = Duration::from_millis(300);

pub(super) struct Helper {
    client: Client,
    runtime: Rc<Runtime>,
    cwd: Option<String>,
    pub(super) topic: Topic,
}

impl Helper {
    pub(super) fn new(client: Client, runtime: Rc<Runtime>, cwd: Option<String>, topic: Topic) -> Self {
        Self { client, runtime, cwd, topic }
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
        let typed =
            Typed { topic: self.topic.to_string(), text: line[..at].to_owned(), cwd: self.cwd.clone() };
        let asked = async { tokio::time::timeout(PATIENCE, self.client.complete(&typed)).await };
        Ok(match self.runtime.block_on(asked) {
            Ok(Ok(offer)) if line.is_char_boundary(offer.start) => (offer.start, offer.words),
            _ => (at, Vec::new()),
        })
    }
}

impl Hinter for Helper {
    type Hint = String;
}

impl Highlighter for Helper {}
impl Validator for Helper {}
impl rustyline::Helper for Helper {}
