//! The daemon's directory, and what the command line keeps and looks for there.

use std::fs::{self, File};
use std::io;
use std::ops::Deref;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

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

    /// Waits until nobody else starts a daemon on this root. Released when the file is dropped.
    pub(crate) fn lock_start(&self) -> io::Result<File> {
        self.create().map_err(io::Error::other)?;
        let path = self.run().join("start.lock");
        let lock = File::options().create(true).append(true).mode(0o600).open(path)?;
        lock.lock()?;
        Ok(lock)
    }
}

impl Deref for Root {
    type Target = server::Root;

    fn deref(&self) -> &server::Root {
        &self.0
    }
}
