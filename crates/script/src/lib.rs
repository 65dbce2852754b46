//! TypeScript in worker processes: transpiled, confined, stopped in time.
//!
//! A [`Pool`] keeps processes of the same binary warm. A call names a [`Program`] and an entry point; what the
//! script asks of the outside comes back to the caller as a call of its [`Host`]. The engine and the compiler run
//! in the workers alone: some of their work cannot be interrupted, and deep nesting can overflow their stack, so
//! a worker that overruns is killed and another one takes its place.

mod call;
mod error;
mod frame;
mod host;
mod limits;
mod name;
mod pool;
mod process;
mod program;
mod stamp;
pub mod worker;

pub use call::{Call, Limits};
pub use error::{Error, Position, Result, Thrown};
pub use host::{Host, HostError, Level, Log, Pending, TooLarge};
pub use limits::{MEMORY_MAX, SOURCE_MAX};
pub use pool::{Pool, Settings};
pub use program::{Program, read_beneath};
pub use stamp::Stamp;

/// The declarations that editors and type checkers read.
pub const TYPES: &str = include_str!("flo.d.ts");
