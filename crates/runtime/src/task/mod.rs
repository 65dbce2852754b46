//! Tasks: one top-level call of a tool and everything it calls; what they remember and what happened in them.

mod event;
mod id;
mod record;
mod tasks;
mod timeline;
mod traces;

pub use event::Event;
pub use id::Id;
pub use record::{Outcome, Record};
pub use tasks::Tasks;
pub use timeline::EVENTS_MAX;
pub use traces::{Listed, state_space, tool_space};
