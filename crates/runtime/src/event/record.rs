//! An event as it is stored, and where.

use serde::{Deserialize, Serialize};
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
