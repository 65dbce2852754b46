//! The interface that every backend implements.

use std::future::Future;
use std::path::Path;
use std::pin::Pin;

use crate::{AtomicWrite, Conflict, Entry, Key, KeyLocks, KeyRange, Limit, Page, Result, Space, Version};

/// What an asynchronous method of [`Store`] returns; boxed so that the trait can be used as `dyn Store`.
///
/// Nothing happens before the first poll. A commit that is dropped after it has been polled may still take place.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 'a>>;

/// Ordered entries in named spaces.
///
/// An entry whose `expires_at` is not after the store's clock is gone: for reads, for scans and for every check.
/// A space exists while it holds an entry; there is nothing to create.
pub trait Store: Send + Sync + 'static {
    fn get<'a>(&'a self, space: &'a Space, key: &'a Key) -> Pending<'a, Option<Entry>>;

    /// The entries of a range in byte order of their keys, from one moment.
    fn scan<'a>(&'a self, space: &'a Space, range: &'a KeyRange, limit: Limit) -> Pending<'a, Page>;

    /// Applies all of a write or nothing. When this returns a version, the write is on disk.
    ///
    /// Every put of one write gets the same version, greater than any version before it.
    fn commit(&self, write: AtomicWrite) -> Pending<'_, std::result::Result<Version, Conflict>>;

    /// Removes every entry of a space at once.
    fn drop_space<'a>(&'a self, space: &'a Space) -> Pending<'a, ()>;

    /// The names of at most `limit` spaces that begin with `prefix` and hold an entry, in byte order, beginning
    /// behind `after`.
    fn spaces<'a>(
        &'a self,
        prefix: &'a str,
        after: Option<&'a Space>,
        limit: usize,
    ) -> Pending<'a, Vec<Space>>;

    /// Removes at most `limit` expired entries for good and returns how many; `limit` of them means that there may
    /// be more. Writers wait while it runs, so a sweep is a loop over small chunks.
    fn sweep(&self, limit: usize) -> Pending<'_, usize>;

    /// Writes a copy of one moment, which opens like the original, to a path where nothing exists yet.
    fn backup<'a>(&'a self, to: &'a Path) -> Pending<'a, ()>;

    /// What is wrong with the stored data, one sentence each; empty when it is sound. Reads everything.
    fn check_integrity(&self) -> Pending<'_, Vec<String>>;

    /// Finishes what was begun and lets go of the files. Afterwards every call fails with [`crate::Error::Closed`].
    fn close(&self) -> Pending<'_, ()>;

    /// The locks that make [`crate::update`] wait instead of spin; one set per open store.
    fn locks(&self) -> &KeyLocks;
}
