//! Talks to the daemon: HTTP/1.1 over its Unix socket.
//!
//! Every call has a connection to itself, so a caller that goes away takes its waiting command with it, and an
//! interrupt never queues behind the command it is meant for.

mod agent;
mod connection;
mod error;
mod routes;
mod sse;
mod stdio;
mod stream;
mod terminal;
mod witness;

pub use agent::AgentId;
pub use error::Error;
pub use routes::{Answer, Client, Daemon};
pub use stdio::Conversation;
pub use stream::{Activities, Event, Execution};
pub use terminal::{Keyboard, Screen, Shown};
