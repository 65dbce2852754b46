//! The events of named tasks in the store: so many of the newest are kept, and the oldest go first.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use store::{AtomicWrite, Entry, Key, KeyRange, Limit, Space, Store};

use super::event::Event;
use super::id::Id;
use super::tasks::json;
use super::traces::timeline_space;
use crate::agent;
use crate::error::{Result, store_failed};

/// Events that are kept of one task.
pub const EVENTS_MAX: usize = 1_000;

pub(super) struct Timeline {
    store: Arc<dyn Store>,
    /// How many events were written so far.
    written: AtomicU64,
}

impl Timeline {
    pub(super) fn new(store: Arc<dyn Store>) -> Self {
        Self { store, written: AtomicU64::new(0) }
    }

    /// Adds the newest of these events to a write.
    pub(super) fn put(
        &self,
        mut write: AtomicWrite,
        agent: &agent::Id,
        id: &Id,
        events: &[Event],
    ) -> Result<AtomicWrite> {
        for event in &events[events.len().saturating_sub(EVENTS_MAX)..] {
            write = write.put(&timeline_space(agent, id), &self.key(event), json(event)?, None);
        }
        Ok(write)
    }

    /// The newest events, oldest first.
    pub(super) async fn read(&self, agent: &agent::Id, id: &Id) -> Result<Vec<Event>> {
        let space = timeline_space(agent, id);
        let mut newest: VecDeque<Entry> = VecDeque::new();
        let mut next = Some(KeyRange::all());
        while let Some(range) = next {
            let entries;
            (entries, next) = self.page(&space, range).await?;
            newest.extend(entries);
            newest.drain(..newest.len().saturating_sub(EVENTS_MAX));
        }
        Ok(newest.iter().filter_map(|entry| serde_json::from_slice(&entry.value).ok()).collect())
    }

    /// Removes all but the newest events.
    pub(super) async fn trim(&self, agent: &agent::Id, id: &Id) -> Result<()> {
        let space = timeline_space(agent, id);
        let mut newest: VecDeque<Key> = VecDeque::new();
        let mut next = Some(KeyRange::all());
        while let Some(range) = next {
            let entries;
            (entries, next) = self.page(&space, range).await?;
            newest.extend(entries.into_iter().map(|entry| entry.key));
            let old: Vec<Key> = newest.drain(..newest.len().saturating_sub(EVENTS_MAX)).collect();
            if !old.is_empty() {
                let write = old.iter().fold(AtomicWrite::new(), |write, key| write.delete(&space, key));
                let _version = self.store.commit(write).await.map_err(store_failed)?;
            }
        }
        Ok(())
    }

    /// Some events in order, and where the others are.
    async fn page(&self, space: &Space, range: KeyRange) -> Result<(Vec<Entry>, Option<KeyRange>)> {
        let page = self.store.scan(space, &range, Limit::entries(EVENTS_MAX)).await.map_err(store_failed)?;
        let last = page.entries.last().filter(|_| page.has_more).map(|entry| entry.key.clone());
        Ok((page.entries, last.map(|key| KeyRange::all().after(key))))
    }

    /// Grows with time, and from one event to the next.
    fn key(&self, event: &Event) -> Key {
        let number = self.written.fetch_add(1, Ordering::Relaxed);
        Key::new(format!("{:015}.{number:010}", event.at))
    }
}
