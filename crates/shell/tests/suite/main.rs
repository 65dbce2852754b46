//! The shell against a real bash on a real terminal.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "tests may fail loudly and know their machine"
)]

mod ahead;
mod attach;
mod background;
mod boundary;
mod death;
mod development;
mod exec;
mod holder;
mod input;
mod interrupt;
mod output;
mod settings;
mod support;
mod turns;
mod watch;
