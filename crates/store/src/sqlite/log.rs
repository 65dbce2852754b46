//! Room in the write-ahead log before it is needed.
//!
//! Syncing a file that has grown costs about twice as much as syncing one that was written over, because the file
//! system has to record the growth as well. Once the log has wrapped it grows no more; until then this keeps it ahead
//! of its writer, a chunk of zeros at a time. Zeros behind the last frame mean nothing to SQLite, just like the frames
//! that are left there after a wrap, and appending cannot hit a frame, whoever writes.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

/// Costs one write a millisecond, and spares about a hundred of them the growth.
const CHUNK: usize = 1 << 20;

/// The log of an open database.
pub(super) struct Log {
    file: File,
    /// Where it ends by our doing; if it ends elsewhere, the room is used up.
    prepared: u64,
    /// Where it wraps.
    enough: u64,
}

impl Log {
    pub(super) fn open(path: &Path, enough: u64) -> io::Result<Self> {
        Ok(Self { file: OpenOptions::new().append(true).open(path)?, prepared: 0, enough })
    }

    /// Makes room if the last commit had to make its own. Failing to is no failure: the next commit takes longer.
    pub(super) fn keep_ahead(&mut self) {
        let Ok(length) = self.length() else { return };
        if length != self.prepared {
            if length < self.enough {
                let _ = self.file.write_all(&vec![0; CHUNK]);
            }
            self.prepared = self.length().unwrap_or(length);
        }
    }

    /// By seeking, not by asking for metadata: a modification time that somebody has seen must change with the next
    /// write, and then the sync has to record that as well (a third slower).
    fn length(&mut self) -> io::Result<u64> {
        self.file.seek(SeekFrom::End(0))
    }
}
