//! The daemon's directory, and what the command line keeps and looks for there.

use std::fs::{self, File, TryLockError};
use std::io;
use std::ops::Deref;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

use rustix::fs::StatVfsMountFlags;

/// `STRING_ROOT`, absolute.
#[derive(Debug, Clone)]
pub(crate) struct Root(server::Root);

impl Root {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self(server::Root::new(path))
    }

    pub(crate) fn history(&self) -> PathBuf {
        self.path().join("history")
    }

    /// The daemon's process id as it wrote it down, whether or not it still lives.
    pub(crate) fn daemon_id(&self) -> Option<u32> {
        fs::read_to_string(self.pid()).ok()?.trim().parse().ok()
    }

    /// Whether the last daemon here has died: one that was stopped removes its process id before it lets go of the root.
    /// Nobody may start one meanwhile.
    pub(crate) fn has_dead_daemon(&self) -> bool {
        let lock = File::open(self.daemon_lock());
        let is_held = lock.is_ok_and(|lock| matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock)));
        !is_held && self.daemon_id().is_some()
    }

    /// Waits until nobody else starts a daemon on this root. Released when the file is dropped. Errors name the file.
    pub(crate) fn lock_start(&self) -> io::Result<File> {
        self.create().map_err(io::Error::other)?;
        let path = self.run().join("start.lock");
        let opened = File::options().create(true).append(true).mode(0o600).open(&path);
        let locked = opened.and_then(|file| file.lock().map(|()| file));
        locked.map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))
    }

    /// Whether no daemon could have been started here: the place cannot be written to. So it is in the shells and
    /// commands that String runs, whatever daemon there is outside, and on a file system that is read-only itself.
    pub(crate) fn is_read_only(&self) -> bool {
        let place = self.path().ancestors().find(|place| place.exists());
        let mount = place.and_then(|place| rustix::fs::statvfs(place).ok());
        mount.is_some_and(|mount| mount.f_flag.contains(StatVfsMountFlags::RDONLY))
    }
}

impl Deref for Root {
    type Target = server::Root;

    fn deref(&self) -> &server::Root {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_daemon_is_dead_that_left_its_id_and_nothing_else() {
        let home = tempfile::tempdir().unwrap();
        let root = Root::new(home.path().join("root"));
        assert!(!root.has_dead_daemon(), "there was none");
        root.create().unwrap();
        let lock = File::create(root.daemon_lock()).unwrap();
        lock.lock().unwrap();
        fs::write(root.pid(), "7").unwrap();
        assert!(!root.has_dead_daemon(), "it runs, or is about to end");
        lock.unlock().unwrap();
        assert!(root.has_dead_daemon());
        fs::remove_file(root.pid()).unwrap();
        assert!(!root.has_dead_daemon(), "it was stopped");
    }

    #[test]
    fn a_place_that_cannot_be_used_is_named_once() {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join("file"), "").unwrap();
        let below_a_file = Root::new(home.path().join("file/root"));
        let taken = Root::new(home.path().join("root"));
        fs::create_dir_all(taken.run().join("start.lock")).unwrap();
        for root in [below_a_file, taken] {
            let message = root.lock_start().unwrap_err().to_string();
            let named = message.matches(&root.path().display().to_string()).count();
            assert_eq!(named, 1, "{message}");
            assert!(!root.is_read_only());
        }
    }
}
