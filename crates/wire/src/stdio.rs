//! How the standard streams of an MCP client are given to the daemon, over an upgraded connection.
//!
//! The first message is a [`Seat`] on one line, and with it go three descriptors: the client's input, its output, and
//! the record of the conversation. The daemon's last one is a [`Farewell`]. Without it, somebody else has to go on.

use serde::{Deserialize, Serialize};

/// The protocol's name in the `Upgrade` header.
pub const PROTOCOL: &str = "string-stdio";
/// More than the longest path needs, with everything in it escaped.
pub const SEAT_MAX: usize = 64 * 1024;
/// The descriptors that go with a [`Seat`].
pub const DESCRIPTORS: usize = 3;

/// Where a client sits.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seat {
    /// What `./x` starts from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Whether it is told of the installed tools too.
    #[serde(default)]
    pub tools: bool,
}

/// The conversation is over: the client has left, or could not be understood.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Farewell {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}
