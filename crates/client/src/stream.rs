//! Replies that come in pieces: a command while it runs, and what happens in the daemon.

use http_body_util::BodyExt;
use serde::de::DeserializeOwned;
use wire::{Activity, Done, Head, event};

use crate::connection::Received;
use crate::sse::{Frame, Parser};
use crate::{Daemon, Error};

/// One piece of a streamed reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// Where the reply comes from; always first.
    Head(Head),
    /// Live output of a command that is still running.
    Output(String),
    /// How far a long command has come.
    Progress(String),
    /// The whole reply.
    Content(String),
    /// The outcome; always last.
    Done(Done),
}

/// A command that runs. Dropping it closes the connection; the command itself goes on.
#[derive(Debug)]
pub struct Execution {
    frames: Frames,
    daemon: Daemon,
    state: State,
}

/// What happens in the daemon, as it happens.
#[derive(Debug)]
pub struct Activities {
    frames: Frames,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Running,
    Over,
}

#[derive(Debug)]
struct Frames {
    received: Received,
    parser: Parser,
}

impl Execution {
    pub(crate) fn new(received: Received, daemon: Daemon) -> Self {
        Self { frames: Frames::new(received), daemon, state: State::Running }
    }

    /// Whether the daemon that runs this command is as new as the client.
    pub fn daemon(&self) -> Daemon {
        self.daemon
    }

    /// The next event; `None` after `Done`. A stream that ends before `Done` is an error.
    pub async fn next(&mut self) -> Result<Option<Event>, Error> {
        if self.state == State::Over {
            return Ok(None);
        }
        loop {
            let frame = self.frames.next().await?.ok_or(Error::Incomplete)?;
            let data = &frame.data;
            let event = match frame.name.as_str() {
                event::HEAD => Event::Head(read(data)?),
                event::OUTPUT => Event::Output(read(data)?),
                event::PROGRESS => Event::Progress(read(data)?),
                event::CONTENT => Event::Content(read(data)?),
                event::DONE => {
                    self.state = State::Over;
                    Event::Done(read(data)?)
                }
                // A newer daemon may say more than this client understands.
                _ => continue,
            };
            return Ok(Some(event));
        }
    }
}

impl Activities {
    pub(crate) fn new(received: Received) -> Self {
        Self { frames: Frames::new(received) }
    }

    /// The next event; `None` when the daemon ends the stream.
    pub async fn next(&mut self) -> Result<Option<Activity>, Error> {
        let frame = self.frames.next().await?;
        frame.map(|frame| read(&frame.data)).transpose()
    }
}

impl Frames {
    fn new(received: Received) -> Self {
        Self { received, parser: Parser::default() }
    }

    async fn next(&mut self) -> Result<Option<Frame>, Error> {
        loop {
            if let Some(frame) = self.parser.next() {
                return Ok(Some(frame));
            }
            match self.received.response.frame().await {
                Some(piece) => {
                    if let Some(bytes) = piece?.data_ref() {
                        self.parser.push(bytes);
                    }
                }
                None => return Ok(None),
            }
        }
    }
}

fn read<T: DeserializeOwned>(data: &str) -> Result<T, Error> {
    Ok(serde_json::from_str(data)?)
}
