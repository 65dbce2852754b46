//! What String does: agents, topics, sessions and commands, without any transport.

pub mod activity;
pub mod agent;
pub mod audit;
pub mod command;
pub mod document;
pub mod error;
mod exec;
pub mod files;
mod hub;
mod origin;
pub mod reply;
pub mod request;
pub mod session;
pub mod sink;
pub mod topic;
pub mod words;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use store::{Clock, Store};
use tokio_util::sync::CancellationToken;

pub use reply::Reply;
pub use origin::Origin;
pub use request::Request;

/// Everything that commands work on. All transports share one, and call [`Runtime::exec`].
pub struct Runtime {
    pub agents: agent::Registry,
    pub sessions: session::Map,
    pub activity: activity::Stream,
    /// The daemon's own directory.
    pub root: PathBuf,
    pub version: String,
    /// Cancelled when the daemon is to stop.
    pub stop: CancellationToken,
    audit: audit::Log,
    clock: Arc<dyn Clock>,
    started: Instant,
}

/// What a runtime is made of.
pub struct Parts {
    pub root: PathBuf,
    /// The home of the agent `default`.
    pub home: PathBuf,
    pub version: String,
    pub store: Arc<dyn Store>,
    pub clock: Arc<dyn Clock>,
    pub audit: audit::Log,
}

impl Runtime {
    pub async fn new(parts: Parts) -> error::Result<Arc<Self>> {
        let Parts { root, home, version, store, clock, audit } = parts;
        let agents = agent::Registry::load(store, root.clone(), home).await?;
        Ok(Arc::new(Self {
            agents,
            sessions: session::Map::default(),
            activity: activity::Stream::default(),
            root,
            version,
            stop: CancellationToken::new(),
            audit,
            clock,
            started: Instant::now(),
        }))
    }

    pub fn uptime(&self) -> Duration {
        self.started.elapsed()
    }
}
