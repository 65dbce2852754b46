//! Where the daemon's files lie, as far as the command line needs them.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// `STRING_ROOT`, absolute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Root(PathBuf);

impl Root {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.run().join("string.sock")
    }

    pub(crate) fn pid_file(&self) -> PathBuf {
        self.run().join("daemon.pid")
    }

    pub(crate) fn config(&self) -> PathBuf {
        self.0.join("config.json")
    }

    pub(crate) fn history(&self) -> PathBuf {
        self.0.join("history")
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.0.join("log")
    }

    /// The daemon's process id as it wrote it down, whether or not it still lives.
    pub(crate) fn pid(&self) -> Option<u32> {
        fs::read_to_string(self.pid_file()).ok()?.trim().parse().ok()
    }

    /// Waits until nobody else starts a daemon on this root. Released when the file is dropped.
    pub(crate) fn lock_start(&self) -> io::Result<File> {
        for directory in [&self.0, &self.run()] {
            DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
        }
        let path = self.run().join("start.lock");
        let lock = File::options().create(true).append(true).mode(0o600).open(path)?;
        lock.lock()?;
        Ok(lock)
    }

    fn run(&self) -> PathBuf {
        self.0.join("run")
    }
}
