//! Whether a file is still what it was.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::time::{Duration, SystemTime};

/// A file that changed so recently may change again without its times showing it: their clock ticks slowly.
const SETTLED_AFTER: Duration = Duration::from_millis(100);

/// What changes when a file or a directory does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    pub device: u64,
    pub inode: u64,
    pub size: u64,
    /// When its content was written, in seconds since 1970, and nanoseconds within that second.
    pub modified: (i64, i64),
    /// When anything about it was, its name too.
    pub changed: (i64, i64),
}

impl Stamp {
    pub fn of(metadata: &Metadata) -> Self {
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.size(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    /// Whether it is the same file with the same content, perhaps under another name.
    pub fn is_moved(&self, from: &Self) -> bool {
        *self == Self { changed: self.changed, ..*from }
    }

    /// Whether any later change makes a different stamp. The clock must be read before the file is looked at.
    pub fn settled(&self, now: SystemTime) -> bool {
        let (seconds, nanos) = self.changed;
        let since_epoch = Duration::new(seconds.unsigned_abs(), u32::try_from(nanos).unwrap_or(0));
        now.duration_since(SystemTime::UNIX_EPOCH + since_epoch).is_ok_and(|age| age >= SETTLED_AFTER)
    }
}
