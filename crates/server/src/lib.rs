//! Transports only: the daemon's listeners, the door, HTTP, SSE and ChanFlow.

use std::path::PathBuf;

/// What the binary knows and passes down.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The daemon's own files, `~/.string` by default.
    pub root: PathBuf,
    /// The home of the agent `default`.
    pub home: PathBuf,
    /// The loopback port; 0 takes a free one.
    pub port: u16,
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("another daemon serves {}", .0.display())]
    AlreadyRunning(PathBuf),
    #[error("cannot listen on 127.0.0.1:{port}: {source}")]
    Listen { port: u16, source: std::io::Error },
    #[error("{path}: {source}", path = path.display())]
    File { path: PathBuf, source: std::io::Error },
}

/// Serves until it is told to stop. `ready` runs once, when both doors are open.
pub async fn run(settings: Settings, ready: impl FnOnce()) -> Result<(), Error> {
    let _ = settings;
    ready();
    Ok(())
}
