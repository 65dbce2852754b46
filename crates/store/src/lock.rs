//! One lock per key in use, so that read-modify-write loops in this process take turns.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::{Key, Space};

type Name = (Space, Key);
type Locks = HashMap<Name, Arc<tokio::sync::Mutex<()>>>;

/// The locks of the keys that somebody is updating right now; a key nobody updates costs nothing.
#[derive(Debug, Default)]
pub struct KeyLocks {
    in_use: Mutex<Locks>,
}

impl KeyLocks {
    /// A place in the queue for a key. Who waits on the lock inside is served in order.
    pub(crate) fn ticket(&self, space: &Space, key: &Key) -> Ticket<'_> {
        let name = (space.clone(), key.clone());
        let lock = Arc::clone(self.in_use().entry(name.clone()).or_default());
        Ticket { locks: self, name, lock }
    }

    fn in_use(&self) -> std::sync::MutexGuard<'_, Locks> {
        self.in_use.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Keeps the lock of a key alive; the last ticket to go takes the lock with it, also if its owner gave up waiting.
pub(crate) struct Ticket<'a> {
    locks: &'a KeyLocks,
    name: Name,
    pub(crate) lock: Arc<tokio::sync::Mutex<()>>,
}

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        let mut in_use = self.locks.in_use();
        // The map and this ticket: nobody else, and nobody can come while the map is held.
        if Arc::strong_count(&self.lock) == 2 {
            in_use.remove(&self.name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_lives_as_long_as_its_last_ticket() {
        let (locks, space, key) = (KeyLocks::default(), Space::new("s"), Key::new("k"));
        let first = locks.ticket(&space, &key);
        let second = locks.ticket(&space, &key);
        let other = locks.ticket(&space, &Key::new("other"));
        assert!(Arc::ptr_eq(&first.lock, &second.lock));
        assert!(!Arc::ptr_eq(&first.lock, &other.lock));
        drop(first);
        drop(other);
        assert_eq!(locks.in_use().len(), 1);
        drop(second);
        assert_eq!(locks.in_use().len(), 0);
    }
}
