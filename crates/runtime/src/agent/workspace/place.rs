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
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::Mode;
use rustix::io::Errno;

use super::directory::{Directory, Failure, Temporary};
use super::{Found, Workspace, open_beneath};
use crate::document::typed;
use crate::error::{Code, Error, Result};

/// A path that the agent may reach, with all links resolved. There may be no file yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    root: PathBuf,
    below: PathBuf,
    shown: String,
}

/// What is done about directories above a file that are missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Missing {
    Create,
    Fail,
    /// The last one that exists will do.
    LeaveOut,
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
                return Err(self.dangling(path, ancestor));
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

    /// Puts a new file there that only its owner may read.
    pub fn write_private(&self, content: &[u8]) -> Result<()> {
        self.try_write_private(content).map_err(|failure| self.failed(failure, "written"))
    }

    /// Removes the file, if it holds what is expected.
    pub fn remove(&self, expected: &[u8]) -> Result<()> {
        let removed = self.try_remove(|directory, name| directory.find(name, expected).map(|_| ()));
        removed.map_err(|failure| self.failed(failure, "removed"))
    }

    fn try_write(&self, expected: Option<&[u8]>, content: &[u8]) -> Result<(), Failure> {
        let name = self.name()?;
        let missing = if expected.is_none() { Missing::Create } else { Missing::Fail };
        let directory = self.directory(missing)?;
        match expected {
            None => Temporary::write(&directory, content, None)?.become_new(&directory, name)?,
            Some(expected) => {
                let replaced = directory.find(name, expected)?;
                let temporary = Temporary::write(&directory, content, Some(&replaced))?;
                temporary
                    .take_the_place_of(name, |directory, name| directory.find(name, expected).map(|_| ()))?;
            }
        }
        directory.sync()?;
        Ok(())
    }

    fn try_write_private(&self, content: &[u8]) -> Result<(), Failure> {
        let name = self.name()?;
        let directory = self.directory(Missing::Create)?;
        let (temporary, mut file) = Temporary::create(&directory, None)?;
        rustix::fs::fchmod(&file, Mode::RUSR | Mode::WUSR)?;
        file.write_all(content)?;
        file.sync_all()?;
        temporary.become_new(&directory, name)?;
        directory.sync()?;
        Ok(())
    }

    /// Removes what is as expected: looked at before, and once more when nobody finds it by its name.
    pub(super) fn try_remove(
        &self,
        expected: impl Fn(&Directory, &OsStr) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let name = self.name()?;
        let directory = self.directory(Missing::Fail)?;
        expected(&directory, name)?;
        let aside = Temporary::name(&directory);
        match aside.rename_from(name) {
            Err(Errno::NOENT) => return Err(Failure::Changed),
            other => other?,
        }
        if !aside.holds(expected) {
            if let Err(failure) = aside.become_new(&directory, name) {
                aside.keep();
                return Err(failure);
            }
            return Err(Failure::Changed);
        }
        drop(aside);
        directory.sync()?;
        Ok(())
    }

    pub(super) fn name(&self) -> Result<&OsStr, Failure> {
        self.below.file_name().ok_or(Failure::Io(Errno::ISDIR))
    }

    pub(super) fn directory(&self, missing: Missing) -> Result<Arc<Directory>, Failure> {
        let mut directory = Directory::new(open_beneath(&self.root, Path::new(""))?);
        for part in self.below.parent().into_iter().flatten() {
            directory = match directory.enter(part) {
                Err(Errno::NOENT) if missing == Missing::Create => directory.create(part)?,
                Err(Errno::NOENT) if missing == Missing::LeaveOut => break,
                Err(Errno::NOENT) => return Err(Failure::Changed),
                other => other?,
            };
        }
        Ok(Arc::new(directory))
    }

    pub(super) fn failed(&self, failure: Failure, done: &str) -> Error {
        let shown = &self.shown;
        match failure {
            Failure::Changed => {
                Error::new(Code::Conflict, format!("{shown} was changed by someone else at this moment."))
                    .hint(format!("It was left as it is. See it: /edit {}", typed(shown)))
            }
            Failure::Io(Errno::LOOP) => {
                Error::new(Code::InvalidPath, format!("A part of {shown} was swapped for a link."))
            }
            Failure::Io(Errno::NOTDIR) => {
                Error::new(Code::InvalidPath, format!("A part of {shown} is a file, not a directory."))
            }
            Failure::Io(Errno::ISDIR | Errno::NXIO) => {
                Error::new(Code::InvalidPath, format!("{shown} is not a file."))
                    .hint("Directories, devices and pipes are left as they are.")
            }
            Failure::Io(errno) => Error::new(
                Code::LoadError,
                format!("{shown} could not be {done}: {}", io::Error::from(errno)),
            )
            .hint("It was left as it was."),
        }
    }
}

#[cfg(test)]
pub(super) mod tests;
