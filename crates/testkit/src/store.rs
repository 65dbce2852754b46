//! A store whose writes can be held, failed or made to panic.

use std::path::Path;
use std::sync::{Arc, Mutex};

use ::store::{
    AtomicWrite, Conflict, Entry, Error, Key, KeyLocks, KeyRange, Limit, Page, Pending, Space, Store, Version,
};
use tokio::sync::{Semaphore, watch};

/// What happens to the next writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    None,
    /// They wait until [`FaultyStore::release`].
    Hold,
    /// The disk is full.
    Full,
    Panic,
}

pub struct FaultyStore {
    inner: Arc<dyn Store>,
    fault: Mutex<Fault>,
    released: Semaphore,
    held: watch::Sender<usize>,
}

impl FaultyStore {
    pub fn new(inner: Arc<dyn Store>) -> Self {
        Self {
            inner,
            fault: Mutex::new(Fault::None),
            released: Semaphore::new(0),
            held: watch::Sender::new(0),
        }
    }

    pub fn set_fault(&self, fault: Fault) {
        *self.fault.lock().expect("no test panics here") = fault;
    }

    /// Lets so many held writes go on.
    pub fn release(&self, writes: usize) {
        self.released.add_permits(writes);
    }

    /// Returns once so many writes have been held in all.
    pub async fn until_held(&self, writes: usize) {
        let mut held = self.held.subscribe();
        held.wait_for(|held| *held >= writes).await.expect("the store outlives the wait");
    }
}

impl Store for FaultyStore {
    fn commit(&self, write: AtomicWrite) -> Pending<'_, Result<Version, Conflict>> {
        let fault = *self.fault.lock().expect("no test panics here");
        Box::pin(async move {
            match fault {
                Fault::None => {}
                Fault::Hold => {
                    self.held.send_modify(|held| *held += 1);
                    self.released.acquire().await.expect("never closed").forget();
                }
                Fault::Full => return Err(Error::Full { path: "string.db".into() }),
                Fault::Panic => panic!("the store was told to panic"),
            }
            self.inner.commit(write).await
        })
    }

    fn get<'a>(&'a self, space: &'a Space, key: &'a Key) -> Pending<'a, Option<Entry>> {
        self.inner.get(space, key)
    }

    fn scan<'a>(&'a self, space: &'a Space, range: &'a KeyRange, limit: Limit) -> Pending<'a, Page> {
        self.inner.scan(space, range, limit)
    }

    fn drop_space<'a>(&'a self, space: &'a Space) -> Pending<'a, ()> {
        self.inner.drop_space(space)
    }

    fn spaces<'a>(
        &'a self,
        prefix: &'a str,
        after: Option<&'a Space>,
        limit: usize,
    ) -> Pending<'a, Vec<Space>> {
        self.inner.spaces(prefix, after, limit)
    }

    fn sweep(&self, limit: usize) -> Pending<'_, usize> {
        self.inner.sweep(limit)
    }

    fn backup<'a>(&'a self, to: &'a Path) -> Pending<'a, ()> {
        self.inner.backup(to)
    }

    fn check_integrity(&self) -> Pending<'_, Vec<String>> {
        self.inner.check_integrity()
    }

    fn close(&self) -> Pending<'_, ()> {
        self.inner.close()
    }

    fn locks(&self) -> &KeyLocks {
        self.inner.locks()
    }
}
