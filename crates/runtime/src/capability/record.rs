//! A capability as it is stored, and where.

use std::path::Path;

use serde::{Deserialize, Serialize};
use store::{Entry, Key, Space, Timestamp};

use super::secret::Hash;
use super::{Capability, Id, Uses, Verbs};
use crate::agent;
use crate::error::{Code, Error, Result};

/// Under the id, and gone when it expires.
#[derive(Serialize, Deserialize)]
struct Record {
    agent: String,
    hash: String,
    path: String,
    real: String,
    verbs: Verbs,
    created: i64,
    uses: Uses,
    used_up: bool,
    quota: u64,
    written: u64,
}

pub(super) fn space() -> Space {
    Space::new("capabilities")
}

pub(super) fn key_of(id: Id) -> Key {
    Key::new(id.to_string())
}

pub(super) fn encode(capability: &Capability, hash: &Hash) -> Result<Vec<u8>> {
    let record = Record {
        agent: capability.agent.to_string(),
        hash: hash.as_str().to_owned(),
        path: text(&capability.path)?,
        real: text(&capability.real)?,
        verbs: capability.verbs.clone(),
        created: capability.created.as_millis(),
        uses: capability.uses,
        used_up: capability.used_up,
        quota: capability.quota,
        written: capability.written,
    };
    Ok(serde_json::to_vec(&record).expect("a record of words and numbers is always JSON"))
}

pub(super) fn decode(entry: &Entry) -> Result<(Capability, Hash)> {
    let damaged = |what: &dyn std::fmt::Display| {
        Error::new(Code::LoadError, format!("The capability {} is damaged: {what}", entry.key))
            .hint("Revoke it and mint another one.")
    };
    let record: Record = serde_json::from_slice(&entry.value).map_err(|error| damaged(&error))?;
    let id = Id::parse(&entry.key.to_string()).map_err(|error| damaged(&error.message))?;
    let agent = agent::Id::parse(&record.agent).map_err(|error| damaged(&error.message))?;
    let capability = Capability {
        id,
        agent,
        path: record.path.into(),
        real: record.real.into(),
        verbs: record.verbs,
        created: Timestamp::from_millis(record.created),
        expires: entry.expires_at.ok_or_else(|| damaged(&"it never expires"))?,
        uses: record.uses,
        used_up: record.used_up,
        quota: record.quota,
        written: record.written,
    };
    Ok((capability, Hash::from_text(&record.hash)))
}

fn text(path: &Path) -> Result<String> {
    path.to_str().map(str::to_owned).ok_or_else(|| {
        Error::new(Code::InvalidPath, format!("{} is not Unicode.", path.display()))
            .hint("A capability is for a path that can be written in an address.")
    })
}
