//! Transports only: the daemon's listeners, the door, HTTP, SSE and ChanFlow.

mod conversation;
mod daemon;
mod door;
mod doorway;
mod failure;
mod inside;
mod json;
mod limits;
mod listen;
mod log;
mod peer;
mod root;
mod route;
mod token;
mod unread;
mod version;

pub use daemon::{Daemon, Settings, run};
pub use limits::Limits;
pub use log::start_logging;
pub use root::Root;
pub use route::topic_type;
pub use token::Token;

use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("another daemon serves {}", .0.display())]
    AlreadyRunning(PathBuf),
    #[error("{}: {source}", path.display())]
    File { path: PathBuf, source: std::io::Error },
    #[error("{0}{way_out}", way_out = .0.way_out().map(|way| format!("\n{way}")).unwrap_or_default())]
    Store(#[from] store::Error),
    #[error("{0}")]
    Runtime(runtime::error::Error),
    #[error("signals cannot be received: {0}")]
    Signals(std::io::Error),
}
