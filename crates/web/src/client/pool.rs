//! Connections that finished a request and may take another.
//!
//! They are kept under the address they lead to, not under their host's name alone: a request that resolved to
//! other addresses, or may not reach this one, never finds them.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::time::Instant;
use url::Url;

use super::connect::Connection;
use crate::error::host_and_port;
use crate::limits::{IDLE_CONNECTION, MAX_IDLE};

#[derive(Default)]
pub(super) struct Pool {
    idle: Mutex<Vec<Idle>>,
}

struct Idle {
    site: Site,
    connection: Connection,
    since: Instant,
}

/// Scheme, host and port: what a connection was opened for.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Site(String);

impl Site {
    pub(super) fn of(url: &Url) -> Site {
        Site(format!("{}://{}", url.scheme(), host_and_port(url)))
    }
}

impl Pool {
    /// An idle connection to one of `addresses`.
    pub(super) fn take(&self, site: &Site, addresses: &[SocketAddr]) -> Option<Connection> {
        let mut idle = self.lock();
        idle.retain(Idle::is_usable);
        let found =
            idle.iter().rposition(|idle| idle.site == *site && addresses.contains(&idle.connection.peer))?;
        Some(idle.swap_remove(found).connection)
    }

    /// Keeps `connection` for later, if it can take another request by then.
    pub(super) fn put(self: &Arc<Pool>, site: Site, connection: Connection) {
        let mut idle = self.lock();
        idle.retain(Idle::is_usable);
        if idle.len() >= MAX_IDLE {
            idle.remove(0);
        }
        idle.push(Idle { site, connection, since: Instant::now() });
        if idle.len() == 1 {
            tokio::spawn(close_when_idle(Arc::downgrade(self)));
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Idle>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Idle {
    fn is_usable(&self) -> bool {
        !self.connection.sender.is_closed() && self.since.elapsed() < IDLE_CONNECTION
    }
}

/// Runs while anything is idle, and ends with the last connection or with the pool.
async fn close_when_idle(pool: Weak<Pool>) {
    loop {
        tokio::time::sleep(IDLE_CONNECTION).await;
        let Some(pool) = pool.upgrade() else { return };
        let mut idle = pool.lock();
        idle.retain(Idle::is_usable);
        if idle.is_empty() {
            return;
        }
    }
}
