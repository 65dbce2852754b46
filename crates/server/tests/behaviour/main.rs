//! The daemon seen from its doors: one module per subject, one binary for all of them.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod events;
#[allow(dead_code, reason = "every subject uses its own part")]
mod http;
