//! The files by which a daemon is found: its socket, its process id, and the token of its port.
//!
//! Somebody may remove them while it runs, cleaning up or by mistake. It would go on, and nobody could reach or stop it;
//! so it looks after the socket, and makes all of them anew when that is gone. Where its lock is gone too, the whole root was removed or
//! replaced: then there is nothing left to serve.

use std::os::unix::fs::MetadataExt;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::UnixListener;

use crate::listen::bind_socket;
use crate::root::Lock;
use crate::{Error, Root, Token};

/// How often it looks. Whoever wants in meanwhile waits that long.
const LOOK_EVERY: Duration = Duration::from_secs(1);

#[derive(Debug, Clone)]
pub struct Doorway {
    root: Root,
    lock: Arc<Lock>,
    token: Token,
}

/// A socket that can be found.
#[derive(Debug)]
pub struct Door {
    pub listener: UnixListener,
    /// The file, as told from another of the same name; none if it was gone at once.
    inode: Option<u64>,
}

impl Doorway {
    pub fn new(root: Root, lock: Lock, token: Token) -> Self {
        Self { root, lock: Arc::new(lock), token }
    }

    /// Makes all of them, in place of whatever a dead daemon left there.
    pub fn open(&self) -> Result<Door, Error> {
        self.root.create()?;
        self.token.keep(&self.root)?;
        let listener = bind_socket(&self.root)?;
        let inode = self.inode();
        let (path, pid) = (self.root.pid(), std::process::id().to_string());
        match runtime::files::write_atomic(&path, pid.as_bytes()) {
            Ok(()) => Ok(Door { listener, inode }),
            Err(source) => Err(Error::File { path, source }),
        }
    }

    /// Waits until a door cannot be found any more, and opens another; none if there is no place for one.
    pub async fn reopened(&self, door: &Door) -> Option<Door> {
        loop {
            tokio::time::sleep(LOOK_EVERY).await;
            let inode = self.inode();
            if inode.is_some() && inode == door.inode {
                continue;
            }
            if !self.lock.counts_at(&self.root) {
                tracing::error!("the root was removed or replaced; this daemon ends");
                return None;
            }
            match self.open() {
                Ok(door) => {
                    tracing::warn!("the socket was gone; there is a new one");
                    return Some(door);
                }
                Err(error) => tracing::warn!(%error, "the socket is gone, and a new one cannot be made"),
            }
        }
    }

    /// Removes what would only lead to a daemon that has ended.
    pub fn close(&self) {
        if !self.lock.counts_at(&self.root) {
            return;
        }
        for file in [self.root.socket(), self.root.pid()] {
            // Gone already is as good; a leftover is never in the way of the next start.
            let _ = std::fs::remove_file(file);
        }
    }

    fn inode(&self) -> Option<u64> {
        std::fs::symlink_metadata(self.root.socket()).ok().map(|found| found.ino())
    }
}
