//! A file or directory of the workspace, held open, so that what was checked is what is read.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::PathBuf;

use super::{Stamp, load_error};
use crate::error::{Code, Error, Result, one_line};

/// Something in the workspace, held open.
#[derive(Debug)]
pub struct Found {
    pub(super) handle: OwnedFd,
    pub kind: FoundKind,
    /// What it was when it was found.
    pub stamp: Stamp,
    /// Its path with all links resolved, where that is not the path it was found by.
    pub real: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FoundKind {
    File { size: u64 },
    Directory,
}

/// What a listing does with names that begin with a dot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hidden {
    LeftOut,
    Shown,
}

impl Found {
    pub(super) fn of(handle: OwnedFd, shown: &str) -> Result<Self> {
        let file = File::from(handle);
        let metadata = file.metadata().map_err(|error| load_error(shown, &error))?;
        let kind = match metadata.file_type() {
            kind if kind.is_file() => FoundKind::File { size: metadata.len() },
            kind if kind.is_dir() => FoundKind::Directory,
            _ => {
                let message = format!("{shown} is neither a file nor a directory.");
                return Err(Error::new(Code::InvalidPath, message)
                    .hint("Devices, pipes and sockets do not open as documents."));
            }
        };
        Ok(Self { handle: file.into(), kind, stamp: Stamp::of(&metadata), real: None })
    }

    /// Reads at most `limit` bytes and one more, so that the caller can tell a file that is too long.
    pub fn read(&self, limit: u64) -> io::Result<Vec<u8>> {
        use io::Read;
        let mut bytes = Vec::with_capacity(self.expected(limit));
        File::open(self.reopen_path())?.take(limit + 1).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Room for what the file held when it was found, and the byte after it.
    pub(super) fn expected(&self, limit: u64) -> usize {
        let FoundKind::File { size } = self.kind else { return 0 };
        usize::try_from(size.min(limit) + 1).unwrap_or_default()
    }

    /// Names in a directory as they can be shown, directories with a final `/` and first.
    pub fn list(&self, hidden: Hidden) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in std::fs::read_dir(self.reopen_path())? {
            let entry = entry?;
            let mut name = one_line(&entry.file_name().to_string_lossy());
            if name.starts_with('.') && hidden == Hidden::LeftOut {
                continue;
            }
            if entry.file_type()?.is_dir() {
                name.push('/');
            }
            names.push(name);
        }
        names.sort_by_key(|name| (!name.ends_with('/'), name.clone()));
        Ok(names)
    }

    /// The handle was opened without access rights, so that a device or pipe is never touched; this is the
    /// way to the same object with them.
    pub(super) fn reopen_path(&self) -> PathBuf {
        format!("/proc/self/fd/{}", self.handle.as_raw_fd()).into()
    }
}
