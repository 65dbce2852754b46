//! Read, compute, write if unchanged: one atomic step on one key.

use crate::{AtomicWrite, Entry, Expect, Key, Result, Space, Store, Timestamp, Version};

/// What an update makes of the entry that it found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    Put { value: Vec<u8>, expires_at: Option<Timestamp> },
    Delete,
    Leave,
}

/// How an update ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Updated<T> {
    /// The version of the write; none if the entry was left as it is.
    pub version: Option<Version>,
    pub answer: T,
}

/// Replaces an entry by what `decide` makes of it, with no other write of that key in between.
///
/// Updates of one key in this process take turns. A write that came without taking its turn makes `decide` run again
/// on what is there now; only the answer of its last run counts.
pub async fn update<T>(
    store: &dyn Store,
    space: &Space,
    key: &Key,
    mut decide: impl FnMut(Option<&Entry>) -> (Decision, T),
) -> Result<Updated<T>> {
    let ticket = store.locks().ticket(space, key);
    let _turn = ticket.lock.lock().await;
    loop {
        let found = store.get(space, key).await?;
        let (decision, answer) = decide(found.as_ref());
        let expect = Expect::unchanged(found.map(|entry| entry.version));
        let write = AtomicWrite::new().check(space, key, expect);
        let write = match decision {
            Decision::Put { value, expires_at } => write.put(space, key, value, expires_at),
            Decision::Delete => write.delete(space, key),
            Decision::Leave => return Ok(Updated { version: None, answer }),
        };
        if let Ok(version) = store.commit(write).await? {
            return Ok(Updated { version: Some(version), answer });
        }
    }
}
