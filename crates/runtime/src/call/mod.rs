//! Calling tools that are scripts: the task, the sandbox, and what a script asks of its host.

mod calls;
mod document;
mod failure;
mod fetch;
mod field;
mod format_time;
mod help;
mod host;
mod input;
mod nested;
mod secrets;
mod session;
mod settings;
mod typed;

pub use calls::{Called, Calls, Failed, no_scripts, shown};
pub use help::help;
pub use input::read;
pub use session::Shared;

/// How many calls may be above one another.
pub const DEPTH_MAX: usize = 8;
