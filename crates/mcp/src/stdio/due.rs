//! What a client is owed: the answers to its requests. And what it need not say twice.
#![allow(
    deprecated,
    reason = "the revisions with sessions subscribe in a way that the stateless one replaced"
)]

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use rmcp::RoleServer;
use rmcp::model::{
    ClientNotification, ClientRequest, InitializedNotification, JsonRpcMessage, NumberOrString,
    SubscribeRequest, SubscribeRequestParams,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use tokio::sync::Notify;

use super::pace::Pace;
use super::record::{Record, Remembered, Unanswered};

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
    remembered: Remembered,
    pace: Pace,
}

#[derive(Debug)]
struct Entry {
    request: Unanswered,
    /// What is remembered once it is granted.
    change: Option<Change>,
    /// The client did not send it, so it must not see the answer.
    is_replayed: bool,
    /// It is answered when the client has had enough.
    is_endless: bool,
}

#[derive(Debug)]
enum Change {
    Greet(String),
    Subscribe(String),
    Unsubscribe(String),
}

/// Whether the client is to see an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Audience {
    Client,
    Nobody,
}

impl Due {
    /// Goes on with a record. The messages are what its client had said to the server before this one.
    pub(super) fn resume(record: Record) -> (Self, Vec<RxJsonRpcMessage<RoleServer>>) {
        let remembered = record.remembered();
        let messages = replay(&remembered);
        let book = Book { record, requests: Vec::new(), remembered, pace: Pace::default() };
        let due = Self(Arc::new(Shared { book: Mutex::new(book), answered: Notify::new() }));
        due.add(&messages, true);
        (due, messages)
    }

    /// Takes note of messages that have come in.
    pub(super) fn received(&self, messages: &[RxJsonRpcMessage<RoleServer>]) {
        self.add(messages, false);
    }

    fn add(&self, messages: &[RxJsonRpcMessage<RoleServer>], is_replayed: bool) {
        let mut book = self.book();
        let before = book.requests.len();
        book.pace.received(Instant::now());
        let mut cancelled = false;
        for message in messages {
            match message {
                JsonRpcMessage::Request(request) => {
                    let is_endless = matches!(request.request, ClientRequest::SubscriptionsListenRequest(_));
                    let change = Change::of(message, &request.request);
                    let entry = |request| Entry { request, change, is_replayed, is_endless };
                    book.requests.extend(Unanswered::of(message).map(entry));
                }
                JsonRpcMessage::Notification(notification) => {
                    if let ClientNotification::CancelledNotification(cancel) = &notification.notification
                        && let Some(id) = &cancel.params.request_id
                    {
                        // It is never answered.
                        book.requests.retain(|entry| entry.request.id != *id);
                        cancelled = true;
                    }
                }
                JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
            }
        }
        if cancelled {
            self.0.answered.notify_waiters();
        }
        if cancelled || book.requests.len() != before {
            book.write_down();
        }
    }

    /// Who is to see a message.
    pub(super) fn audience(&self, message: &TxJsonRpcMessage<RoleServer>) -> Audience {
        let Some(id) = answers(message) else { return Audience::Client };
        let replayed = self.book().requests.iter().any(|entry| entry.is_replayed && entry.request.id == *id);
        if replayed { Audience::Nobody } else { Audience::Client }
    }

    /// A request is answered, and whether it was granted.
    pub(super) fn settle(&self, id: &NumberOrString, is_granted: bool) {
        let mut book = self.book();
        let Some(at) = book.requests.iter().position(|entry| entry.request.id == *id) else { return };
        let entry = book.requests.swap_remove(at);
        if book.owed() == 0 {
            book.pace.settled(Instant::now());
        }
        book.write_down();
        if let Some(change) = entry.change.filter(|_| is_granted && !entry.is_replayed) {
            book.remembered.apply(change);
            book.record.remember(&book.remembered);
        }
        drop(book);
        self.0.answered.notify_waiters();
    }

    /// Whether everything is answered and the client is likely to go on at once.
    pub(super) fn is_quick(&self) -> bool {
        self.book().pace.is_quick()
    }

    /// Whether several requests wait for their answers.
    pub(super) fn is_crowded(&self) -> bool {
        self.book().owed() > 1
    }

    /// The beginning of a message whose end has not come.
    pub(super) fn begun(&self, bytes: &[u8]) {
        self.book().record.set_begun(bytes);
    }

    /// Waits until every request is answered that will be.
    pub(super) async fn wait_for_all(&self) {
        self.wait_until_none(|entry| !entry.is_endless).await;
    }

    /// Waits until the server knows what the one before knew.
    pub(super) async fn wait_for_replayed(&self) {
        self.wait_until_none(|entry| entry.is_replayed).await;
    }

    async fn wait_until_none(&self, is_waited_for: impl Fn(&Entry) -> bool) {
        loop {
            // Registered before the look: an answer in between wakes it.
            let answered = self.0.answered.notified();
            if !self.book().requests.iter().any(&is_waited_for) {
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
        self.requests.iter().filter(|entry| !entry.is_endless).count()
    }

    fn write_down(&self) {
        let sent = self.requests.iter().filter(|entry| !entry.is_replayed);
        let requests: Vec<Unanswered> = sent.map(|entry| entry.request.clone()).collect();
        self.record.set_unanswered(&requests);
    }
}

impl Change {
    fn of(message: &RxJsonRpcMessage<RoleServer>, request: &ClientRequest) -> Option<Self> {
        match request {
            ClientRequest::InitializeRequest(_) => serde_json::to_string(message).ok().map(Self::Greet),
            ClientRequest::SubscribeRequest(request) => Some(Self::Subscribe(request.params.uri.clone())),
            ClientRequest::UnsubscribeRequest(request) => Some(Self::Unsubscribe(request.params.uri.clone())),
            _ => None,
        }
    }
}

impl Remembered {
    fn apply(&mut self, change: Change) {
        match change {
            Change::Greet(message) => self.greeting = Some(message),
            Change::Subscribe(uri) => {
                self.subscriptions.insert(uri);
            }
            Change::Unsubscribe(uri) => {
                self.subscriptions.remove(&uri);
            }
        }
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

/// Tells a new server what the client has told the one before. Without a greeting there is nothing to tell.
fn replay(remembered: &Remembered) -> Vec<RxJsonRpcMessage<RoleServer>> {
    let greeting = remembered.greeting.as_deref().and_then(|message| serde_json::from_str(message).ok());
    let Some(greeting) = greeting else { return Vec::new() };
    let begun = ClientNotification::InitializedNotification(InitializedNotification::default());
    let subscriptions = remembered.subscriptions.iter().enumerate().map(|(number, uri)| {
        let request = SubscribeRequest::new(SubscribeRequestParams::new(uri.clone()));
        // No client calls its requests like this.
        let id = NumberOrString::String(format!("string-replay-{number}").into());
        JsonRpcMessage::request(ClientRequest::SubscribeRequest(request), id)
    });
    [greeting, JsonRpcMessage::notification(begun)].into_iter().chain(subscriptions).collect()
}
