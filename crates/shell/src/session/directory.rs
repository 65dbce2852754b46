//! Where a shell is.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rustix::process::Pid;

/// A working directory as a person would name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directory {
    pub path: PathBuf,
    /// It has been removed while the shell was in it.
    pub deleted: bool,
}

impl Directory {
    /// The directory of `process`: by the name in `logical` if that leads to
    /// the same place, else by its real one.
    pub(super) fn of(process: Pid, logical: &OsStr) -> Option<Self> {
        let link = PathBuf::from(format!("/proc/{process}/cwd"));
        let real = fs::read_link(&link).ok()?;
        let found = fs::metadata(&link).ok()?;
        if found.nlink() == 0 {
            return Some(Self { path: without_mark(&real), deleted: true });
        }
        let logical = Path::new(logical);
        let same = |other: fs::Metadata| (other.dev(), other.ino()) == (found.dev(), found.ino());
        let path = if logical.is_absolute() && fs::metadata(logical).is_ok_and(same) {
            logical.to_owned()
        } else {
            real
        };
        Some(Self { path, deleted: false })
    }
}

/// The kernel marks the name of a removed directory; a name may also end like that by itself.
fn without_mark(path: &Path) -> PathBuf {
    let text = path.as_os_str().as_encoded_bytes();
    let plain = text.strip_suffix(b" (deleted)").unwrap_or(text);
    PathBuf::from(<OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(plain))
}
