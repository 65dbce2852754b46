//! An event as it is stored, and where.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use store::{Entry, Key, Space, Timestamp};

use super::{Event, Id, Source, State};
use crate::agent;
use crate::error::{Code, Error, Result};

/// An event as it is stored, under its id.
#[derive(Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) received: i64,
    pub(super) source: Source,
    pub(super) state: State,
    pub(super) text: String,
}

impl Record {
    pub(super) fn of(event: &Event) -> Self {
        Self {
            received: event.received.as_millis(),
            source: event.source,
            state: event.state,
            text: event.text.clone(),
        }
    }
}

/// What an idempotency key was used for. The text itself may be gone before the key is.
pub(super) struct KeyUse {
    pub(super) id: Id,
    digest: Vec<u8>,
}

impl KeyUse {
    pub(super) fn new(id: Id, text: &str) -> Self {
        Self { id, digest: digest(text) }
    }

    pub(super) fn is_for(&self, text: &str) -> bool {
        self.digest == digest(text)
    }

    /// Why a key cannot be used again.
    pub(super) fn for_another(&self) -> Error {
        let message =
            format!("This Idempotency-Key was used for the event {}, which has another text.", self.id);
        Error::new(Code::Conflict, message)
            .hint("A retry sends the same text. Another event needs a key of its own, or none.")
    }

    /// The id, which has one length, and behind it the digest.
    pub(super) fn encode(&self) -> Vec<u8> {
        [self.id.to_string().as_bytes(), &self.digest].concat()
    }

    pub(super) fn decode(bytes: &[u8]) -> Result<Self> {
        let (id, digest) = bytes.split_at_checked(Id::LENGTH).unwrap_or((bytes, &[]));
        Ok(Self { id: parse_id(id)?, digest: digest.to_owned() })
    }
}

fn digest(text: &str) -> Vec<u8> {
    Sha256::digest(text.as_bytes()).to_vec()
}

pub(super) fn events(agent: &agent::Id) -> Space {
    Space::new(format!("events/{agent}"))
}

pub(super) fn keys(agent: &agent::Id) -> Space {
    Space::new(format!("event-keys/{agent}"))
}

pub(super) fn last_ids() -> Space {
    Space::new("event-last")
}

pub(super) fn key_of(id: Id) -> Key {
    Key::new(id.to_string())
}

pub(super) fn encode(record: &Record) -> Vec<u8> {
    serde_json::to_vec(record).expect("a record of words and text is always JSON")
}

pub(super) fn decode(entry: &Entry) -> Result<Event> {
    let id = parse_id(entry.key.as_bytes())?;
    let record: Record = serde_json::from_slice(&entry.value)
        .map_err(|error| Error::new(Code::LoadError, format!("The event {id} is damaged: {error}")))?;
    let Record { received, source, state, text } = record;
    Ok(Event { id, received: Timestamp::from_millis(received), source, state, text })
}

pub(super) fn parse_id(bytes: &[u8]) -> Result<Id> {
    Id::parse(&String::from_utf8_lossy(bytes))
        .map_err(|error| Error::new(Code::LoadError, format!("The inbox is damaged: {}", error.message)))
}
