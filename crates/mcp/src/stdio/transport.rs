//! The protocol's messages as lines of two streams.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rmcp::RoleServer;
use rmcp::model::{ErrorData, GetExtensions, JsonRpcMessage};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio_util::sync::CancellationToken;

use super::due::{Audience, Due, answers};
use super::lines::{Line, Lines};
use super::message::{self, Parsed};
use super::pace::LOOK;
use super::record::Record;
use super::streams::{Input, Output, Streams, Written};
use crate::Place;

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
    /// Whether the record has the beginning of a message.
    is_begun: bool,
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
    pub(super) fn new(streams: Streams, record: Record, stop: CancellationToken) -> Self {
        let begun = record.begun();
        let (due, replayed) = Due::resume(record);
        let mut transport = Self {
            input: streams.input,
            output: streams.output,
            due,
            lines: Lines::default(),
            replayed: replayed.into(),
            received: VecDeque::new(),
            buffer: vec![0; CHUNK].into(),
            is_begun: !begun.is_empty(),
            ended: Ended::default(),
            stop,
        };
        transport.take(&begun);
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

    /// Takes in bytes. From here on, every request in them is owed an answer.
    fn take(&mut self, bytes: &[u8]) {
        let mut messages = Vec::new();
        let mut wrong = Vec::new();
        self.lines.feed(bytes, |line| match line {
            Line::TooLong => wrong.push("A message may have at most 16 MiB."),
            Line::Whole(line) => match message::parse(line) {
                Parsed::Message(message) => messages.push(*message),
                Parsed::Nothing => {}
                Parsed::Invalid => wrong.push("Invalid request"),
            },
        });
        self.due.received(&messages);
        self.received.extend(messages);
        let begun = self.lines.begun();
        if self.is_begun || !begun.is_empty() {
            self.due.begun(begun);
            self.is_begun = !begun.is_empty();
        }
        for wrong in wrong {
            let error = JsonRpcMessage::error(ErrorData::invalid_request(wrong, None), None);
            // Spawned only if the client does not read what it is told.
            tokio::spawn(self.send(error));
        }
    }
}

impl Transport<RoleServer> for LineTransport {
    type Error = io::Error;

    fn name() -> Cow<'static, str> {
        "standard input and output".into()
    }

    /// Nearly every message fits into the stream at once, and is on its way when this returns.
    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let answered = answers(&item).cloned();
        let is_granted = matches!(item, JsonRpcMessage::Response(_));
        let due = self.due.clone();
        let settle = move || {
            if let Some(id) = &answered {
                due.settle(id, is_granted);
            }
        };
        let written = match self.due.audience(&item) {
            Audience::Client => encode(&item).and_then(|line| self.output.write(line)),
            Audience::Nobody => Ok(Written::Whole),
        };
        let rest = match written {
            Ok(Written::Rest(rest)) => Ok(Some(rest)),
            Ok(Written::Whole) => Ok(None),
            Err(error) => Err(error),
        };
        // Nothing more can be done about one that cannot be written.
        let settle = if matches!(rest, Ok(Some(_))) {
            Some(settle)
        } else {
            settle();
            None
        };
        async move {
            let Some(rest) = rest? else { return Ok(()) };
            let outcome = rest.finish().await;
            if let Some(settle) = settle {
                settle();
            }
            outcome
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if let Some(message) = self.replayed.pop_front() {
                return Some(message);
            }
            self.due.wait_for_replayed().await;
            if let Some(message) = self.received.pop_front() {
                return Some(self.placed(message));
            }
            if self.ended.at_input() || self.stop.is_cancelled() {
                self.due.wait_for_all().await;
                return None;
            }
            // Nothing is owed then, so nobody is kept waiting.
            let at_once = self.due.is_quick().then(|| self.input.look(&mut self.buffer, LOOK)).flatten();
            let read = match at_once {
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
                    self.take(b"\n");
                }
                Ok(count) => {
                    let buffer = std::mem::take(&mut self.buffer);
                    self.take(&buffer[..count]);
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

fn encode(item: &TxJsonRpcMessage<RoleServer>) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(item)?;
    line.push(b'\n');
    Ok(line)
}
