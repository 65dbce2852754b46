//! What can go wrong between client and daemon.

use std::io;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Nobody listens: starting the daemon may help.
    #[error("no daemon answers at {address}: {source}")]
    NotReachable { address: String, source: io::Error },
    /// The daemon is older than this client and idle. It has not run the command; restart it and send again.
    #[error("the daemon is older than this client")]
    Outdated,
    /// The daemon answered with an error of its own. A command that fails is not one: that is a reply.
    #[error("{}", .error.message)]
    Refused { status: u16, error: wire::Error },
    /// Not sent: the daemon would hang up on it.
    #[error("the request is larger than {} MiB", wire::REQUEST_MAX >> 20)]
    TooLarge,
    /// The connection broke off: whether the command ran is not known.
    #[error("the daemon went away before its reply was complete: {0}")]
    Broken(#[from] hyper::Error),
    /// The stream ended without its last event: whether the command ran is not known.
    #[error("the daemon went away before its reply was complete")]
    Incomplete,
    #[error("cannot read the daemon's reply: {0}")]
    Unreadable(#[from] serde_json::Error),
    /// A connection that had become something else than HTTP.
    #[error("the connection broke: {0}")]
    Upgraded(io::Error),
    #[error("the name does not fit into a request")]
    Name,
}
