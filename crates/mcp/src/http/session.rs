//! One session: what its client is owed, what it may come back for, and whether anybody uses it.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use futures::{Stream, StreamExt, stream};
use rmcp::model::{
    CancelledNotification, CancelledNotificationParam, ClientJsonRpcMessage, ClientRequest, GetMeta,
    JsonRpcMessage, JsonRpcRequest, ProgressToken, RequestId, ServerJsonRpcMessage, ServerNotification,
};
use rmcp::transport::common::server_side_http::ServerSseMessage;
use tokio::sync::{Notify, mpsc};
use tokio::time::Instant;

use super::log::{Log, OWN, Position, Reader};
use crate::names::Names;

/// So many answered requests can be read again by a client whose connection broke off.
const ANSWERED_KEPT: usize = 16;
/// And so much of them: nearly every answer has at most 64 KiB, but pages of the inbox have megabytes.
const ANSWERED_BYTES: usize = 2 * 1024 * 1024;
/// When a client whose connection broke off shall come back.
const RETRY: Duration = Duration::from_secs(3);

#[derive(Debug)]
pub(super) struct Session {
    /// The agent that opened it; none while it opens.
    agent: OnceLock<String>,
    to_service: mpsc::Sender<ClientJsonRpcMessage>,
    book: Mutex<Book>,
    /// Whether it is used, or has ended.
    changed: Notify,
}

#[derive(Debug)]
struct Book {
    due: HashMap<RequestId, Due>,
    names: Names,
    streams: BTreeMap<u64, Arc<Log>>,
    /// The streams of requests that are answered, oldest first.
    answered: VecDeque<u64>,
    next_stream: u64,
    readers: usize,
    last_used: Instant,
    ended: bool,
}

/// A request that is not answered yet.
#[derive(Debug)]
struct Due {
    stream: u64,
    progress: Option<ProgressToken>,
}

/// There is nothing to ask or to read any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the session has ended, or does not know that event")]
pub(super) struct Gone;

impl Session {
    pub(super) fn new(to_service: mpsc::Sender<ClientJsonRpcMessage>) -> Self {
        let book = Book {
            due: HashMap::new(),
            names: Names::default(),
            streams: BTreeMap::from([(OWN, Arc::new(Log::new(OWN)))]),
            answered: VecDeque::new(),
            next_stream: OWN + 1,
            readers: 0,
            last_used: Instant::now(),
            ended: false,
        };
        Self { agent: OnceLock::new(), to_service, book: Mutex::new(book), changed: Notify::new() }
    }

    pub(super) fn agent(&self) -> &OnceLock<String> {
        &self.agent
    }

    /// Hands a request on. What is said about it, its answer last, is what the stream gives.
    pub(super) async fn ask(
        self: &Arc<Self>,
        mut message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + use<>, Gone> {
        let JsonRpcMessage::Request(request) = &message else { return Err(Gone) };
        let (stream, log) = {
            let mut book = self.book();
            if book.ended {
                return Err(Gone);
            }
            book.last_used = Instant::now();
            if book.due.contains_key(&request.id) {
                let refused = JsonRpcMessage::error(crate::taken(&request.id), Some(request.id.clone()));
                return Ok(stream::iter([ServerSseMessage::from_message(refused)]).left_stream());
            }
            let begun = book.begin(request);
            book.names.give(&mut message);
            begun
        };
        let answer = self.read(log.read(Some(0)));
        self.to_service.send(message).await.map_err(|_| Gone)?;
        Ok(stream::iter([beginning(Position { stream, index: 0 })]).chain(answer).right_stream())
    }

    /// Hands on what is not answered.
    pub(super) async fn tell(&self, mut message: ClientJsonRpcMessage) -> Result<(), Gone> {
        let cancelled = self.book().names.give(&mut message);
        if let Some(id) = cancelled {
            // It is never answered.
            self.settle(&id);
        }
        self.touch();
        self.to_service.send(message).await.map_err(|_| Gone)
    }

    /// Brings what the service says to where it belongs.
    pub(super) fn say(&self, message: ServerJsonRpcMessage) {
        let mut book = self.book();
        // Whoever asked has had enough of it otherwise.
        let Some(message) = book.names.restore(message) else { return };
        let (stream, answered) = match &message {
            JsonRpcMessage::Response(response) => (book.stream_of(&response.id), Some(response.id.clone())),
            JsonRpcMessage::Error(error) => {
                (error.id.as_ref().and_then(|id| book.stream_of(id)), error.id.clone())
            }
            JsonRpcMessage::Notification(notification) => match &notification.notification {
                ServerNotification::ProgressNotification(progress) => {
                    (book.stream_with(&progress.params.progress_token), None)
                }
                _ => (Some(OWN), None),
            },
            JsonRpcMessage::Request(_) => (Some(OWN), None),
        };
        let log = stream.and_then(|stream| book.streams.get(&stream).cloned());
        drop(book);
        if let Some(log) = log {
            log.say(message);
        }
        if let Some(id) = answered {
            self.settle(&id);
        }
    }

    /// Reads on behind an event, or what belongs to no request.
    pub(super) fn listen(
        self: &Arc<Self>,
        after: Option<Position>,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + use<>, Gone> {
        let stream = after.map_or(OWN, |position| position.stream);
        let log = self.book().streams.get(&stream).cloned().ok_or(Gone)?;
        let reader = log.read(after.map(|position| position.index));
        let begun = after.is_none().then(|| beginning(reader.position()));
        Ok(stream::iter(begun).chain(self.read(reader)))
    }

    /// Whether a client can read on behind an event.
    pub(super) fn keeps(&self, position: Position) -> bool {
        self.book().streams.get(&position.stream).is_some_and(|log| log.reaches(position.index))
    }

    pub(super) fn touch(&self) {
        self.book().last_used = Instant::now();
    }

    /// Waits until nobody has used it for so long. A call that runs is a use, and so is a stream that is open.
    pub(super) async fn unused_for(&self, idle: Duration) {
        loop {
            let changed = self.changed.notified();
            let since = self.book().unused_since();
            match since {
                Some(since) if since.elapsed() >= idle => return,
                Some(since) => tokio::select! {
                    () = tokio::time::sleep_until(since + idle) => {}
                    () = changed => {}
                },
                None => changed.await,
            }
        }
    }

    /// Waits until nothing is due.
    pub(super) async fn settled(&self) {
        loop {
            let changed = self.changed.notified();
            if self.book().due.is_empty() {
                return;
            }
            changed.await;
        }
    }

    /// Ends every stream; nothing more is taken or said.
    pub(super) fn end(&self) {
        let mut book = self.book();
        book.ended = true;
        book.streams.values().for_each(|log| log.end());
        drop(book);
        self.changed.notify_waiters();
    }

    /// Cancels a request that was due at the end, each once.
    pub(super) fn next_abandoned(&self) -> Option<ClientJsonRpcMessage> {
        let mut book = self.book();
        let id = book.due.keys().next().cloned()?;
        book.due.remove(&id);
        let cancel = CancelledNotification::new(CancelledNotificationParam::new(Some(id), None));
        let mut message = JsonRpcMessage::notification(cancel.into());
        book.names.give(&mut message);
        Some(message)
    }

    pub(super) fn is_open(&self) -> bool {
        !self.book().ended
    }

    pub(super) async fn ended(&self) {
        loop {
            let changed = self.changed.notified();
            if !self.is_open() {
                return;
            }
            changed.await;
        }
    }

    fn read(self: &Arc<Self>, reader: Reader) -> impl Stream<Item = ServerSseMessage> + Send + Sync + use<> {
        self.book().readers += 1;
        self.changed.notify_waiters();
        let reading = (reader, Reading(Arc::clone(self)));
        stream::unfold(reading, |(mut reader, reading)| async move {
            let event = reader.next().await?;
            Some((event, (reader, reading)))
        })
    }

    fn settle(&self, id: &RequestId) {
        let mut book = self.book();
        let Some(due) = book.due.remove(id) else { return };
        book.last_used = Instant::now();
        if let Some(log) = book.streams.get(&due.stream) {
            log.end();
        }
        book.answered.push_back(due.stream);
        book.forget_old_answers();
        drop(book);
        self.changed.notify_waiters();
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a stream begins with: where its reader can come back to if the connection breaks off before anything is said.
fn beginning(position: Position) -> ServerSseMessage {
    ServerSseMessage::priming(position.to_string(), RETRY)
}

impl Book {
    fn begin(&mut self, request: &JsonRpcRequest<ClientRequest>) -> (u64, Arc<Log>) {
        let (stream, progress) = (self.next_stream, request.request.get_meta().get_progress_token());
        self.next_stream += 1;
        let log = Arc::new(Log::new(stream));
        self.streams.insert(stream, Arc::clone(&log));
        self.due.insert(request.id.clone(), Due { stream, progress });
        (stream, log)
    }

    /// Whoever reads one of them reads it to its end.
    fn forget_old_answers(&mut self) {
        let mut room = ANSWERED_BYTES;
        let fits = |stream: &&u64| {
            let size = self.streams.get(*stream).map_or(0, |log| log.bytes());
            let rest = room.checked_sub(size);
            room = rest.unwrap_or_default();
            rest.is_some()
        };
        let kept = self.answered.iter().rev().take(ANSWERED_KEPT).take_while(fits).count();
        for old in self.answered.drain(..self.answered.len() - kept) {
            self.streams.remove(&old);
        }
    }

    fn stream_of(&self, id: &RequestId) -> Option<u64> {
        self.due.get(id).map(|due| due.stream)
    }

    fn stream_with(&self, token: &ProgressToken) -> Option<u64> {
        self.due.values().find(|due| due.progress.as_ref() == Some(token)).map(|due| due.stream)
    }

    fn unused_since(&self) -> Option<Instant> {
        (self.readers == 0 && self.due.is_empty()).then_some(self.last_used)
    }
}

/// A stream that somebody reads.
struct Reading(Arc<Session>);

impl Drop for Reading {
    fn drop(&mut self) {
        let mut book = self.0.book();
        book.readers -= 1;
        book.last_used = Instant::now();
        drop(book);
        self.0.changed.notify_waiters();
    }
}
