//! How much a caller may ask of the door. Named here with the reason, once.

use std::time::Duration;

#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Largest request body: a document to write, with room.
    pub body_bytes: usize,
    /// A body must be there in this time, however slowly it drips.
    pub body_time: Duration,
    /// The same for the request line and headers.
    pub header_time: Duration,
    /// Connections at once through each door; each costs a task and a buffer. Further ones wait.
    pub connections: usize,
    /// Those of them that may be streams without an end. The rest is for whoever wants an answer.
    pub streams: usize,
    /// MCP sessions at once; each costs some 50 KB and the answers it keeps, and outlives its client for a while.
    pub mcp_sessions: usize,
    /// How long: a client that lost its connection comes back sooner.
    pub mcp_idle: Duration,
    /// How long a stop waits for replies that are on their way.
    pub drain_time: Duration,
}

/// Room for the request line and all headers together.
pub const HEADER_BYTES: usize = 32 * 1024;
/// No client of ours sends ten.
pub const HEADERS: usize = 64;

/// A file that comes in through `/fs` may take longer than other bodies, as long as it comes at least this fast.
pub const UPLOAD_BYTES_PER_SECOND: u64 = 4 * 1024;
/// So much of a body that was refused is taken in, and for so long, before the connection is closed: what a careless
/// client on this machine sends in one go.
pub const UNREAD_BYTES: usize = 64 * 1024 * 1024;
pub const UNREAD_TIME: Duration = Duration::from_secs(2);
/// One that pauses for so long has stopped writing, and reads.
pub const UNREAD_PAUSE: Duration = Duration::from_millis(100);
/// As much of a file is read at once, and waits for a slow reader.
pub const DOWNLOAD_CHUNK: usize = 128 * 1024;

impl Default for Limits {
    fn default() -> Self {
        Self {
            body_bytes: wire::REQUEST_MAX,
            body_time: Duration::from_secs(30),
            header_time: Duration::from_secs(10),
            connections: 1536,
            streams: 1024,
            mcp_sessions: 256,
            mcp_idle: Duration::from_mins(5),
            drain_time: Duration::from_secs(5),
        }
    }
}
