//! Where a file is or would be: creating, replacing and removing it beneath a directory handle.
//!
//! A new content is written beside the file, brought to the disk and then given the file's name, so that a crash
//! at any moment leaves the old content or the new one. Links are refused at every step from the root down:
//! whatever swaps a directory for a link makes the write fail, it cannot make it land elsewhere.
//!
//! What is replaced must be what the caller saw. It is compared before the new content is written, and once more
//! after the two have changed names, when nobody finds it by its name any longer; if it turns out to be something
//! else, the names are changed back. Two limits remain: a program that holds the old file open and writes to it
//! after that, and a file system without exchanging renames, where only the first comparison is made.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Mode, OFlags, RenameFlags, ResolveFlags, Stat};
use rustix::io::Errno;

use super::{Found, FoundKind, Workspace, open_beneath};
use crate::error::{Code, Error, Result};

/// Before the umask.
const NEW_FILE: Mode = Mode::from_raw_mode(0o644);
const NEW_DIRECTORY: Mode = Mode::from_raw_mode(0o755);
/// Of a file that replaces another one, until it has that one's permissions.
const OWNER_ONLY: Mode = Mode::from_raw_mode(0o600);
const PERMISSIONS: u32 = 0o7777;
/// Permissions without those that make a program run as the file's owner.
const PLAIN_PERMISSIONS: u32 = 0o777;

/// A path that the agent may reach, with all links resolved. There may be no file yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    root: PathBuf,
    below: PathBuf,
    shown: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Missing {
    Create,
    Fail,
}

enum Failure {
    /// What is there is not what was expected.
    Changed,
    Io(Errno),
}

/// A directory, held open without access rights: names in it are looked up from here.
struct Directory(OwnedFd);

/// A file under a name of its own, removed again unless it becomes another one.
struct Temporary<'a> {
    directory: &'a Directory,
    name: String,
}

impl Workspace {
    /// Resolves a path that may not exist yet, if the agent may create it.
    pub fn place(&self, path: &Path) -> Result<Place> {
        self.check_as_written(path)?;
        let real = match std::fs::canonicalize(path) {
            Ok(real) => real,
            Err(error) if error.kind() == io::ErrorKind::NotFound => self.would_be(path)?,
            Err(error) => return Err(self.unresolved(path, &error)),
        };
        let (root, below) = self.check_as_resolved(path, &real)?;
        Ok(Place { root, below, shown: self.display(path) })
    }

    /// The deepest part that exists, resolved, and the rest as written.
    fn would_be(&self, path: &Path) -> Result<PathBuf> {
        for ancestor in path.ancestors() {
            if let Ok(real) = std::fs::canonicalize(ancestor) {
                let rest = path.strip_prefix(ancestor).unwrap_or(Path::new(""));
                return Ok(real.join(rest));
            }
            // A link to nothing: creating the file would create it wherever the link points.
            if ancestor.is_symlink() {
                return Err(self.leads_out(path));
            }
        }
        Err(self.outside(path))
    }
}

impl Place {
    /// The path with all links resolved: what makes two names the same file.
    pub fn path(&self) -> PathBuf {
        self.root.join(&self.below)
    }

    /// As agents read it.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// Opens what is there.
    pub fn open(&self) -> Result<Option<Found>> {
        match open_beneath(&self.root, &self.below) {
            Ok(handle) => Found::of(handle, &self.shown).map(Some),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.failed(Failure::from(error), "read")),
        }
    }

    /// Puts a content in place of what is expected to be there; of nothing, with the directories above it.
    pub fn write(&self, expected: Option<&[u8]>, content: &[u8]) -> Result<()> {
        self.try_write(expected, content).map_err(|failure| self.failed(failure, "written"))
    }

    /// Removes the file, if it holds what is expected.
    pub fn remove(&self, expected: &[u8]) -> Result<()> {
        self.try_remove(expected).map_err(|failure| self.failed(failure, "removed"))
    }

    fn try_write(&self, expected: Option<&[u8]>, content: &[u8]) -> Result<(), Failure> {
        let name = self.name()?;
        let missing = if expected.is_none() { Missing::Create } else { Missing::Fail };
        let directory = self.directory(missing)?;
        match expected {
            None => Temporary::write(&directory, content, None)?.become_new(name)?,
            Some(expected) => {
                let replaced = directory.find(name, expected)?;
                Temporary::write(&directory, content, Some(&replaced))?.take_the_place_of(name, expected)?;
            }
        }
        directory.sync()?;
        Ok(())
    }

    fn try_remove(&self, expected: &[u8]) -> Result<(), Failure> {
        let name = self.name()?;
        let directory = self.directory(Missing::Fail)?;
        directory.find(name, expected)?;
        let aside = Temporary::name(&directory);
        match aside.rename_from(name) {
            Err(Errno::NOENT) => return Err(Failure::Changed),
            other => other?,
        }
        if directory.find(OsStr::new(&aside.name), expected).is_err() {
            if let Err(failure) = aside.become_new(name) {
                aside.keep();
                return Err(failure);
            }
            return Err(Failure::Changed);
        }
        drop(aside);
        directory.sync()?;
        Ok(())
    }

    fn name(&self) -> Result<&OsStr, Failure> {
        self.below.file_name().ok_or(Failure::Io(Errno::ISDIR))
    }

    fn directory(&self, missing: Missing) -> Result<Directory, Failure> {
        let mut directory = Directory(open_beneath(&self.root, Path::new(""))?);
        for part in self.below.parent().into_iter().flatten() {
            directory = match directory.enter(part) {
                Err(Errno::NOENT) if missing == Missing::Create => {
                    match rustix::fs::mkdirat(&directory, part, NEW_DIRECTORY) {
                        Err(Errno::EXIST) => {}
                        made => {
                            made?;
                            directory.sync()?;
                        }
                    }
                    directory.enter(part)?
                }
                Err(Errno::NOENT) => return Err(Failure::Changed),
                other => other?,
            };
        }
        Ok(directory)
    }

    fn failed(&self, failure: Failure, done: &str) -> Error {
        let shown = &self.shown;
        match failure {
            Failure::Changed => {
                Error::new(Code::Conflict, format!("{shown} was changed by someone else at this moment."))
                    .hint(format!("It was left as it is. See it: /edit {shown}"))
            }
            Failure::Io(Errno::LOOP) => {
                Error::new(Code::InvalidPath, format!("A part of {shown} was swapped for a link."))
            }
            Failure::Io(Errno::NOTDIR) => {
                Error::new(Code::InvalidPath, format!("A part of {shown} is a file, not a directory."))
            }
            Failure::Io(errno) => Error::new(
                Code::LoadError,
                format!("{shown} could not be {done}: {}", io::Error::from(errno)),
            )
            .hint("It was left as it was."),
        }
    }
}

impl Directory {
    fn enter(&self, name: &OsStr) -> rustix::io::Result<Self> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        rustix::fs::openat2(self, name, flags, Mode::empty(), no_links()).map(Self)
    }

    /// The attributes of a file, if it holds what is expected.
    fn find(&self, name: &OsStr, expected: &[u8]) -> Result<Stat, Failure> {
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

    fn sync(&self) -> rustix::io::Result<()> {
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
    fn name(directory: &'a Directory) -> Self {
        Self { directory, name: format!(".string-{}.tmp", ulid::Ulid::generate()) }
    }

    /// Writes a content to the disk, with the owner and permissions of the file that it is to replace.
    fn write(directory: &'a Directory, content: &[u8], replaced: Option<&Stat>) -> Result<Self, Failure> {
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
    fn become_new(&self, name: &OsStr) -> Result<(), Failure> {
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
    fn take_the_place_of(self, name: &OsStr, expected: &[u8]) -> Result<(), Failure> {
        match self.exchange(name) {
            Err(Errno::NOENT) => return Err(Failure::Changed),
            Err(Errno::INVAL | Errno::NOSYS) => {
                rustix::fs::renameat(self.directory, &*self.name, self.directory, name)?;
                return Ok(());
            }
            other => other?,
        }
        if self.directory.find(OsStr::new(&self.name), expected).is_ok() {
            return Ok(());
        }
        if let Err(error) = self.exchange(name) {
            self.keep();
            return Err(error.into());
        }
        Err(Failure::Changed)
    }

    fn exchange(&self, name: &OsStr) -> rustix::io::Result<()> {
        let directory = self.directory;
        rustix::fs::renameat_with(directory, &*self.name, directory, name, RenameFlags::EXCHANGE)
    }

    /// Leaves the file under this name: it is the only one that another's content has now.
    fn keep(self) {
        std::mem::forget(self);
    }

    fn rename_from(&self, name: &OsStr) -> rustix::io::Result<()> {
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

#[cfg(test)]
mod tests;
