//! Bash sessions on a terminal, one-shot commands, and the boundary around both.
//!
//! For Linux. Every shell and every command runs below a [`guard`], a small
//! process that reaps and ends whatever is started. A [`Shell`] delimits its
//! turns outside the terminal: nothing a program prints can end one.

pub mod boundary;
mod environment;
mod error;
pub mod exec;
pub mod guard;
pub mod limits;
mod output;
mod protocol;
mod session;
mod spawn;
mod stat;
mod status;
#[expect(unsafe_code, reason = "system calls that no safe crate offers")]
mod sys;
mod tree;

pub use environment::{Environment, QUIET};
pub use error::{Error, Result};
pub use output::{Keep, Live, LogFiles, Output, rendered};
pub use session::{
    Attachment, Cause, Config, Death, Directory, Earlier, End, Info, Input, Outcome, Running, RunningCommand,
    Seen, Shell, Shown, Size, Streams, Turn, Typing, Until, Untold, Watch,
};
pub use spawn::Spawner;
pub use stat::Stat;
pub use status::Status;
