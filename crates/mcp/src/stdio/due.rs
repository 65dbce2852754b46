//! What a client is owed: the answers to its requests.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use rmcp::RoleServer;
use rmcp::model::{ClientRequest, JsonRpcMessage, NumberOrString};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use tokio::sync::Notify;

use super::pace::Pace;
use super::record::{Record, Remembered, Unanswered};
use super::replay::{Change, replay, updated};
use crate::names::Names;

/// A client that lets more than this wait is not heard until it reads: all clients share the daemon's memory.
const UNSENT_MAX: usize = 8 * 1024 * 1024;
/// More than any agent asks for at once.
const OWED_MAX: usize = 1_000;

/// The requests that are not answered yet, in the record too.
#[derive(Debug, Clone)]
pub(super) struct Due(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    book: Mutex<Book>,
    answered: Notify,
}

#[derive(Debug)]
struct Book {
    record: Record,
    requests: Vec<Entry>,
    names: Names,
    remembered: Remembered,
    pace: Pace,
    /// How many bytes wait until the client reads.
    unsent: usize,
}

#[derive(Debug)]
struct Entry {
    request: Unanswered,
    /// What is remembered once it is granted.
    change: Option<Change>,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Asked,
    /// It is answered when the client has had enough.
    Endless,
    /// The client did not send it, so it must not see the answer.
    Replayed,
}

impl Due {
    /// Goes on with a record. The messages are what its client had said to the server before this one.
    pub(super) fn resume(record: Record) -> (Self, Vec<RxJsonRpcMessage<RoleServer>>) {
        let remembered = record.remembered();
        let mut messages = replay(&remembered);
        let book = Book {
            record,
            requests: Vec::new(),
            names: Names::default(),
            remembered,
            pace: Pace::default(),
            unsent: 0,
        };
        let due = Self(Arc::new(Shared { book: Mutex::new(book), answered: Notify::new() }));
        // Each has an id of its own.
        due.add(&mut messages, Kind::Replayed);
        (due, messages)
    }

    /// Takes note of messages that have come in, and gives names to their requests. Takes out requests with the id of
    /// one that is not answered yet, since nobody could tell their answers apart, and says which ids these are.
    pub(super) fn received(&self, messages: &mut Vec<RxJsonRpcMessage<RoleServer>>) -> Vec<NumberOrString> {
        self.add(messages, Kind::Asked)
    }

    fn add(&self, messages: &mut Vec<RxJsonRpcMessage<RoleServer>>, kind: Kind) -> Vec<NumberOrString> {
        let mut book = self.book();
        book.pace.received(Instant::now());
        let (mut changed, mut cancelled) = (false, false);
        let mut taken = Vec::new();
        messages.retain_mut(|message| {
            if let JsonRpcMessage::Request(request) = &*message {
                if book.requests.iter().any(|entry| entry.request.id == request.id) {
                    taken.push(request.id.clone());
                    return false;
                }
                let kind = match request.request {
                    ClientRequest::SubscriptionsListenRequest(_) => Kind::Endless,
                    _ => kind,
                };
                let change = Change::of(message, &request.request);
                let entry = |request| Entry { request, change, kind };
                book.requests.extend(Unanswered::of(message).map(entry));
                changed = true;
            }
            if let Some(id) = book.names.give(message) {
                // It is never answered.
                book.requests.retain(|entry| entry.request.id != id);
                cancelled = true;
            }
            true
        });
        if cancelled {
            self.0.answered.notify_waiters();
        }
        if cancelled || changed {
            book.write_down();
        }
        taken
    }

    /// A message as the client knows its requests; none if it is about one that was cancelled.
    pub(super) fn restored(
        &self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> Option<TxJsonRpcMessage<RoleServer>> {
        self.book().names.restore(message)
    }

    /// What the client is to see of a message. Nothing of an answer to what it did not send; but where that renews a
    /// subscription, nobody has told it what changed meanwhile.
    pub(super) fn shown(
        &self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> Option<TxJsonRpcMessage<RoleServer>> {
        let Some(id) = answers(&message) else { return Some(message) };
        let book = self.book();
        let is_meant = |entry: &&Entry| entry.kind == Kind::Replayed && entry.request.id == *id;
        let Some(entry) = book.requests.iter().find(is_meant) else { return Some(message) };
        match (&message, &entry.change) {
            (JsonRpcMessage::Response(_), Some(Change::Subscribe(uri))) => Some(updated(uri)),
            _ => None,
        }
    }

    /// A request is about to be granted. What it changes is remembered before the client knows.
    pub(super) fn grant(&self, id: &NumberOrString) {
        let mut book = self.book();
        let entry =
            book.requests.iter_mut().find(|entry| entry.request.id == *id && entry.kind == Kind::Asked);
        if let Some(change) = entry.and_then(|entry| entry.change.take()) {
            book.remembered.apply(change);
            book.record.remember(&book.remembered);
        }
    }

    /// A request is answered.
    pub(super) fn settle(&self, id: &NumberOrString) {
        let mut book = self.book();
        let Some(at) = book.requests.iter().position(|entry| entry.request.id == *id) else { return };
        book.requests.remove(at);
        if book.owed() == 0 {
            book.pace.settled(Instant::now());
        }
        book.write_down();
        drop(book);
        self.0.answered.notify_waiters();
    }

    /// So many bytes wait until the client reads.
    pub(super) fn waits(&self, bytes: usize) {
        let mut book = self.book();
        if book.unsent == 0 {
            book.record.set_cut(true);
        }
        book.unsent += bytes;
    }

    /// They are on their way, or never will be.
    pub(super) fn waits_no_more(&self, bytes: usize) {
        let mut book = self.book();
        book.unsent -= bytes;
        if book.unsent == 0 {
            book.record.set_cut(false);
        }
        drop(book);
        self.0.answered.notify_waiters();
    }

    /// Whether everything is answered and the client is likely to go on at once.
    pub(super) fn is_quick(&self) -> bool {
        self.book().pace.is_quick()
    }

    /// It did not.
    pub(super) fn missed(&self) {
        self.book().pace.missed();
    }

    /// Whether several requests wait for their answers.
    pub(super) fn is_crowded(&self) -> bool {
        self.book().owed() > 1
    }

    /// Something came in behind the beginning of a message; it is written down before anybody looks at it.
    pub(super) fn keep(&self, begun: &[u8], bytes: &[u8]) {
        match begun {
            [] => self.book().record.set_input(bytes),
            _ => self.book().record.keep(bytes),
        }
    }

    /// All of it is taken but this beginning of a message.
    pub(super) fn taken_but(&self, begun: &[u8]) {
        self.book().record.set_input(begun);
    }

    /// Waits until every request is answered but those that go on until they are ended.
    pub(super) async fn wait_for_all_but_endless(&self) {
        self.wait_until_none(|entry| entry.kind != Kind::Endless).await;
    }

    pub(super) async fn wait_for_all(&self) {
        self.wait_until_none(|_| true).await;
    }

    /// Waits until the server knows what the one before knew.
    pub(super) async fn wait_for_replayed(&self) {
        self.wait_until_none(|entry| entry.kind == Kind::Replayed).await;
    }

    /// Waits until the client has taken enough of its answers to be heard again.
    pub(super) async fn wait_for_room(&self) {
        self.wait_until(|book| book.unsent <= UNSENT_MAX && book.owed() <= OWED_MAX).await;
    }

    async fn wait_until_none(&self, is_waited_for: impl Fn(&Entry) -> bool) {
        self.wait_until(|book| !book.requests.iter().any(&is_waited_for)).await;
    }

    async fn wait_until(&self, is_so: impl Fn(&Book) -> bool) {
        loop {
            // Registered before the look: an answer in between wakes it.
            let answered = self.0.answered.notified();
            if is_so(&self.book()) {
                return;
            }
            answered.await;
        }
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.0.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Book {
    /// How many requests will be answered.
    fn owed(&self) -> usize {
        self.requests.iter().filter(|entry| entry.kind != Kind::Endless).count()
    }

    fn write_down(&self) {
        let sent = self.requests.iter().filter(|entry| entry.kind != Kind::Replayed);
        let requests: Vec<Unanswered> = sent.map(|entry| entry.request.clone()).collect();
        self.record.set_unanswered(&requests);
    }
}

/// The id of the request that a message answers.
pub(super) fn answers(message: &TxJsonRpcMessage<RoleServer>) -> Option<&NumberOrString> {
    match message {
        JsonRpcMessage::Response(response) => Some(&response.id),
        JsonRpcMessage::Error(error) => error.id.as_ref(),
        JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
    }
}
