//! The protocol's messages as lines of two streams.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rmcp::RoleServer;
use rmcp::model::{GetExtensions, JsonRpcMessage, NumberOrString};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio_util::sync::CancellationToken;

use super::due::{Due, answers};
use super::encode;
use super::lines::{Line, Lines};
use super::message::{self, Parsed};
use super::opening::Opening;
use super::pace::LOOK;
use super::record::Record;
use super::streams::{Input, Output, Streams, Written};
use crate::{Place, invalid};

/// As much is read at once; nearly every message is smaller.
const CHUNK: usize = 16 * 1024;

/// Says that the input has ended only when no answer is due any more.
pub(super) struct LineTransport {
    input: Input,
    output: Output,
    due: Due,
    lines: Lines,
    /// What the client said to the server before this one. Nothing else is handed on before it is settled.
    replayed: VecDeque<RxJsonRpcMessage<RoleServer>>,
    /// What has come in, and is due already, but was not handed on yet.
    received: VecDeque<RxJsonRpcMessage<RoleServer>>,
    buffer: Box<[u8]>,
    /// Whether the client has said something that a conversation begins with.
    has_begun: bool,
    /// Cancelled when nobody will be told of changes any more.
    ending: CancellationToken,
    ended: Ended,
    stop: CancellationToken,
}

/// Whether the client has closed its side.
#[derive(Debug, Clone, Default)]
pub(super) struct Ended(Arc<AtomicBool>);

impl Ended {
    pub(super) fn at_input(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl LineTransport {
    pub(super) fn new(
        streams: Streams,
        record: Record,
        stop: CancellationToken,
        ending: CancellationToken,
    ) -> Self {
        let input = record.input();
        let (due, replayed) = Due::resume(record);
        let mut transport = Self {
            input: streams.input,
            output: streams.output,
            due,
            lines: Lines::default(),
            replayed: replayed.into(),
            received: VecDeque::new(),
            buffer: vec![0; CHUNK].into(),
            has_begun: false,
            ending,
            ended: Ended::default(),
            stop,
        };
        transport.take_kept(&input);
        transport
    }

    pub(super) fn ended(&self) -> Ended {
        self.ended.clone()
    }

    /// Says where a command is to run: on this thread only while no other one wants it.
    fn placed(&self, mut message: RxJsonRpcMessage<RoleServer>) -> RxJsonRpcMessage<RoleServer> {
        if let JsonRpcMessage::Request(request) = &mut message
            && self.due.is_crowded()
        {
            request.request.extensions_mut().insert(Place::Elsewhere);
        }
        message
    }

    /// Looks whether a client that goes on quickly does so again. Nothing is owed then, so nobody is kept waiting.
    fn look(&mut self) -> Option<io::Result<usize>> {
        if !self.due.is_quick() {
            return None;
        }
        let read = self.input.look(&mut self.buffer, LOOK);
        if read.is_none() {
            self.due.missed();
        }
        read
    }

    /// Takes in what was read. It is on record before anybody looks at it, but for a message that came alone and as a
    /// whole: that one is on record as soon as it is understood, in the same call.
    fn take_read(&mut self, bytes: &[u8]) {
        let is_one_message =
            self.lines.begun().is_empty() && memchr::memchr(b'\n', bytes) == Some(bytes.len() - 1);
        if is_one_message {
            self.take(bytes);
        } else {
            self.due.keep(self.lines.begun(), bytes);
            self.take_kept(bytes);
        }
    }

    /// Takes in bytes that are on record as such, until they are understood.
    fn take_kept(&mut self, bytes: &[u8]) {
        let has_end = self.take(bytes);
        let begun = self.lines.begun();
        // A long message that goes on is on record as it is.
        if has_end || begun.is_empty() {
            self.due.taken_but(begun);
        }
    }

    /// From here on, every request in these bytes is owed an answer. Says whether a message ended in them.
    fn take(&mut self, bytes: &[u8]) -> bool {
        let (mut messages, mut wrong) = (Vec::new(), Vec::new());
        let mut has_end = false;
        self.lines.feed(bytes, |line| {
            has_end = true;
            match line {
                Line::TooLong(beginning) => wrong.push(invalid::too_long(beginning)),
                Line::Whole(line) => match message::parse(line) {
                    Parsed::Message(message) => messages.push(*message),
                    Parsed::Nothing => {}
                    Parsed::Invalid => wrong.push(invalid::answer(line)),
                },
            }
        });
        wrong.extend(self.due.received(&mut messages).into_iter().map(invalid::taken));
        self.received.extend(messages);
        for answer in wrong {
            // It is written already, unless the client reads nothing. It answers what was never due.
            tokio::spawn(self.write(Some(answer), None));
        }
        has_end
    }

    /// Nearly every message fits into the stream at once, and is on its way when this returns.
    fn write(
        &self,
        item: Option<TxJsonRpcMessage<RoleServer>>,
        answered: Option<NumberOrString>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + use<> {
        let due = self.due.clone();
        let written = match item {
            Some(item) => encode::line(item).and_then(|line| self.output.write(line)),
            None => Ok(Written::Whole),
        };
        let settle = move |due: &Due| {
            if let Some(id) = &answered {
                due.settle(id);
            }
        };
        let rest = match written {
            Ok(Written::Rest(rest)) => {
                due.waits(rest.len());
                Some(Ok(rest))
            }
            // Nothing more can be done about one that cannot be written.
            Ok(Written::Whole) => {
                settle(&due);
                None
            }
            Err(error) => {
                settle(&due);
                Some(Err(error))
            }
        };
        async move {
            let Some(rest) = rest.transpose()? else { return Ok(()) };
            let length = rest.len();
            let outcome = rest.finish().await;
            due.waits_no_more(length);
            settle(&due);
            outcome
        }
    }
}

impl Transport<RoleServer> for LineTransport {
    type Error = io::Error;

    fn name() -> Cow<'static, str> {
        "standard input and output".into()
    }

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let item = self.due.restored(item);
        let answered = item.as_ref().and_then(answers).cloned();
        if let (Some(JsonRpcMessage::Response(_)), Some(id)) = (&item, &answered) {
            self.due.grant(id);
        }
        let shown = item.and_then(|item| self.due.shown(item));
        self.write(shown, answered)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if let Some(message) = self.replayed.pop_front() {
                self.has_begun = true;
                return Some(message);
            }
            self.due.wait_for_replayed().await;
            if let Some(message) = self.received.pop_front() {
                if self.has_begun {
                    return Some(self.placed(message));
                }
                // A client that goes on after its server died may do so with a notification, which begins nothing.
                let JsonRpcMessage::Request(request) = &message else { continue };
                match Opening::of(&request.request) {
                    Opening::Begins => self.has_begun = true,
                    Opening::Aside => {}
                    Opening::TooEarly(why) => {
                        let refused = JsonRpcMessage::error(why, Some(request.id.clone()));
                        tokio::spawn(self.send(refused));
                        continue;
                    }
                }
                return Some(self.placed(message));
            }
            if self.ended.at_input() || self.stop.is_cancelled() {
                self.due.wait_for_all_but_endless().await;
                self.ending.cancel();
                // What begins only now ends at once, and needs whoever waits here to be told so.
                self.due.wait_for_all().await;
                return None;
            }
            self.due.wait_for_room().await;
            let read = match self.look() {
                Some(read) => read,
                None => tokio::select! {
                    biased;
                    read = self.input.read(&mut self.buffer) => read,
                    () = self.stop.cancelled() => continue,
                },
            };
            match read {
                Ok(0) => {
                    self.ended.0.store(true, Ordering::Relaxed);
                    // A last line counts without its end too; an empty line more is nothing.
                    self.take_read(b"\n");
                }
                Ok(count) => {
                    let buffer = std::mem::take(&mut self.buffer);
                    self.take_read(&buffer[..count]);
                    self.buffer = buffer;
                }
                Err(error) => {
                    tracing::debug!(%error, "a client's input cannot be read");
                    self.ended.0.store(true, Ordering::Relaxed);
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.output.close().await;
        Ok(())
    }
}
