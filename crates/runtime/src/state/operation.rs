//! What the verbs of `flo.state` do to a store.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use store::{AtomicWrite, Clock, Decision, Key, Space, Store, Timestamp, Version};

use super::condition::{Condition, revision};
use super::error::{Code, Error, Result};
use super::exact::check_exact;
use super::limits::{check_depth, check_value};
use super::merge::merge_patch;
use super::request::Write;
use crate::watch::{Change, Watches};

/// How many scopes a list shows.
const SPACES_MAX: usize = 10_000;

/// Durable entries with revisions. What may reach them is decided before.
#[derive(Clone)]
pub struct Durable {
    pub(super) store: Arc<dyn Store>,
    pub(super) clock: Arc<dyn Clock>,
    /// Told of every change.
    pub(super) watches: Option<Arc<Watches>>,
}

/// An entry as scripts and people see it.
#[derive(Debug, Clone, Serialize)]
pub struct Entry {
    pub key: String,
    pub value: Box<RawValue>,
    pub revision: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
}

/// What came of a write. A condition that did not hold is an answer, not an error.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Written {
    pub ok: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<Entry>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conflict_revision: Option<String>,
}

impl Durable {
    pub fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>) -> Self {
        Self { store, clock, watches: None }
    }

    /// The same, which tells of every change.
    pub fn told_to(self, watches: Arc<Watches>) -> Self {
        Self { watches: Some(watches), ..self }
    }

    pub async fn get(&self, space: &Space, key: &str) -> Result<Option<Entry>> {
        let found = self.store.get(space, &Key::new(key)).await?;
        found.map(|entry| Entry::of(&entry)).transpose()
    }

    pub async fn write(
        &self,
        space: &Space,
        key: &str,
        write: Write,
        ttl_seconds: Option<u64>,
        condition: &Condition,
    ) -> Result<Written> {
        let expires_at =
            ttl_seconds.map(|seconds| self.clock.now().saturating_add(Duration::from_secs(seconds)));
        let written = match write {
            Write::Put(value) => self.put(space, key, &value, expires_at, condition).await?,
            change => self.change(space, key, &change, expires_at, condition).await?,
        };
        if let (Some(watches), Some(entry)) = (&self.watches, &written.entry) {
            watches.state_changed(space, key, Change::Written(entry.clone())).await;
        }
        Ok(written)
    }

    pub async fn delete(&self, space: &Space, key: &str, condition: &Condition) -> Result<Written> {
        let store_key = Key::new(key);
        let updated = store::update(&*self.store, space, &store_key, |found| match found {
            Some(_) if condition.holds(found) => {
                (Decision::Delete, Written { ok: true, ..Written::default() })
            }
            found => (Decision::Leave, Written::conflict(found.map(|entry| entry.version))),
        });
        let deleted = updated.await?.answer;
        if let (Some(watches), true) = (&self.watches, deleted.ok) {
            watches.state_changed(space, key, Change::Removed).await;
        }
        Ok(deleted)
    }

    /// The spaces that begin with a prefix and hold something.
    pub async fn spaces(&self, prefix: &str) -> Result<Vec<Space>> {
        Ok(self.store.spaces(prefix, None, SPACES_MAX).await?)
    }

    pub async fn drop_space(&self, space: &Space) -> Result<()> {
        self.store.drop_space(space).await?;
        if let Some(watches) = &self.watches {
            watches.space_dropped(space).await;
        }
        Ok(())
    }

    /// A put needs no look at what is there: its condition is checked by the store.
    async fn put(
        &self,
        space: &Space,
        key: &str,
        value: &Value,
        expires_at: Option<Timestamp>,
        condition: &Condition,
    ) -> Result<Written> {
        let json = encode(value)?;
        let store_key = Key::new(key);
        if *condition == Condition::Revision(None) {
            let found = self.store.get(space, &store_key).await?;
            return Ok(Written::conflict(found.map(|entry| entry.version)));
        }
        let mut write = AtomicWrite::new();
        if let Some(expect) = condition.expect() {
            write = write.check(space, &store_key, expect);
        }
        match self.store.commit(write.put(space, &store_key, json.as_bytes(), expires_at)).await? {
            Ok(version) => Written::done(key, json, version, expires_at),
            Err(conflict) => Ok(Written::conflict(conflict.found)),
        }
    }

    async fn change(
        &self,
        space: &Space,
        key: &str,
        change: &Write,
        expires_at: Option<Timestamp>,
        condition: &Condition,
    ) -> Result<Written> {
        let updated = store::update(&*self.store, space, &Key::new(key), |found| {
            if !condition.holds(found) {
                return (Decision::Leave, Ok(Err(found.map(|entry| entry.version))));
            }
            let expires_at = expires_at.or_else(|| found.and_then(|entry| entry.expires_at));
            let changed = changed(found, change).and_then(|value| encode(&value));
            // The script gets it as the answer.
            match changed.and_then(|json| check_exact(key, &json).map(|()| json)) {
                Ok(json) => {
                    let value = json.clone().into_bytes();
                    (Decision::Put { value, expires_at }, Ok(Ok((json, expires_at))))
                }
                Err(error) => (Decision::Leave, Err(error)),
            }
        })
        .await?;
        match (updated.answer?, updated.version) {
            (Ok((json, expires_at)), Some(version)) => Written::done(key, json, version, expires_at),
            (Err(found), _) => Ok(Written::conflict(found)),
            (Ok(_), None) => Err(Error::new(Code::Unavailable, "the write was lost")),
        }
    }
}

impl Entry {
    pub(crate) fn of(entry: &store::Entry) -> Result<Self> {
        let damaged = || Error::damaged(format!("the entry {} is damaged", entry.key));
        let json = std::str::from_utf8(&entry.value).map_err(|_| damaged())?;
        Ok(Self {
            key: entry.key.as_str().ok_or_else(damaged)?.to_owned(),
            value: RawValue::from_string(json.to_owned()).map_err(|_| damaged())?,
            revision: revision(entry.version),
            expires_at: entry.expires_at.map(iso),
        })
    }

    /// Refuses an entry that a script would not get as it is.
    pub fn check_exact(&self) -> Result<()> {
        check_exact(&self.key, self.value.get())
    }
}

impl Written {
    pub(super) fn done(
        key: &str,
        json: String,
        version: Version,
        expires_at: Option<Timestamp>,
    ) -> Result<Self> {
        let value =
            RawValue::from_string(json).map_err(|error| Error::new(Code::Unavailable, error.to_string()))?;
        let (key, expires_at) = (key.to_owned(), expires_at.map(iso));
        let entry = Some(Entry { key, value, revision: revision(version), expires_at });
        Ok(Self { ok: true, entry, conflict_revision: None })
    }

    fn conflict(found: Option<Version>) -> Self {
        Self { ok: false, entry: None, conflict_revision: found.map(revision) }
    }
}

fn changed(found: Option<&store::Entry>, change: &Write) -> Result<Value> {
    let current = found.map(|entry| serde_json::from_slice::<Value>(&entry.value)).transpose();
    let current = current.map_err(|error| Error::damaged(format!("the entry is damaged: {error}")))?;
    match change {
        Write::Put(value) => Ok(value.clone()),
        Write::Patch(patch) => {
            let mut value = current.unwrap_or_else(|| Value::Object(serde_json::Map::new()));
            merge_patch(&mut value, patch.clone());
            Ok(value)
        }
        Write::Append(item) => match current.unwrap_or_else(|| Value::Array(Vec::new())) {
            Value::Array(mut items) => {
                items.push(item.clone());
                Ok(Value::Array(items))
            }
            other => {
                let message = format!("append needs an array, and the value is {}", kind_of(&other));
                Err(Error::new(Code::TypeMismatch, message))
            }
        },
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

fn encode(value: &Value) -> Result<String> {
    let json = value.to_string();
    check_value(json.as_bytes())?;
    check_depth(&json, 0)?;
    Ok(json)
}

/// ISO 8601 in UTC with milliseconds.
pub(super) fn iso(time: Timestamp) -> String {
    jiff::Timestamp::from_millisecond(time.as_millis())
        .map(|time| time.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string())
        .unwrap_or_default()
}
