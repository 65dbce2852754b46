//! Limits that both ends must agree on.

/// Largest request the daemon takes, in bytes. It answers more without reading on, and that answer can get lost.
pub const REQUEST_MAX: usize = 10 * 1024 * 1024;

/// Longest path that fits into the address of a Unix socket: `sun_path` has 108 bytes, the last of them zero.
pub const SOCKET_PATH_MAX: usize = 107;
