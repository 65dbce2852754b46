//! A worker process, from the daemon's side.

use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream as StdUnixStream;
use std::path::Path;
use std::process::Stdio;

use tokio::net::UnixStream;
use tokio::process::{Child, Command};

use crate::error::{Error, Result};
use crate::frame::Frames;
use crate::worker;

/// A live worker. Dropping it kills the process, whatever it is doing.
pub(crate) struct Process {
    pub(crate) socket: UnixStream,
    pub(crate) frames: Frames,
    _child: Child,
}

impl Process {
    pub(crate) fn start(program: &Path) -> Result<Self> {
        let failed = |error: std::io::Error| Error::Spawn(error.to_string());
        let (ours, theirs) = StdUnixStream::pair().map_err(failed)?;
        ours.set_nonblocking(true).map_err(failed)?;
        let child = Command::new(program)
            .arg(worker::ARGUMENT)
            .env_clear()
            .current_dir("/")
            .stdin(OwnedFd::from(theirs))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .map_err(failed)?;
        let socket = UnixStream::from_std(ours).map_err(failed)?;
        Ok(Self { socket, frames: Frames::default(), _child: child })
    }
}
