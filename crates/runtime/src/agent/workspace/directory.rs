//! Names in a directory that is held open: files are written beside others, exchanged with them, and removed.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

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
pub struct Temporary {
    directory: Arc<Directory>,
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

    /// The attributes of what has a name, a link itself if it is one.
    pub fn stat(&self, name: &OsStr) -> rustix::io::Result<Stat> {
        rustix::fs::statat(self, name, AtFlags::SYMLINK_NOFOLLOW)
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

impl Temporary {
    pub fn name(directory: &Arc<Directory>) -> Self {
        let directory = Arc::clone(directory);
        Self { directory, name: format!(".string-{}.tmp", ulid::Ulid::generate()) }
    }

    /// An empty file, closed to others if it is to replace one that may be.
    pub fn create(directory: &Arc<Directory>, replaced: Option<&Stat>) -> rustix::io::Result<(Self, File)> {
        let temporary = Self::name(directory);
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = if replaced.is_some() { OWNER_ONLY } else { NEW_FILE };
        let handle = rustix::fs::openat(&*temporary.directory, &*temporary.name, flags, mode)?;
        Ok((temporary, File::from(handle)))
    }

    /// Writes a content to the disk, with the owner and permissions of the file that it is to replace.
    pub fn write(
        directory: &Arc<Directory>,
        content: &[u8],
        replaced: Option<&Stat>,
    ) -> Result<Self, Failure> {
        let (temporary, mut file) = Self::create(directory, replaced)?;
        file.write_all(content)?;
        complete(&file, replaced)?;
        Ok(temporary)
    }

    /// Takes a name, in this directory or another one, that nobody may have.
    pub fn become_new(&self, to: &Directory, name: &OsStr) -> Result<(), Failure> {
        let (directory, own) = (&*self.directory, &*self.name);
        let renamed = rustix::fs::renameat_with(directory, own, to, name, RenameFlags::NOREPLACE);
        match renamed {
            Err(Errno::INVAL | Errno::NOSYS) => {
                // A link does the same where the file system knows no such rename.
                rustix::fs::linkat(directory, own, to, name, AtFlags::empty()).map_err(taken)
            }
            other => other.map_err(taken),
        }
    }

    /// Takes the name of a file that must be as expected; it is looked at when nobody finds it by that name any longer.
    pub fn take_the_place_of(
        self,
        name: &OsStr,
        expected: impl FnOnce(&Directory, &OsStr) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        match self.exchange(name) {
            Err(Errno::NOENT) => return Err(Failure::Changed),
            Err(Errno::INVAL | Errno::NOSYS) => {
                return Ok(self.replace(&self.directory, name)?);
            }
            other => other?,
        }
        if self.holds(expected) {
            return Ok(());
        }
        if let Err(error) = self.exchange(name) {
            self.keep();
            return Err(error.into());
        }
        Err(Failure::Changed)
    }

    /// Takes a name, in this directory or another one, whatever has it now.
    pub fn replace(&self, to: &Directory, name: &OsStr) -> rustix::io::Result<()> {
        rustix::fs::renameat(&*self.directory, &*self.name, to, name)
    }

    /// Whether what has this name now is what is expected.
    pub fn holds(&self, expected: impl FnOnce(&Directory, &OsStr) -> Result<(), Failure>) -> bool {
        expected(&self.directory, OsStr::new(&self.name)).is_ok()
    }

    fn exchange(&self, name: &OsStr) -> rustix::io::Result<()> {
        let directory = &*self.directory;
        rustix::fs::renameat_with(directory, &*self.name, directory, name, RenameFlags::EXCHANGE)
    }

    /// Leaves the file under this name: it is the only one that another's content has now.
    pub fn keep(self) {
        std::mem::forget(self);
    }

    pub fn rename_from(&self, name: &OsStr) -> rustix::io::Result<()> {
        rustix::fs::renameat(&*self.directory, name, &*self.directory, &*self.name)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // It has another name by now, or there is an error that is worth more than this one.
        let _ = rustix::fs::unlinkat(&*self.directory, &*self.name, AtFlags::empty());
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

/// Brings a file to the disk, with the owner and permissions of the one that it is to replace.
pub fn complete(file: &File, replaced: Option<&Stat>) -> io::Result<()> {
    if let Some(replaced) = replaced {
        keep_attributes(file, replaced)?;
    }
    file.sync_all()
}

/// The owner first: changing it takes the right to run as the owner away.
fn keep_attributes(file: &File, replaced: &Stat) -> rustix::io::Result<()> {
    use rustix::fs::{Gid, Uid};
    let (owner, group) = (Uid::from_raw(replaced.st_uid), Gid::from_raw(replaced.st_gid));
    let kept = rustix::fs::fchown(file, Some(owner), Some(group)).is_ok();
    let permissions = if kept { PERMISSIONS } else { PLAIN_PERMISSIONS };
    rustix::fs::fchmod(file, Mode::from_raw_mode(replaced.st_mode & permissions))
}
