//! Looking for manifests below a folder, and noticing that something changed there.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use script::Stamp;

/// How deep manifests are looked for, and in how many folders: tools live near the top.
const DEPTH_MAX: usize = 8;
const FOLDERS_MAX: usize = 2_000;
/// Folders that hold other people's code by the thousand.
const SKIPPED: [&str; 3] = ["node_modules", "target", "__pycache__"];

/// What lies below some folders, and how it looked.
#[derive(Debug, Default)]
pub(super) struct Scan {
    folders: Vec<Seen>,
    pub(super) files: Vec<Seen>,
}

/// A path and its stamp; none if it was not there, or changed too recently to tell.
#[derive(Debug, Clone)]
pub(super) struct Seen {
    pub(super) path: PathBuf,
    pub(super) stamp: Option<Stamp>,
}

/// Whether a file is a manifest, by its name.
pub fn is_manifest(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.ends_with(".tool.yaml") || name.ends_with(".skill.yaml")
}

impl Scan {
    /// Everything below the roots. Links are not followed: they could lead anywhere.
    pub(super) fn of(roots: &[PathBuf]) -> Self {
        let mut scan = Self::default();
        let mut next: Vec<(PathBuf, usize)> = roots.iter().rev().map(|root| (root.clone(), 0)).collect();
        while let Some((folder, depth)) = next.pop() {
            if scan.folders.len() == FOLDERS_MAX {
                tracing::warn!(folder = %folder.display(), "too many folders: the rest is not searched for tools");
                break;
            }
            // The stamp before the names: what comes in between is found the next time.
            scan.folders.push(Seen::now(folder.clone()));
            let mut entries: Vec<_> = fs::read_dir(&folder).into_iter().flatten().flatten().collect();
            entries.sort_by_key(fs::DirEntry::file_name);
            let is_kind = |entry: &fs::DirEntry, is: fn(&fs::FileType) -> bool| {
                entry.file_type().is_ok_and(|kind| is(&kind))
            };
            for entry in &entries {
                let name = entry.file_name().to_string_lossy().into_owned();
                if is_manifest(Path::new(&name)) && is_kind(entry, fs::FileType::is_file) {
                    scan.files.push(Seen::now(entry.path()));
                }
            }
            for entry in entries.iter().rev().filter(|_| depth < DEPTH_MAX) {
                let name = entry.file_name().to_string_lossy().into_owned();
                let is_searched = !name.starts_with('.') && !SKIPPED.contains(&name.as_str());
                if is_searched && is_kind(entry, fs::FileType::is_dir) {
                    next.push((entry.path(), depth + 1));
                }
            }
        }
        scan
    }

    /// How many files and folders it has seen; none if it never took place.
    pub(super) fn len(&self) -> usize {
        self.folders.len() + self.files.len()
    }

    /// Whether nothing has changed since.
    pub(super) fn is_current(&self) -> bool {
        self.folders.iter().all(Seen::is_current) && self.files.iter().all(Seen::is_current)
    }
}

impl Seen {
    fn now(path: PathBuf) -> Self {
        let stamp = stamp(&path).filter(|stamp| stamp.settled(SystemTime::now()));
        Self { path, stamp }
    }

    fn is_current(&self) -> bool {
        match self.stamp {
            Some(known) => stamp(&self.path) == Some(known),
            // Not there before: that it is still not there is enough.
            None => fs::symlink_metadata(&self.path).is_err(),
        }
    }
}

fn stamp(path: &Path) -> Option<Stamp> {
    fs::symlink_metadata(path).ok().map(|metadata| Stamp::of(&metadata))
}
