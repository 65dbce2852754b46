//! Names in a directory that is held open: files are written beside others, exchanged with them, and removed.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{AtFlags, Mode, OFlags, RenameFlags, ResolveFlags, Stat};
use rustix::io::Errno;

use super::{Found, FoundKind};

/// Before the umask.
const NEW_FILE: Mode = Mode::from_raw_mode(0o644);
const NEW_DIRECTORY: Mode = Mode::from_raw_mode(0o755);
/// Of a file that replaces another one, until it has that one's permissions.
const OWNER_ONLY: Mode = Mode::from_raw_mode(0o600);
const PERMISSIONS: u32 = 0o7777;
/// Permissions without those that make a program run as the file's owner.
const PLAIN_PERMISSIONS: u32 = 0o777;

/// A directory, held open without access rights: names in it are looked up from here.
pub struct Directory(OwnedFd);

/// A file under a name of its own, removed again unless it becomes another one.
pub struct Temporary<'a> {
    directory: &'a Directory,
    name: String,
}

pub enum Failure {
    /// What is there is not what was expected.
    Changed,
    Io(Errno),
}

impl Directory {
    pub fn new(handle: OwnedFd) -> Self {
        Self(handle)
    }

    pub fn enter(&self, name: &OsStr) -> rustix::io::Result<Self> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        rustix::fs::openat2(self, name, flags, Mode::empty(), no_links()).map(Self)
    }

    /// Creates a directory, unless someone else just did, and enters it.
    pub fn create(&self, name: &OsStr) -> rustix::io::Result<Self> {
        match rustix::fs::mkdirat(self, name, NEW_DIRECTORY) {
            Err(Errno::EXIST) => {}
            made => {
                made?;
                self.sync()?;
            }
        }
        self.enter(name)
    }

    /// The attributes of a file, if it holds what is expected.
    pub fn find(&self, name: &OsStr, expected: &[u8]) -> Result<Stat, Failure> {
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        let handle = match rustix::fs::openat2(self, name, flags, Mode::empty(), no_links()) {
            Err(Errno::NOENT | Errno::LOOP) => return Err(Failure::Changed),
            other => other?,
        };
        let stat = rustix::fs::fstat(&handle)?;
        match Found::of(handle, "") {
            Ok(found) if matches!(found.kind, FoundKind::File { .. }) => {
                let same = found.read(expected.len() as u64)? == expected;
                if same { Ok(stat) } else { Err(Failure::Changed) }
            }
            _ => Err(Failure::Changed),
        }
    }

    pub fn sync(&self) -> rustix::io::Result<()> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        match rustix::fs::openat(self, ".", flags, Mode::empty()) {
            Ok(readable) => rustix::fs::fsync(readable),
            // A directory in which one may write but not look: the write itself has succeeded.
            Err(Errno::ACCESS) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

impl AsFd for Directory {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl<'a> Temporary<'a> {
    pub fn name(directory: &'a Directory) -> Self {
        Self { directory, name: format!(".string-{}.tmp", ulid::Ulid::generate()) }
    }

    /// Writes a content to the disk, with the owner and permissions of the file that it is to replace.
    pub fn write(directory: &'a Directory, content: &[u8], replaced: Option<&Stat>) -> Result<Self, Failure> {
        let temporary = Self::name(directory);
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = if replaced.is_some() { OWNER_ONLY } else { NEW_FILE };
        let mut file = File::from(rustix::fs::openat(directory, &*temporary.name, flags, mode)?);
        file.write_all(content)?;
        if let Some(replaced) = replaced {
            keep_attributes(&file, replaced)?;
        }
        file.sync_all()?;
        Ok(temporary)
    }

    /// Takes a name that nobody may have.
    pub fn become_new(&self, name: &OsStr) -> Result<(), Failure> {
        let (directory, own) = (self.directory, &*self.name);
        let renamed = rustix::fs::renameat_with(directory, own, directory, name, RenameFlags::NOREPLACE);
        match renamed {
            Err(Errno::INVAL | Errno::NOSYS) => {
                // A link does the same where the file system knows no such rename.
                rustix::fs::linkat(directory, own, directory, name, AtFlags::empty()).map_err(taken)
            }
            other => other.map_err(taken),
        }
    }

    /// Takes the name of a file that must hold what is expected.
    pub fn take_the_place_of(self, name: &OsStr, expected: &[u8]) -> Result<(), Failure> {
        match self.exchange(name) {
            Err(Errno::NOENT) => return Err(Failure::Changed),
            Err(Errno::INVAL | Errno::NOSYS) => {
                rustix::fs::renameat(self.directory, &*self.name, self.directory, name)?;
                return Ok(());
            }
            other => other?,
        }
        if self.find(expected).is_ok() {
            return Ok(());
        }
        if let Err(error) = self.exchange(name) {
            self.keep();
            return Err(error.into());
        }
        Err(Failure::Changed)
    }

    /// Whether the file under this name holds what is expected.
    pub fn find(&self, expected: &[u8]) -> Result<Stat, Failure> {
        self.directory.find(OsStr::new(&self.name), expected)
    }

    fn exchange(&self, name: &OsStr) -> rustix::io::Result<()> {
        let directory = self.directory;
        rustix::fs::renameat_with(directory, &*self.name, directory, name, RenameFlags::EXCHANGE)
    }

    /// Leaves the file under this name: it is the only one that another's content has now.
    pub fn keep(self) {
        std::mem::forget(self);
    }

    pub fn rename_from(&self, name: &OsStr) -> rustix::io::Result<()> {
        rustix::fs::renameat(self.directory, name, self.directory, &*self.name)
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        // It has another name by now, or there is an error that is worth more than this one.
        let _ = rustix::fs::unlinkat(self.directory, &*self.name, AtFlags::empty());
    }
}

impl From<Errno> for Failure {
    fn from(errno: Errno) -> Self {
        Self::Io(errno)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Io(Errno::from_io_error(&error).unwrap_or(Errno::IO))
    }
}

fn no_links() -> ResolveFlags {
    ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS
}

fn taken(errno: Errno) -> Failure {
    if errno == Errno::EXIST { Failure::Changed } else { Failure::Io(errno) }
}

/// The owner first: changing it takes the right to run as the owner away.
fn keep_attributes(file: &File, replaced: &Stat) -> rustix::io::Result<()> {
    use rustix::fs::{Gid, Uid};
    let (owner, group) = (Uid::from_raw(replaced.st_uid), Gid::from_raw(replaced.st_gid));
    let kept = rustix::fs::fchown(file, Some(owner), Some(group)).is_ok();
    let permissions = if kept { PERMISSIONS } else { PLAIN_PERMISSIONS };
    rustix::fs::fchmod(file, Mode::from_raw_mode(replaced.st_mode & permissions))
}
