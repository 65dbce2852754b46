//! A store for the life of the process.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::range::{Fill, PageBuilder};
use crate::{
    AtomicWrite, Change, Clock, Conflict, Entry, Error, Key, KeyLocks, KeyRange, Limit, Page, Pending,
    Result, Space, Store, Timestamp, Version,
};

/// Entries in memory, behind one lock that is never held across an await.
pub struct Memory {
    clock: Arc<dyn Clock>,
    contents: Mutex<Contents>,
    locks: KeyLocks,
}

#[derive(Default)]
struct Contents {
    /// None of them empty.
    spaces: BTreeMap<Space, BTreeMap<Key, Stored>>,
    last_version: u64,
    closed: bool,
}

struct Stored {
    value: Vec<u8>,
    version: Version,
    expires_at: Option<Timestamp>,
}

impl Memory {
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, contents: Mutex::default(), locks: KeyLocks::default() }
    }

    fn contents(&self) -> Result<MutexGuard<'_, Contents>> {
        let contents = self.contents.lock().unwrap_or_else(PoisonError::into_inner);
        if contents.closed { Err(Error::Closed) } else { Ok(contents) }
    }

    fn read_page(&self, space: &Space, range: &KeyRange, limit: Limit) -> Result<Page> {
        let contents = self.contents()?;
        let now = self.clock.now();
        let mut page = PageBuilder::new(limit);
        let (start, end) = (Key::new(range.start()), range.end().map(Key::new));
        if end.as_ref().is_some_and(|end| *end <= start) {
            return Ok(page.finish());
        }
        let bounds = (Bound::Included(start), end.map_or(Bound::Unbounded, Bound::Excluded));
        let entries =
            contents.spaces.get(space).into_iter().flat_map(|entries| entries.range(bounds.clone()));
        for (key, stored) in entries.filter(|(_, stored)| stored.is_live(now)) {
            if page.offer(key.as_bytes().len(), stored.value.len()) == Fill::Full {
                break;
            }
            page.push(stored.to_entry(key));
        }
        Ok(page.finish())
    }
}

impl Store for Memory {
    fn get<'a>(&'a self, space: &'a Space, key: &'a Key) -> Pending<'a, Option<Entry>> {
        Box::pin(async move {
            let contents = self.contents()?;
            Ok(contents.live(space, key, self.clock.now()).map(|stored| stored.to_entry(key)))
        })
    }

    fn scan<'a>(&'a self, space: &'a Space, range: &'a KeyRange, limit: Limit) -> Pending<'a, Page> {
        Box::pin(async move { self.read_page(space, range, limit) })
    }

    fn commit(&self, write: AtomicWrite) -> Pending<'_, std::result::Result<Version, Conflict>> {
        Box::pin(async move {
            let mut contents = self.contents()?;
            let now = self.clock.now();
            Ok(contents.commit(write, now))
        })
    }

    fn drop_space<'a>(&'a self, space: &'a Space) -> Pending<'a, ()> {
        Box::pin(async move {
            self.contents()?.spaces.remove(space);
            Ok(())
        })
    }

    fn spaces<'a>(
        &'a self,
        prefix: &'a str,
        after: Option<&'a Space>,
        limit: usize,
    ) -> Pending<'a, Vec<Space>> {
        Box::pin(async move {
            let now = self.clock.now();
            let contents = self.contents()?;
            let named = contents.spaces.iter().filter(|(space, _)| space.as_str().starts_with(prefix));
            let behind = named.filter(|(space, _)| after.is_none_or(|after| *space > after));
            let live = behind.filter(|(_, entries)| entries.values().any(|stored| stored.is_live(now)));
            Ok(live.map(|(space, _)| space.clone()).take(limit).collect())
        })
    }

    fn sweep(&self, limit: usize) -> Pending<'_, usize> {
        Box::pin(async move {
            let now = self.clock.now();
            Ok(self.contents()?.sweep(limit, now))
        })
    }

    fn backup<'a>(&'a self, _to: &'a Path) -> Pending<'a, ()> {
        Box::pin(async { Err(Error::InMemory { what: "backup" }) })
    }

    fn check_integrity(&self) -> Pending<'_, Vec<String>> {
        Box::pin(async { self.contents().map(|_| Vec::new()) })
    }

    fn close(&self) -> Pending<'_, ()> {
        Box::pin(async {
            if let Ok(mut contents) = self.contents() {
                *contents = Contents { closed: true, ..Contents::default() };
            }
            Ok(())
        })
    }

    fn locks(&self) -> &KeyLocks {
        &self.locks
    }
}

impl Contents {
    fn live(&self, space: &Space, key: &Key, now: Timestamp) -> Option<&Stored> {
        self.spaces.get(space)?.get(key).filter(|stored| stored.is_live(now))
    }

    fn commit(&mut self, write: AtomicWrite, now: Timestamp) -> std::result::Result<Version, Conflict> {
        for check in &write.checks {
            check.against(self.live(&check.space, &check.key, now).map(|stored| stored.version))?;
        }
        self.last_version += 1;
        let version = Version::from_number(self.last_version);
        for change in write.changes {
            match change {
                Change::Put { space, key, value, expires_at } => {
                    let stored = Stored { value, version, expires_at };
                    self.spaces.entry(space).or_default().insert(key, stored);
                }
                Change::Delete { space, key } => self.remove(&space, &key),
            }
        }
        Ok(version)
    }

    fn remove(&mut self, space: &Space, key: &Key) {
        if let Some(entries) = self.spaces.get_mut(space) {
            entries.remove(key);
            if entries.is_empty() {
                self.spaces.remove(space);
            }
        }
    }

    fn sweep(&mut self, limit: usize, now: Timestamp) -> usize {
        let entries =
            self.spaces.iter().flat_map(|(space, entries)| entries.iter().map(move |entry| (space, entry)));
        let expired = entries.filter(|(_, (_, stored))| !stored.is_live(now)).take(limit);
        let expired: Vec<_> = expired.map(|(space, (key, _))| (space.clone(), key.clone())).collect();
        for (space, key) in &expired {
            self.remove(space, key);
        }
        expired.len()
    }
}

impl Stored {
    fn is_live(&self, now: Timestamp) -> bool {
        self.expires_at.is_none_or(|at| at > now)
    }

    fn to_entry(&self, key: &Key) -> Entry {
        let Self { value, version, expires_at } = self;
        Entry { key: key.clone(), value: value.clone(), version: *version, expires_at: *expires_at }
    }
}
