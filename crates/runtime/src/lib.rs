//! What String does: agents, topics, sessions and commands, without any transport.

pub mod command;
pub mod error;
pub mod topic;
