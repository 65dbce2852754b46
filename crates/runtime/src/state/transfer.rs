//! Whole scopes at once: out, in, away, and the store as a file.

use std::path::Path;

use serde_json::Value;
use store::{AtomicWrite, Key, KeyRange, Limit, Space, Timestamp};

use super::error::Result;
use super::operation::{Durable, Entry};
use crate::agent;

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
        let live = entries.iter().filter(|entry| entry.expires_at.is_none_or(|at| at > now));
        let (mut write, mut count) = (AtomicWrite::new(), 0);
        for entry in live {
            let json = entry.value.to_string();
            write = write.put(&entry.space, &Key::new(entry.key.as_str()), json, entry.expires_at);
            count += 1;
        }
        if count > 0 {
            // There is no check that could conflict.
            let _version = self.store.commit(write).await?;
        }
        Ok(count)
    }

    /// Removes what belongs to an agent. What is shared stays.
    pub async fn forget(&self, agent: &agent::Id) -> Result<()> {
        self.drop_space(&Space::new(format!("state/profile/{agent}"))).await?;
        for prefix in [format!("state/session/{agent}/"), format!("state/task/{agent}/")] {
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
