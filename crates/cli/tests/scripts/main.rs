//! Tools that are scripts, from a command to its reply, in the real worker processes.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod actions;
mod api;
mod calling;
mod docs;
mod documents;
mod hostile;
mod packages;
mod races;
mod support;
mod trust;
