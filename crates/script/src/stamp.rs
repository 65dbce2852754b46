//! Whether a file is still what it was.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::time::{Duration, SystemTime};

/// A file that changed so recently may change again without its times showing it: their clock ticks slowly.
const SETTLED_AFTER: Duration = Duration::from_millis(100);

/// What changes when a file or a directory does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
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

    /// Whether any later change makes a different stamp.
    pub fn settled(&self, now: SystemTime) -> bool {
        let (seconds, nanos) = self.changed;
        let since_epoch = Duration::new(seconds.unsigned_abs(), u32::try_from(nanos).unwrap_or(0));
        now.duration_since(SystemTime::UNIX_EPOCH + since_epoch).is_ok_and(|age| age >= SETTLED_AFTER)
    }
}
