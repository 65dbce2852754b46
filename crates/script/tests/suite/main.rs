//! Scripts in real worker processes.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod globals;
mod hostile;
mod language;
mod limits;
mod modules;
mod support;
