//! What the tests of every backend share: a clock that stands still, and short ways to write and read.
#![allow(dead_code, reason = "each test binary uses its own part")]

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use store::{AtomicWrite, Clock, Conflict, Entry, Key, KeyRange, Limit, Space, Store, Timestamp, Version};

/// Moves only when it is told to.
#[derive(Debug)]
pub(crate) struct FakeClock(AtomicI64);

impl FakeClock {
    pub(crate) const START: i64 = 1_000_000;

    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self(AtomicI64::new(Self::START)))
    }

    pub(crate) fn advance(&self, millis: i64) {
        self.0.fetch_add(millis, Ordering::SeqCst);
    }

    /// The moment so many milliseconds from now.
    pub(crate) fn later(&self, millis: i64) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::SeqCst) + millis)
    }
}

impl Clock for FakeClock {
    fn now(&self) -> Timestamp {
        self.later(0)
    }
}

pub(crate) fn space(name: &str) -> Space {
    Space::new(name)
}

pub(crate) fn key(name: &str) -> Key {
    Key::new(name)
}

pub(crate) async fn commit(store: &dyn Store, write: AtomicWrite) -> Result<Version, Conflict> {
    store.commit(write).await.unwrap()
}

pub(crate) async fn put(store: &dyn Store, space: &Space, name: &str, value: impl Into<Vec<u8>>) -> Version {
    commit(store, AtomicWrite::new().put(space, &key(name), value, None)).await.unwrap()
}

pub(crate) async fn get(store: &dyn Store, space: &Space, name: &str) -> Option<Entry> {
    store.get(space, &key(name)).await.unwrap()
}

pub(crate) async fn keys(store: &dyn Store, space: &Space, range: KeyRange) -> Vec<String> {
    let page = store.scan(space, &range, Limit::entries(usize::MAX)).await.unwrap();
    assert!(!page.has_more);
    page.entries.iter().map(|entry| entry.key.to_string()).collect()
}
