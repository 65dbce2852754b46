//! Whole scopes at once: out, in, away, and the store as a file.

use std::path::Path;

use serde_json::Value;
use store::{AtomicWrite, Key, KeyRange, Limit, Space, Timestamp};

use super::error::Result;
use super::operation::{Durable, Entry, Written};
use super::place::Place;
use super::scope::Kind;
use crate::agent;
use crate::watch::Change;

/// An entry that comes from elsewhere, with the place it goes to.
#[derive(Debug, Clone, PartialEq)]
pub struct Transferred {
    pub space: Space,
    pub key: String,
    pub value: Value,
    pub expires_at: Option<Timestamp>,
}

impl Durable {
    /// Every entry of a scope, from one moment.
    pub async fn export(&self, space: &Space) -> Result<Vec<Entry>> {
        let page = self.store.scan(space, &KeyRange::all(), Limit::entries(usize::MAX)).await?;
        page.entries.iter().map(Entry::of).collect()
    }

    /// Puts all entries in one step, or none of them. What has expired meanwhile is left out; the answer is how
    /// many were put.
    pub async fn import(&self, entries: &[Transferred]) -> Result<usize> {
        let now = self.clock.now();
        let live: Vec<&Transferred> =
            entries.iter().filter(|entry| entry.expires_at.is_none_or(|at| at > now)).collect();
        if live.is_empty() {
            return Ok(0);
        }
        let write = live.iter().fold(AtomicWrite::new(), |write, entry| {
            let key = Key::new(entry.key.as_str());
            write.put(&entry.space, &key, entry.value.to_string(), entry.expires_at)
        });
        // There is no check that could conflict.
        if let (Ok(version), Some(watches)) = (self.store.commit(write).await?, &self.watches) {
            for Transferred { space, key, value, expires_at } in &live {
                let written = Written::done(key, value.to_string(), version, *expires_at)?;
                if let Some(entry) = written.entry {
                    watches.state_changed(space, key, Change::Written(entry)).await;
                }
            }
        }
        Ok(live.len())
    }

    /// Removes what belongs to an agent. What is shared stays.
    pub async fn forget(&self, agent: &agent::Id) -> Result<()> {
        self.drop_space(&Place::Profile.space(agent)).await?;
        for prefix in [Kind::Session, Kind::Task].map(|kind| kind.prefix(agent)) {
            loop {
                let spaces = self.spaces(&prefix).await?;
                if spaces.is_empty() {
                    break;
                }
                for space in spaces {
                    self.drop_space(&space).await?;
                }
            }
        }
        Ok(())
    }

    /// A copy of the whole store, of one moment, in a new file.
    pub async fn backup(&self, to: &Path) -> store::Result<()> {
        self.store.backup(to).await
    }

    /// What is wrong with the store, one sentence each.
    pub async fn check(&self) -> store::Result<Vec<String>> {
        self.store.check_integrity().await
    }
}
