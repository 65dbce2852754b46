//! The connection that writes, and its transactions.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::{Connection, TransactionBehavior};

use super::batch::{Batch, Versions};
use super::file::explain;
use super::log::Log;
use crate::{Clock, Error, Result};

/// Whoever holds this may write.
pub(super) struct Database {
    connection: Connection,
    versions: Versions,
    log: Log,
    path: PathBuf,
    /// The file that was opened under this path.
    file: Option<Identity>,
    clock: Arc<dyn Clock>,
}

/// Which file it is, whatever its name: device and inode.
type Identity = (u64, u64);

/// A piece of a transaction that somebody waits for.
pub(super) trait Job: Send {
    /// Runs again if the transaction was rolled back.
    fn apply(&mut self, batch: &mut Batch<'_>) -> rusqlite::Result<()>;

    fn answer(self: Box<Self>, outcome: Result<()>);
}

impl Database {
    pub(super) fn new(connection: Connection, log: Log, path: PathBuf, clock: Arc<dyn Clock>) -> Self {
        let file = identity(&path);
        Self { connection, versions: Versions::default(), log, path, file, clock }
    }

    /// Writes a group and answers everybody in it.
    pub(super) fn write(&mut self, group: &mut Vec<Box<dyn Job>>) {
        if self.transact(|batch| group.iter_mut().try_for_each(|job| job.apply(batch))).is_ok() {
            group.drain(..).for_each(|job| job.answer(Ok(())));
            return;
        }
        // One write that cannot be done must not fail its neighbours, so each gets a transaction of its own.
        for mut job in group.drain(..) {
            let outcome = self.transact(|batch| job.apply(batch));
            job.answer(outcome);
        }
    }

    /// Runs `work` and commits, or leaves everything as it was.
    pub(super) fn transact<T>(
        &mut self,
        work: impl FnOnce(&mut Batch<'_>) -> rusqlite::Result<T>,
    ) -> Result<T> {
        // Asking by the path costs a microsecond, and the file itself is not touched by a commit.
        if identity(&self.path) != self.file {
            return Err(Error::Replaced { path: self.path.clone() });
        }
        let now = self.clock.now();
        let result = (|| {
            let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let value = work(&mut Batch { connection: &transaction, versions: &mut self.versions, now })?;
            transaction.commit()?;
            self.log.keep_ahead();
            Ok(value)
        })();
        result.map_err(|error| {
            // The block of versions may have been rolled back with the rest.
            self.versions = Versions::default();
            explain(&self.path, error)
        })
    }
}

fn identity(path: &Path) -> Option<Identity> {
    path.metadata().ok().map(|file| (file.dev(), file.ino()))
}
