//! Commands and replies of an interactive session.

use std::borrow::Cow;

use client::{Daemon, Event};
use runtime::topic::Topic;
use wire::{Done, ExecRequest};

use crate::call::OUTDATED;
use crate::daemon::Link;
use crate::environment::{Color, Environment};
use crate::failure::Failure;
use crate::interrupt::{Outcome, fresh_id, watch};
use crate::output;
use crate::progress::{self, CLEAR_LINE};

const RED: &str = "\x1b[31m";
const PLAIN: &str = "\x1b[0m";

pub(super) struct Conversation<'a> {
    link: &'a Link,
    topic: Topic,
    cwd: Option<String>,
    color: Color,
}

/// What came while a command ran.
#[derive(Debug, Default)]
struct Heard {
    live: String,
    content: String,
    last: Last,
}

/// What the cursor stands behind.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Last {
    #[default]
    LineEnd,
    /// Output without its line end.
    Output,
    /// A line that the next thing replaces.
    Progress,
}

impl<'a> Conversation<'a> {
    pub(super) fn new(link: &'a Link, topic: Topic, environment: &Environment) -> Self {
        Self { link, topic, cwd: environment.cwd_text(), color: environment.color }
    }

    pub(super) fn topic(&self) -> &Topic {
        &self.topic
    }

    /// Goes on in another topic.
    pub(super) fn switch(&mut self, name: &str) -> Result<(), Failure> {
        match Topic::parse(name) {
            Ok(topic) => self.topic = topic,
            Err(error) => self.print_error(&error.to_string())?,
        }
        Ok(())
    }

    /// Sends a payload and prints what comes. Only a terminal that cannot be written to ends the session.
    pub(super) async fn send(&mut self, cmd: String) -> Result<(), Failure> {
        let id = fresh_id();
        let request = ExecRequest {
            topic: self.topic.to_string(),
            cmd,
            cwd: self.cwd.clone(),
            request_id: Some(id.clone()),
            ..Default::default()
        };
        match watch(self.link.client(), &id, self.hear(&request)).await? {
            Outcome::Finished(Ok(done)) => {
                // A reply from a canonical topic moves the session there.
                if let Ok(topic) = Topic::parse(&done.topic)
                    && !done.topic.is_empty()
                {
                    self.topic = topic;
                }
                Ok(())
            }
            Outcome::Finished(Err(failure)) => self.print_error(&failure.message),
            Outcome::Abandoned => {
                output::print(&format!("Left it running. {}interrupt stops it.", self.topic.slashes()))
            }
        }
    }

    async fn hear(&self, request: &ExecRequest) -> Result<Done, Failure> {
        let mut execution = self.link.attempt(async || self.link.client().stream(request).await).await?;
        let mut heard = Heard::default();
        loop {
            match execution.next().await.map_err(|error| Failure::no_daemon(error.to_string()))? {
                Some(Event::Output(piece)) => {
                    output::print_piece(&format!("{}{piece}", heard.fresh_for_output()))?;
                    heard.last = if piece.ends_with('\n') { Last::LineEnd } else { Last::Output };
                    heard.live.push_str(&piece);
                }
                Some(Event::Progress(text)) => {
                    output::print_piece(&format!("{}{}", heard.fresh_line(), progress::line(&text)))?;
                    heard.last = Last::Progress;
                }
                Some(Event::Content(content)) => heard.content = content,
                Some(Event::Done(done)) => {
                    output::print_piece(heard.fresh_line())?;
                    self.print_reply(&heard, &done)?;
                    if execution.daemon() == Daemon::Outdated {
                        output::notice(OUTDATED);
                    }
                    return Ok(done);
                }
                Some(Event::Head(_)) => {}
                None => return Err(Failure::no_daemon(client::Error::Incomplete.to_string())),
            }
        }
    }

    fn print_reply(&self, heard: &Heard, done: &Done) -> Result<(), Failure> {
        let text = heard.unseen();
        if done.ok { output::print(&text) } else { self.print_error(&text) }
    }

    fn print_error(&self, text: &str) -> Result<(), Failure> {
        match self.color {
            Color::Allowed => output::print(&format!("{RED}{text}{PLAIN}")),
            Color::Unwanted => output::print(text),
        }
    }
}

impl Heard {
    /// What has to be printed before more output: it goes on where the last piece stopped.
    fn fresh_for_output(&self) -> &'static str {
        if self.last == Last::Progress { CLEAR_LINE } else { "" }
    }

    /// What has to be printed to stand at the start of a line.
    fn fresh_line(&self) -> &'static str {
        match self.last {
            Last::LineEnd => "",
            Last::Output => "\n",
            Last::Progress => CLEAR_LINE,
        }
    }

    /// The reply without what was already printed live: its status line, what stands before the output, and a line
    /// that is not finished, which was only shown as progress.
    fn unseen(&self) -> Cow<'_, str> {
        const RULE: &str = "\n---\n";
        let live = self.live.trim_end();
        let Some((status, body)) = self.content.split_once(RULE).filter(|_| !live.is_empty()) else {
            return Cow::Borrowed(&self.content);
        };
        let unfinished = body.rsplit_once('\n').filter(|_| self.last == Last::Progress);
        let seen = |(lines, rest)| before(live, lines).map(|notes| format!("{notes}{rest}"));
        match seen((body, "")).or_else(|| unfinished.and_then(seen)) {
            None => Cow::Borrowed(&self.content),
            Some(rest) if rest.is_empty() => Cow::Borrowed(status),
            Some(rest) => Cow::Owned(format!("{status}{RULE}{}", rest.trim_end())),
        }
    }
}

/// What stands before the output in lines that end with it.
fn before<'a>(live: &str, lines: &'a str) -> Option<&'a str> {
    let lines = lines.trim_end();
    match lines.strip_suffix(live) {
        Some(notes) if notes.is_empty() || notes.ends_with('\n') => Some(notes),
        // Live output begins with the whole line, of which an earlier reply had the part before the cursor.
        None if !lines.is_empty() && live.ends_with(lines) => Some(""),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unfinished_line_that_was_shown_as_progress_is_printed_once_more() {
        for (live, content, unseen) in [
            ("hi\n", "exit: running\n---\nhi\nname? ", "exit: running\n---\nname?"),
            ("hi\n", "exit: running\n---\n(a note)\nhi\nname? ", "exit: running\n---\n(a note)\nname?"),
            ("a? x\nhi\n", "exit: running\n---\nx\nhi\nname? ", "exit: running\n---\nname?"),
            ("", "exit: running\n---\nname? ", "exit: running\n---\nname? "),
            ("hi\n", "exit: 0\n---\nhi", "exit: 0"),
            ("a\nhi\n", "exit: 0\n---\na\nhi", "exit: 0"),
            ("hi\n", "exit: 0\n---\nho\nname? ", "exit: 0\n---\nho\nname? "),
        ] {
            let heard = Heard { live: live.into(), content: content.into(), last: Last::Progress };
            assert_eq!(heard.unseen(), unseen, "{content}");
        }
    }

    #[test]
    fn live_output_is_not_printed_twice() {
        for (live, content, unseen) in [
            ("", "exit: 0\n---\nhello", "exit: 0\n---\nhello"),
            ("hello\n", "exit: 0\n---\nhello", "exit: 0"),
            ("hello\n", "exit: 0\n---\n(a fresh shell)\nhello", "exit: 0\n---\n(a fresh shell)"),
            ("hello\n", "exit: 0\n---\n(a note)hello", "exit: 0\n---\n(a note)hello"),
            ("hello\n", "exit: 0\n---\nhello, edited", "exit: 0\n---\nhello, edited"),
            ("name? ab\nabab\n", "exit: 0\n---\nab\nabab", "exit: 0"),
            ("name? ab\nabab\n", "exit: 0\n---\n(no output)", "exit: 0\n---\n(no output)"),
            ("hello\n", "ERROR(TIMEOUT): too slow", "ERROR(TIMEOUT): too slow"),
        ] {
            assert_eq!(
                Heard { live: live.into(), content: content.into(), ..Default::default() }.unseen(),
                unseen
            );
        }
    }
}
