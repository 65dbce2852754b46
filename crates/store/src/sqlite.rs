//! A store in one SQLite file.
//!
//! Writes are gathered into groups that share one transaction and one sync (`writer`); reads run in the calling
//! thread on connections of their own (`reader`) and never wait for a write.

mod batch;
mod database;
mod file;
mod log;
mod maintain;
mod reader;
mod thread;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::Connection;

use self::database::Database;
use self::log::Log;
use self::reader::Readers;
use self::thread::blocking;
pub use self::thread::this_thread_may_wait;
use self::writer::Writer;
use crate::{
    AtomicWrite, Clock, Conflict, Entry, Key, KeyLocks, KeyRange, Limit, Page, Pending, Result, Space, Store,
    Version,
};

/// Entries in a file that only its owner can read.
///
/// On a multi-threaded tokio runtime a commit may block its worker thread, after handing the worker's other tasks on;
/// it must therefore not be awaited inside a `LocalSet`.
pub struct Sqlite {
    path: PathBuf,
    clock: Arc<dyn Clock>,
    readers: Readers,
    writer: Writer,
    locks: KeyLocks,
}

impl Sqlite {
    /// Opens the file, or creates it in a directory that exists.
    ///
    /// A file that is damaged, foreign or from a later version is an error, and is left as it is.
    pub fn open(path: impl Into<PathBuf>, clock: Arc<dyn Clock>) -> Result<Self> {
        let path = path.into();
        let (connection, log) = file::open(&path)?;
        Self::start(path, connection, log, clock)
    }

    fn start(path: PathBuf, connection: Connection, log: Log, clock: Arc<dyn Clock>) -> Result<Self> {
        let database = Database::new(connection, log, path.clone(), Arc::clone(&clock));
        let writer = Writer::start(database, &path)?;
        Ok(Self { readers: Readers::new(path.clone()), path, clock, writer, locks: KeyLocks::default() })
    }
}

impl Store for Sqlite {
    fn get<'a>(&'a self, space: &'a Space, key: &'a Key) -> Pending<'a, Option<Entry>> {
        Box::pin(async move {
            let now = self.clock.now();
            self.readers.with(|connection| reader::get(connection, space, key, now))
        })
    }

    fn scan<'a>(&'a self, space: &'a Space, range: &'a KeyRange, limit: Limit) -> Pending<'a, Page> {
        Box::pin(async move {
            let now = self.clock.now();
            self.readers.with(|connection| reader::scan(connection, space, range, limit, now))
        })
    }

    fn commit(&self, write: AtomicWrite) -> Pending<'_, std::result::Result<Version, Conflict>> {
        Box::pin(self.writer.run(move |batch| batch.commit(&write)))
    }

    fn drop_space<'a>(&'a self, space: &'a Space) -> Pending<'a, ()> {
        let space = space.clone();
        Box::pin(self.writer.run(move |batch| batch.drop_space(&space)))
    }

    fn spaces<'a>(
        &'a self,
        prefix: &'a str,
        after: Option<&'a Space>,
        limit: usize,
    ) -> Pending<'a, Vec<Space>> {
        Box::pin(async move {
            let now = self.clock.now();
            self.readers.with(|connection| reader::spaces(connection, prefix, after, limit, now))
        })
    }

    fn sweep(&self, limit: usize) -> Pending<'_, usize> {
        Box::pin(self.writer.run(move |batch| batch.sweep(limit)))
    }

    fn backup<'a>(&'a self, to: &'a Path) -> Pending<'a, ()> {
        Box::pin(async move { blocking(|| maintain::backup(&self.readers, to)) })
    }

    fn check_integrity(&self) -> Pending<'_, Vec<String>> {
        Box::pin(async move { blocking(|| self.readers.with(maintain::check_integrity)) })
    }

    fn close(&self) -> Pending<'_, ()> {
        Box::pin(async move {
            blocking(|| self.shut_down());
            Ok(())
        })
    }

    fn locks(&self) -> &KeyLocks {
        &self.locks
    }
}

impl Sqlite {
    /// The writer goes last: the connection that closes last folds the log into the file and removes it.
    fn shut_down(&self) {
        self.readers.close();
        self.writer.close();
    }
}

impl Drop for Sqlite {
    fn drop(&mut self) {
        self.shut_down();
    }
}

impl std::fmt::Debug for Sqlite {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sqlite").field("path", &self.path).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Error, SystemClock};

    /// A store whose disk has room for so many pages.
    fn open_small(path: &Path, pages: u32) -> Arc<Sqlite> {
        let (connection, log) = file::open(path).unwrap();
        connection.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(())).unwrap();
        Arc::new(Sqlite::start(path.to_owned(), connection, log, Arc::new(SystemClock)).unwrap())
    }

    async fn put(store: &Sqlite, name: &str, size: usize) -> Result<Version> {
        let write = AtomicWrite::new().put(&Space::new("s"), &Key::new(name), vec![1; size], None);
        store.commit(write).await.map(std::result::Result::unwrap)
    }

    #[tokio::test]
    async fn a_write_without_room_fails_alone() {
        let folder = tempfile::tempdir().unwrap();
        let store = open_small(&folder.path().join("store.db"), 100);
        // On this runtime they all wait in the queue before the first one is written.
        let sizes = (0..20).map(|n| if n == 10 { 4 << 20 } else { 100 });
        let writes: Vec<_> = sizes
            .enumerate()
            .map(|(n, size)| {
                let store = Arc::clone(&store);
                tokio::spawn(async move { put(&store, &n.to_string(), size).await })
            })
            .collect();
        for (n, write) in writes.into_iter().enumerate() {
            let outcome = write.await.unwrap();
            assert_eq!(matches!(outcome, Err(Error::Full { .. })), n == 10, "{n}: {outcome:?}");
            let found = store.get(&Space::new("s"), &Key::new(n.to_string())).await.unwrap();
            assert_eq!(found.map(|entry| entry.version), outcome.ok());
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_full_disk_loses_nothing_and_recovers() {
        let folder = tempfile::tempdir().unwrap();
        let (store, space) = (open_small(&folder.path().join("store.db"), 100), Space::new("s"));
        // The very first write fails, and with it the block of versions that it had set aside.
        assert!(matches!(put(&store, "huge", 4 << 20).await, Err(Error::Full { .. })));
        let mut written = Vec::new();
        let error = loop {
            match put(&store, &format!("{:03}", written.len()), 5_000).await {
                Ok(version) => written.push(version),
                Err(error) => break error,
            }
        };
        assert!(matches!(error, Error::Full { .. }), "{error:?}");
        let page = store.scan(&space, &KeyRange::all(), Limit::entries(1_000)).await.unwrap();
        assert_eq!(page.entries.iter().map(|entry| entry.version).collect::<Vec<_>>(), written);
        assert_eq!(store.check_integrity().await.unwrap(), Vec::<String>::new());
        let delete = AtomicWrite::new().delete(&space, &Key::new("000"));
        let deleted = store.commit(delete).await.unwrap().unwrap();
        assert!(written.iter().all(|version| *version < deleted));
        assert!(put(&store, "again", 5_000).await.unwrap() > deleted);
    }
}
