//! The directory of log files, kept within bounds: old ones go when a new one comes, and from time to time.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::limits;

/// Where output that is too long to show goes as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogFiles {
    /// Created when needed, readable by its owner only.
    pub directory: PathBuf,
    /// The most that is written for one output.
    pub cap: u64,
}

/// What a directory of log files may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keep {
    pub bytes: u64,
    pub files: usize,
    pub age: Duration,
}

impl Keep {
    pub const USUAL: Self =
        Self { bytes: limits::LOGS_BYTES, files: limits::LOGS_FILES, age: limits::LOGS_AGE };
}

struct LogFile {
    path: PathBuf,
    bytes: u64,
    written: SystemTime,
}

impl LogFiles {
    /// Makes room for a new log file, and creates it.
    pub(super) fn create(&self) -> io::Result<(PathBuf, File)> {
        DirBuilder::new().recursive(true).mode(0o700).create(&self.directory)?;
        let room = Keep { bytes: Keep::USUAL.bytes.saturating_sub(self.cap), ..Keep::USUAL };
        self.clean(room, SystemTime::now());
        let path = self.directory.join(format!("{}.log", ulid::Ulid::generate()));
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
        Ok((path, file))
    }

    /// Removes what is older than allowed, then the oldest until the rest fits. Returns how many are gone.
    pub fn clean(&self, keep: Keep, now: SystemTime) -> usize {
        // A link in its place would lead to files that are not ours.
        if !fs::symlink_metadata(&self.directory).is_ok_and(|found| found.is_dir()) {
            return 0;
        }
        let mut files = list(&self.directory);
        files.sort_unstable_by_key(|file| std::cmp::Reverse(file.written));
        let mut bytes = 0;
        let too_many = files.iter().enumerate().filter(|(number, file)| {
            bytes += file.bytes;
            let age = now.duration_since(file.written).unwrap_or_default();
            *number >= keep.files || bytes > keep.bytes || age > keep.age
        });
        // One that cannot be removed now is tried again with the next.
        too_many.filter(|(_, file)| fs::remove_file(&file.path).is_ok()).count()
    }
}

/// The log files in a directory; anything else there is somebody's own.
fn list(directory: &Path) -> Vec<LogFile> {
    let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
    let files = entries.filter_map(|entry| {
        let entry = entry.ok()?;
        let name = entry.file_name();
        ulid::Ulid::from_string(name.to_str()?.strip_suffix(".log")?).ok()?;
        let found = entry.metadata().ok().filter(fs::Metadata::is_file)?;
        Some(LogFile { path: entry.path(), bytes: found.len(), written: found.modified().ok()? })
    });
    files.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    /// Files of one byte each, the first written so many hours ago, each later one an hour after it.
    fn written(count: u32, now: SystemTime) -> (tempfile::TempDir, LogFiles, Vec<PathBuf>) {
        let home = tempfile::tempdir().unwrap();
        let files = LogFiles { directory: home.path().join("output"), cap: 10 };
        let paths = (0..count).map(|number| {
            let (path, file) = files.create().unwrap();
            fs::write(&path, "x").unwrap();
            file.set_modified(now - HOUR * (count - number)).unwrap();
            path
        });
        let paths = paths.collect();
        (home, files, paths)
    }

    #[test]
    fn the_oldest_go_first_by_age_bytes_and_number() {
        let now = SystemTime::now();
        let most = Keep { bytes: 100, files: 100, age: 100 * HOUR };
        let table = [
            (most, 0),
            (Keep { age: HOUR * 5 / 2, ..most }, 3),
            (Keep { bytes: 4, ..most }, 1),
            (Keep { bytes: 0, ..most }, 5),
            (Keep { files: 2, ..most }, 3),
        ];
        for (keep, gone) in table {
            let (_home, files, paths) = written(5, now);
            assert_eq!(files.clean(keep, now), gone, "{keep:?}");
            let left: Vec<bool> = paths.iter().map(|path| path.exists()).collect();
            let expected: Vec<bool> = (0..5).map(|number| number >= gone).collect();
            assert_eq!(left, expected, "{keep:?}");
        }
    }

    #[test]
    fn nothing_but_log_files_is_touched() {
        let now = SystemTime::now();
        let (home, files, _) = written(1, now);
        let ulid = format!("{}.log", ulid::Ulid::generate());
        for name in ["notes.log", "notes.md"] {
            fs::write(files.directory.join(name), "mine").unwrap();
        }
        fs::create_dir(files.directory.join(&ulid)).unwrap();
        assert_eq!(files.clean(Keep { bytes: 0, files: 0, age: Duration::ZERO }, now), 1);
        assert_eq!(fs::read_dir(&files.directory).unwrap().count(), 3);
        let link = LogFiles { directory: home.path().join("link"), cap: 10 };
        fs::write(files.directory.join(format!("{}.log", ulid::Ulid::generate())), "x").unwrap();
        std::os::unix::fs::symlink(&files.directory, &link.directory).unwrap();
        assert_eq!(link.clean(Keep { bytes: 0, files: 0, age: Duration::ZERO }, now), 0);
    }

    #[test]
    fn a_new_log_makes_room_for_itself() {
        let (_home, files, paths) = written(3, SystemTime::now() - limits::LOGS_AGE);
        let (new, _) = files.create().unwrap();
        assert!(new.exists() && paths.iter().all(|path| !path.exists()));
    }
}
