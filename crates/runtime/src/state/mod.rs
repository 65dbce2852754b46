//! Durable state: JSON entries with revisions, declared by a tool's bindings, in four scopes.

mod answer;
mod condition;
mod error;
mod exact;
mod fields;
mod limits;
mod list;
mod merge;
mod operation;
pub mod place;
mod request;
mod scope;
mod transfer;

pub use condition::Condition;
pub use error::{Code, Error, Result};
pub use exact::rounded;
pub use limits::{PAGE_MAX, check_depth, check_key, check_ttl, check_value, request_too_large};
pub use list::Page;
pub use merge::merge_patch;
pub use operation::{Durable, Entry, Written};
pub use place::Place;
pub use request::{Request, Verb, Write};
pub use scope::{Binding, Bindings, Kind, Owner, app_spaces, check_scope_id};
pub use transfer::Transferred;
