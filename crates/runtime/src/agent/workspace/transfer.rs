//! Files of any size on their way in or out: read piece by piece, and written without being held in memory.
//!
//! What is read or replaced is known by its stamp. A file that comes in is written beside its place and takes its
//! name when all of it is on the disk, so one that breaks off leaves nothing behind.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Write;
use std::sync::Arc;

use rustix::fs::{FileType, Stat};
use rustix::io::Errno;

use super::directory::{Directory, Failure, Temporary, complete};
use super::place::Missing;
use super::{FoundKind, Place, Stamp};
use crate::error::{Code, Error, Result};

/// What a file that is replaced or removed must be at that moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// Any file, or none.
    Anything,
    Nothing,
    Stamped(Stamp),
}

/// A file on its way in. Dropped before its end, it was never there.
pub struct Upload {
    place: Place,
    expected: Expected,
    replaced: Option<Stat>,
    temporary: Temporary,
    file: File,
}

impl Place {
    /// Begins to write the file anew. Directories above it that are missing are made at the end.
    pub fn upload(&self, expected: Expected) -> Result<Upload> {
        self.try_upload(expected).map_err(|failure| self.not_transferred(failure, "written"))
    }

    /// Removes the file, whatever it holds.
    pub fn remove_file(&self, expected: Expected) -> Result<()> {
        let removed = self.try_remove(|directory, name| check(directory, name, expected));
        removed.map_err(|failure| self.not_transferred(failure, "removed"))
    }

    /// The stamp of the file that is there.
    pub fn stamp(&self) -> Result<Option<Stamp>> {
        let Some(found) = self.open()? else { return Ok(None) };
        if found.kind == FoundKind::Directory {
            return Err(self.failed(Failure::Io(Errno::ISDIR), "read"));
        }
        Ok(Some(found.stamp))
    }

    /// The file to read from, and what tells whether it is still the same one later.
    pub fn download(&self) -> Result<Option<(File, Stamp)>> {
        let Some(found) = self.open()? else { return Ok(None) };
        if found.kind == FoundKind::Directory {
            return Err(self.failed(Failure::Io(Errno::ISDIR), "read"));
        }
        let opened = File::open(found.reopen_path()).and_then(|file| {
            let stamp = Stamp::of(&file.metadata()?);
            Ok((file, stamp))
        });
        opened.map(Some).map_err(|error| self.not_transferred(Failure::from(error), "read"))
    }

    fn not_transferred(&self, failure: Failure, done: &str) -> Error {
        match failure {
            Failure::Io(Errno::ACCESS | Errno::PERM | Errno::ROFS) => {
                Error::new(Code::NotAllowed, format!("{} may not be {done} by String.", self.shown()))
                    .hint("The permissions of the file or of a directory above it are in the way.")
            }
            failure => self.failed(failure, done),
        }
    }

    fn try_upload(&self, expected: Expected) -> Result<Upload, Failure> {
        let name = self.name()?;
        let replaced = match self.directory(Missing::Fail) {
            Ok(directory) => present(&directory, name)?,
            Err(Failure::Changed) => None,
            Err(failure) => return Err(failure),
        };
        let beside = self.directory(Missing::LeaveOut)?;
        let (temporary, file) = Temporary::create(&beside, replaced.as_ref())?;
        Ok(Upload { place: self.clone(), expected, replaced, temporary, file })
    }
}

impl Upload {
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let written = self.file.write_all(bytes);
        written.map_err(|error| self.place.not_transferred(Failure::from(error), "written"))
    }

    /// Whether there was a file before.
    pub fn replaces(&self) -> bool {
        self.replaced.is_some()
    }

    /// Puts the file in its place, if that is still as expected.
    pub fn finish(self) -> Result<Stamp> {
        let place = self.place.clone();
        self.try_finish().map_err(|failure| place.not_transferred(failure, "written"))
    }

    fn try_finish(self) -> Result<Stamp, Failure> {
        let Self { place, expected, replaced, temporary, file } = self;
        let name = place.name()?;
        complete(&file, replaced.as_ref())?;
        let directory: Arc<Directory> = place.directory(Missing::Create)?;
        match expected {
            Expected::Anything => {
                present(&directory, name)?;
                temporary.replace(&directory, name)?;
                drop(temporary);
            }
            Expected::Nothing => {
                temporary.become_new(&directory, name)?;
                drop(temporary);
            }
            Expected::Stamped(_) => {
                temporary.take_the_place_of(name, |directory, name| check(directory, name, expected))?;
            }
        }
        directory.sync()?;
        // Only now: each of its names that came or went has changed it.
        Ok(Stamp::of(&file.metadata()?))
    }
}

/// The attributes of a file, none if there is none. Whatever else has the name is an error.
fn present(directory: &Directory, name: &OsStr) -> Result<Option<Stat>, Failure> {
    match directory.stat(name) {
        Err(Errno::NOENT) => Ok(None),
        Err(errno) => Err(errno.into()),
        Ok(stat) => match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => Ok(Some(stat)),
            FileType::Directory => Err(Errno::ISDIR.into()),
            FileType::Symlink => Err(Errno::LOOP.into()),
            // What opening a device or a pipe in vain gives.
            _ => Err(Errno::NXIO.into()),
        },
    }
}

fn check(directory: &Directory, name: &OsStr, expected: Expected) -> Result<(), Failure> {
    let stat = present(directory, name)?;
    match (expected, stat) {
        (Expected::Anything, Some(_)) => Ok(()),
        // It may have been moved aside.
        (Expected::Stamped(stamp), Some(stat)) if stamp_of(&stat).is_moved(&stamp) => Ok(()),
        _ => Err(Failure::Changed),
    }
}

fn stamp_of(stat: &Stat) -> Stamp {
    Stamp {
        device: stat.st_dev,
        inode: stat.st_ino,
        size: stat.st_size.unsigned_abs(),
        modified: (stat.st_mtime, stat.st_mtime_nsec.cast_signed()),
        changed: (stat.st_ctime, stat.st_ctime_nsec.cast_signed()),
    }
}

#[cfg(test)]
mod tests;
