//! The Model Context Protocol: one tool, some resources, and whoever runs the commands behind them.
//!
//! [`Host`] is that whoever: the daemon, for its clients over HTTP and for those whose standard streams it was given.

mod cursor;
mod handler;
mod host;
mod http;
mod invalid;
mod names;
mod params;
mod progress;
mod resource;
mod stdio;
mod subscription;
mod tool;

use rmcp::model::{ErrorData, RequestId};

pub use handler::Handler;
pub use host::{Call, Change, Host, Outcome, Place};
pub use http::{Refused, SessionLimits, Sessions};
pub use stdio::{End, Record, Streams, Unanswered, serve_stdio};

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Whoever runs the commands could not answer.
    #[error("{0}")]
    Host(String),
    #[error("the conversation could not begin: {0}")]
    Initialize(Box<rmcp::service::ServerInitializeError>),
    #[error("the conversation broke off: {0}")]
    Task(#[from] tokio::task::JoinError),
}

/// Why a request with the id of one that is not answered yet is refused.
fn taken(id: &RequestId) -> ErrorData {
    let why = format!("The request {id} is not answered yet: each needs an id of its own.");
    ErrorData::invalid_request(why, None)
}
