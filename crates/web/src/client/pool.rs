//! Connections that finished a request and may take another.
//!
//! They are kept under the address they lead to, not under their host's name alone: a request that resolved to
//! other addresses, or may not reach this one, never finds them.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use tokio::time::Instant;
use url::Url;

use super::connect::Connection;
use crate::error::host_and_port;
use crate::limits::{IDLE_CONNECTION, MAX_IDLE};

#[derive(Default)]
pub(super) struct Pool {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    idle: Vec<Idle>,
    sweeper: Sweeper,
}

/// The task that closes what stayed idle: there is at most one.
#[derive(Default, PartialEq, Eq)]
enum Sweeper {
    #[default]
    None,
    Running,
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
        let idle = &mut self.lock().idle;
        idle.retain(Idle::is_usable);
        let found =
            idle.iter().rposition(|idle| idle.site == *site && addresses.contains(&idle.connection.peer))?;
        Some(idle.swap_remove(found).connection)
    }

    /// Keeps `connection` for later, if it can take another request by then.
    pub(super) fn put(self: &Arc<Pool>, site: Site, connection: Connection) {
        let mut state = self.lock();
        state.idle.retain(Idle::is_usable);
        if state.idle.len() >= MAX_IDLE {
            state.idle.remove(0);
        }
        state.idle.push(Idle { site, connection, since: Instant::now() });
        if state.sweeper == Sweeper::None {
            state.sweeper = Sweeper::Running;
            tokio::spawn(sweep(Arc::downgrade(self)));
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Idle {
    fn is_usable(&self) -> bool {
        !self.connection.sender.is_closed() && self.since.elapsed() < IDLE_CONNECTION
    }
}

/// Runs while anything is idle, and ends with the last connection or with the pool.
async fn sweep(pool: Weak<Pool>) {
    loop {
        tokio::time::sleep(IDLE_CONNECTION).await;
        let Some(pool) = pool.upgrade() else { return };
        let mut state = pool.lock();
        state.idle.retain(Idle::is_usable);
        if state.idle.is_empty() {
            state.sweeper = Sweeper::None;
            return;
        }
    }
}
