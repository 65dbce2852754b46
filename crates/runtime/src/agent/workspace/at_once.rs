//! Files that are in memory, opened and read on the thread that asks for them.
//!
//! The kernel is asked to fail rather than to wait. Whatever is out of the ordinary, a link, a missing file, a cold
//! disk, is left to the long way, so that there is one place that explains it.

use std::fs::File;
use std::io::IoSliceMut;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags};
use rustix::io::ReadWriteFlags;

use super::{Found, FoundKind, NO_LINKS, Stamp, Workspace};

/// What is at a path, if no link is on the way and no disk need be asked. Whether anybody may see it is not asked.
pub fn stamp_at_once(path: &Path) -> Option<Stamp> {
    Found::of(open_at_once(path)?, "").ok().map(|found| found.stamp)
}

impl Workspace {
    /// What [`Self::find`] finds, if no link is on the way and no disk need be asked. None says nothing about the file.
    pub fn find_at_once(&self, path: &Path) -> Option<Found> {
        if self.below_output(path).is_some() {
            return None;
        }
        self.check_as_written(path).ok()?;
        let (root, _) = self.check_against(path, path, |root| Some(root.to_owned()), &self.private).ok()?;
        // Without links, everything is where it is written. The opening below sees to the way through its own root.
        let others = self.roots().filter(|other| **other != *root).chain([&*self.private]);
        if !others.into_iter().all(|other| open_at_once(other).is_some()) {
            return None;
        }
        let handle = open_at_once(path)?;
        Found::of(handle, "").ok()
    }
}

impl Found {
    /// All of a file of at most `limit` bytes, if the kernel has it in memory.
    pub fn read_at_once(&self, limit: u64) -> Option<Vec<u8>> {
        let FoundKind::File { size } = self.kind else { return None };
        if size > limit {
            return None;
        }
        let file = File::open(self.reopen_path()).ok()?;
        // One byte more than expected: what fills it has grown meanwhile.
        let mut bytes = vec![0; self.expected(limit)];
        let mut room = [IoSliceMut::new(&mut bytes)];
        let read = rustix::io::preadv2(&file, &mut room, 0, ReadWriteFlags::NOWAIT).ok()?;
        bytes.truncate(read);
        (read as u64 == size).then_some(bytes)
    }
}

/// What is at a path, if no part of it is a link and the kernel knows without asking a disk.
fn open_at_once(path: &Path) -> Option<OwnedFd> {
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    rustix::fs::openat2(CWD, path, flags, Mode::empty(), NO_LINKS | ResolveFlags::CACHED).ok()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use rustix::fs::{FileType, mknodat};

    use super::super::place::tests::Disk;
    use super::*;

    #[test]
    fn a_plain_file_is_read_as_the_long_way_reads_it() {
        let disk = Disk::new();
        fs::create_dir_all(disk.home.join(".string")).unwrap();
        for (name, size) in [("empty.md", 0), ("small.md", 10), ("full.md", 100)] {
            let path = disk.home.join(name);
            fs::write(&path, vec![b'x'; size]).unwrap();
            let found = disk.workspace.find_at_once(&path).unwrap();
            let long = disk.workspace.find(&path).unwrap().read(100).unwrap();
            assert_eq!(found.read_at_once(100).unwrap(), long, "{name}");
        }
        let found = disk.workspace.find_at_once(&disk.home.join("full.md")).unwrap();
        assert_eq!(found.read_at_once(99), None, "larger than is worth it");
        fs::write(disk.home.join("full.md"), "shorter").unwrap();
        assert_eq!(found.read_at_once(100), None, "it changed meanwhile");
    }

    #[test]
    fn whatever_is_out_of_the_ordinary_goes_the_long_way() {
        let disk = Disk::new();
        for dir in [".string", ".ssh", "real"] {
            fs::create_dir_all(disk.home.join(dir)).unwrap();
            fs::write(disk.home.join(dir).join("a.md"), "text").unwrap();
        }
        fs::write(disk.outside.join("a.md"), "secret").unwrap();
        symlink("real/a.md", disk.home.join("link.md")).unwrap();
        symlink(&disk.outside, disk.home.join("out")).unwrap();
        mknodat(CWD, disk.home.join("pipe"), FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
        let names =
            ["link.md", "out/a.md", ".ssh/a.md", ".string/a.md", "real/../real/a.md", "none.md", "pipe"];
        for path in names.map(|name| disk.home.join(name)).into_iter().chain([disk.outside.join("a.md")]) {
            assert!(disk.workspace.find_at_once(&path).is_none(), "{}", path.display());
        }
        assert!(disk.workspace.find_at_once(&disk.home.join("real/a.md")).is_some());
        // A root that is a link itself: where it leads is for the long way to say.
        let home = disk.outside.join("home");
        symlink(&disk.home, &home).unwrap();
        let moved = Workspace::new(home.clone(), vec![], disk.home.join(".string"));
        assert!(moved.find_at_once(&home.join("real/a.md")).is_none());
    }
}
