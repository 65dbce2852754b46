//! Ordered durable entries: named spaces of keys, each entry with a version and an optional expiry.
//!
//! [`Store`] is what the rest of the product sees. [`sqlite::Sqlite`] keeps entries on disk, [`memory::Memory`]
//! keeps them for the life of the process; one suite of tests runs over both. What a space or a value *means* is
//! decided above this crate.

mod backend;
mod clock;
mod entry;
mod error;
mod lock;
pub mod memory;
mod range;
pub mod sqlite;
mod update;
mod write;

pub use backend::{Pending, Store};
pub use clock::{Clock, SystemClock, Timestamp};
pub use entry::{Entry, Key, Space, Version};
pub use error::{Error, Result};
pub use lock::KeyLocks;
pub use range::{KeyRange, Limit, Page};
pub use update::{Decision, Updated, update};
pub use write::{AtomicWrite, Change, Check, Conflict, Expect};
