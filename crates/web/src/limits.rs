//! Every number that bounds what the web may cost us, with its reason.

use std::time::Duration;

/// A page or an answer larger than this fills no agent's context with anything useful.
pub const MAX_BODY: usize = 8 << 20;
/// As browsers' order of magnitude (20), and enough for any honest chain.
pub const MAX_REDIRECTS: usize = 10;
/// A whole fetch: resolving, connecting, redirects and body.
pub const TIMEOUT: Duration = Duration::from_secs(30);
/// Servers refuse longer request lines anyway; this keeps logs and errors sane.
pub const MAX_URL: usize = 16 << 10;
/// The head of an answer. Common servers send at most 32 KiB.
pub const MAX_HEAD: usize = 128 << 10;
/// More lines than this are not headers but an attack.
pub const MAX_HEADERS: usize = 256;
/// The window that HTTP allows to zstd (8 MiB); frames may otherwise ask for gigabytes.
pub const ZSTD_WINDOW_LOG: u32 = 23;
/// How long the next address of a host waits for the one before it (RFC 8305).
pub const NEXT_ADDRESS_AFTER: Duration = Duration::from_millis(250);
/// Addresses tried per host.
pub const MAX_ADDRESSES: usize = 8;
/// Servers close idle connections after 5 to 75 seconds; ours must not be the side that is surprised.
pub const IDLE_CONNECTION: Duration = Duration::from_secs(20);
/// Idle connections kept, all hosts together.
pub const MAX_IDLE: usize = 32;
/// Cookies per topic; browsers keep about 180 per site and 3000 in all.
pub const MAX_COOKIES: usize = 300;
/// Name, value and attributes of one cookie, as in browsers.
pub const MAX_COOKIE: usize = 4096;
/// After the end of a body, the connection's own task must notice it too before another request can go out.
pub const CONNECTION_SETTLES: Duration = Duration::from_millis(100);
