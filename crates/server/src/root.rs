//! The daemon's own directory: where each file lies, and the lock that makes a daemon the only one.

use std::fs::{File, Permissions, TryLockError};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};
use wire::SOCKET_PATH_MAX;

use crate::Error;

#[derive(Debug, Clone)]
pub struct Root(PathBuf);

/// Held while a daemon lives; the kernel lets go of it however the daemon ends.
#[derive(Debug)]
pub struct Lock(File);

/// A path by which the socket can be bound or reached, short enough for a socket address.
#[derive(Debug)]
pub struct SocketPath {
    pub path: PathBuf,
    /// Keeps the directory reachable through `/proc/self/fd` while the path is used.
    _directory: Option<OwnedFd>,
}

impl Root {
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn run(&self) -> PathBuf {
        self.0.join("run")
    }

    pub fn socket(&self) -> PathBuf {
        self.run().join("string.sock")
    }

    pub fn token(&self) -> PathBuf {
        self.run().join("token")
    }

    pub fn pid(&self) -> PathBuf {
        self.run().join("daemon.pid")
    }

    pub fn log(&self) -> PathBuf {
        self.0.join("log")
    }

    pub fn store(&self) -> PathBuf {
        self.0.join("store")
    }

    /// Creates the directories, closed to others, whatever modes they had before.
    pub fn create(&self) -> Result<(), Error> {
        for dir in [self.0.clone(), self.run(), self.log(), self.store()] {
            let made = runtime::files::create_dir(&dir)
                .and_then(|()| std::fs::set_permissions(&dir, Permissions::from_mode(0o700)));
            made.map_err(|source| Error::File { path: dir, source })?;
        }
        Ok(())
    }

    /// Held by the daemon of the root. It lies beside what it keeps others from: what is in `run` may be cleaned away.
    pub fn daemon_lock(&self) -> PathBuf {
        self.0.join(runtime::DAEMON_LOCK)
    }

    /// Makes this process the daemon of the root, or says that there is one.
    pub fn lock(&self) -> Result<Lock, Error> {
        let path = self.daemon_lock();
        let opened = File::options().create(true).truncate(false).write(true).mode(0o600).open(&path);
        // One that an earlier version left may be readable by others.
        let opened =
            opened.and_then(|file| file.set_permissions(Permissions::from_mode(0o600)).map(|()| file));
        let file = opened.map_err(|source| Error::File { path: path.clone(), source })?;
        match file.try_lock() {
            Ok(()) => Ok(Lock(file)),
            Err(TryLockError::WouldBlock) => Err(Error::AlreadyRunning(self.0.clone())),
            Err(TryLockError::Error(source)) => Err(Error::File { path, source }),
        }
    }
}

impl Lock {
    /// Whether it still keeps others from the root: without its file it keeps nobody from anything.
    pub fn counts_at(&self, root: &Root) -> bool {
        let held = self.0.metadata().map(|held| (held.dev(), held.ino()));
        let there = std::fs::metadata(root.daemon_lock()).map(|there| (there.dev(), there.ino()));
        held.is_ok_and(|held| there.is_ok_and(|there| held == there))
    }
}

impl SocketPath {
    pub fn of(socket: &Path) -> io::Result<Self> {
        if socket.as_os_str().len() <= SOCKET_PATH_MAX {
            return Ok(Self { path: socket.to_owned(), _directory: None });
        }
        let (Some(dir), Some(name)) = (socket.parent(), socket.file_name()) else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let directory = rustix::fs::open(dir, flags, Mode::empty())?;
        let path = PathBuf::from(format!("/proc/self/fd/{}", directory.as_raw_fd())).join(name);
        Ok(Self { path, _directory: Some(directory) })
    }
}
