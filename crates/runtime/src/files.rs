//! Files that String writes: whole or not at all, and for the owner's eyes only.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;
use std::time::{Duration, Instant};

use file_rotate::compression::Compression;
use file_rotate::suffix::AppendCount;
use file_rotate::{ContentLimit, FileRotate};

/// For files that may hold secrets.
const OWNER_ONLY_FILE: u32 = 0o600;
const OWNER_ONLY_DIR: u32 = 0o700;
/// A log rotates at this size, and so many old ones are kept.
const ROTATE_BYTES: usize = 8 * 1024 * 1024;
const LOGS_KEPT: usize = 5;
/// Longer than any of our own writers holds a lock, shorter than a caller's patience.
const LOCK_WAIT_MAX: Duration = Duration::from_secs(10);
const LOCK_PAUSE: Duration = Duration::from_millis(10);

/// Replaces a file: a crash or a full disk leaves the old one as it was.
pub fn write_atomic(path: &Path, content: &[u8]) -> io::Result<()> {
    let dir = path.parent().ok_or(io::ErrorKind::InvalidInput)?;
    create_dir(dir)?;
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_string_lossy();
    let temporary = dir.join(format!(".{name}.{}", ulid::Ulid::generate()));
    let written = write_synced(&temporary, content).and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        // The original error is the one worth reporting.
        let _ = fs::remove_file(&temporary);
    }
    written?;
    File::open(dir)?.sync_all()
}

/// Creates a directory and its parents, closed to others.
pub fn create_dir(dir: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(OWNER_ONLY_DIR).create(dir)
}

/// Keeps other processes, and other calls here, from changing a directory's files at the same time. Waits for those
/// that have it, but not for ever: any program of the user's can take it.
pub fn lock(dir: &Path) -> io::Result<File> {
    lock_within(dir, LOCK_WAIT_MAX)
}

/// The same, where whoever has it may take longer.
#[expect(clippy::disallowed_methods, reason = "the kernel knows no lock with a deadline")]
pub fn lock_within(dir: &Path, wait: Duration) -> io::Result<File> {
    create_dir(dir)?;
    let path = dir.join(".lock");
    let mut options = File::options();
    let file = options.create(true).truncate(false).write(true).mode(OWNER_ONLY_FILE).open(&path)?;
    let began = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) if began.elapsed() >= wait => {
                let why = format!(
                    "somebody else holds the lock; try again, or look who it is: fuser {}",
                    path.display()
                );
                return Err(io::Error::new(io::ErrorKind::TimedOut, why));
            }
            Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_PAUSE),
        }
    }
}

/// A log file that starts anew when it gets large, readable by its owner alone.
pub fn rotating(dir: &Path, name: &str) -> io::Result<FileRotate<AppendCount>> {
    create_dir(dir)?;
    let limit = ContentLimit::BytesSurpassed(ROTATE_BYTES);
    let mut owner_only = fs::OpenOptions::new();
    owner_only.read(true).create(true).append(true).mode(OWNER_ONLY_FILE);
    Ok(FileRotate::new(
        dir.join(name),
        AppendCount::new(LOGS_KEPT),
        limit,
        Compression::None,
        Some(owner_only),
    ))
}

/// Writes a file in place of what is there, without waiting for the disk.
pub fn write_owner_only(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(OWNER_ONLY_FILE).open(path)?.write_all(content)
}

fn write_synced(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(OWNER_ONLY_FILE).open(path)?;
    file.write_all(content)?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_file_is_replaced_whole_and_closed_to_others() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a/b/config.json");
        write_atomic(&path, b"one").unwrap();
        write_atomic(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let parent = path.parent().unwrap();
        assert_eq!(fs::metadata(parent).unwrap().permissions().mode() & 0o777, 0o700);
        assert_eq!(fs::read_dir(parent).unwrap().count(), 1);
    }

    #[test]
    fn a_lock_that_is_not_let_go_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let held = lock(dir.path()).unwrap();
        let error = lock_within(dir.path(), Duration::ZERO).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert!(error.to_string().contains(&format!("fuser {}/.lock", dir.path().display())), "{error}");
        drop(held);
        lock_within(dir.path(), Duration::ZERO).unwrap();
    }

    #[test]
    fn a_failed_write_leaves_nothing_behind() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("taken");
        fs::create_dir(&path).unwrap();
        fs::write(path.join("x"), "x").unwrap();
        assert!(write_atomic(&path, b"new").is_err());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
