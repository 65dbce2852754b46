//! The protocol as a client sees it, over a host that runs nothing.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod ending;
mod host;
mod http;
mod stdio;
