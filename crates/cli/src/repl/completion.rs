//! What the daemon knows while a line is typed: what Tab offers, who reads the line, and whether it may be shown.

use std::borrow::Cow;
use std::rc::Rc;
use std::time::Duration;

use client::Client;
use runtime::topic::{Kind, Topic};
use rustyline::completion::Completer;
use rustyline::highlight::{CmdKind, Highlighter};
use rustyline::hint::Hinter;
use rustyline::validate::Validator;
use tokio::runtime::Runtime;
use unicode_width::UnicodeWidthStr as _;
use wire::{Offer, Typed};

/// A daemon that does not answer by then must not hold up the typing.
const PATIENCE: Duration = Duration::from_millis(300);

/// Who reads the next line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reader {
    /// This prompt, for its topic.
    Topic,
    /// The program that runs in the shell.
    Program,
    /// The same, and it does not show what it reads.
    Unseen,
}

pub(super) struct Helper {
    client: Client,
    runtime: Rc<Runtime>,
    cwd: Option<String>,
    pub(super) topic: Topic,
    /// What is typed now must not be seen.
    pub(super) hidden: bool,
}

impl Helper {
    pub(super) fn new(client: Client, runtime: Rc<Runtime>, cwd: Option<String>, topic: Topic) -> Self {
        Self { client, runtime, cwd, topic, hidden: false }
    }

    pub(super) fn reader(&self) -> Reader {
        if self.topic.kind() != Kind::Bash {
            return Reader::Topic;
        }
        match self.ask("") {
            Some(Offer { hidden: true, .. }) => Reader::Unseen,
            Some(Offer { running: true, .. }) => Reader::Program,
            _ => Reader::Topic,
        }
    }

    fn ask(&self, text: &str) -> Option<Offer> {
        let typed = Typed { topic: self.topic.to_string(), text: text.to_owned(), cwd: self.cwd.clone() };
        let asked = async { tokio::time::timeout(PATIENCE, self.client.complete(&typed)).await };
        self.runtime.block_on(asked).ok()?.ok()
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
        let offer = if self.hidden { None } else { self.ask(&line[..at]) };
        Ok(match offer {
            Some(offer) if line.is_char_boundary(offer.start) => (offer.start, offer.words),
            _ => (at, Vec::new()),
        })
    }
}

impl Hinter for Helper {
    type Hint = String;
}

impl Highlighter for Helper {
    /// As many columns, all of them empty: the editor counts on that.
    fn highlight<'l>(&self, line: &'l str, _: usize) -> Cow<'l, str> {
        if self.hidden { Cow::Owned(" ".repeat(line.width())) } else { Cow::Borrowed(line) }
    }

    fn highlight_char(&self, _: &str, _: usize, kind: CmdKind) -> bool {
        self.hidden && kind != CmdKind::MoveCursor
    }
}

impl Validator for Helper {}
impl rustyline::Helper for Helper {}
