//! Durable state: JSON entries with revisions, declared by a tool's bindings, in four scopes.

mod answer;
mod condition;
mod error;
mod limits;
mod list;
mod merge;
mod operation;
pub mod place;
mod request;
mod scope;

pub use condition::Condition;
pub use error::{Code, Error, Result};
pub use limits::{check_key, check_value};
pub use list::Page;
pub use merge::merge_patch;
pub use operation::{Durable, Entry, Write, Written};
pub use place::Place;
pub use request::{Request, check_ttl};
pub use scope::{Binding, Bindings, Kind, Owner, check_scope_id, session_space};
