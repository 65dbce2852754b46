//! Output: raw bytes rendered down to the text a person would see, bounded
//! to its beginning and its end, with the whole of it in a log file.

mod bounded;
mod charset;
mod files;
mod page;
mod rendered;
mod row;
mod screen;
mod transcript;

use std::fmt;
use std::path::PathBuf;

use crate::status::Status;

pub(crate) use bounded::Bounded;
pub use files::{Keep, LogFiles};
pub use rendered::rendered;
pub(crate) use screen::Screen;
pub(crate) use transcript::Transcript;

/// What a command has printed, as text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Output {
    /// All of it, or its beginning when something was left out.
    pub head: String,
    /// How many bytes lie between `head` and `tail`.
    pub omitted: u64,
    /// The end, when something was left out.
    pub tail: String,
    /// The file with all of it, when something was left out.
    pub log: Option<PathBuf>,
    /// The log ends early, since it reached its cap.
    pub log_cut: bool,
    /// There were bytes that are no text; they show as `U+FFFD`, NULs not at all.
    pub binary: bool,
}

impl Output {
    pub fn is_empty(&self) -> bool {
        self.head.is_empty()
    }
}

/// The text as far as it is kept, with the number of bytes left out between its parts.
impl fmt::Display for Output {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.head)?;
        if self.omitted > 0 {
            write!(out, "\n… {} bytes omitted …\n", self.omitted)?;
        }
        out.write_str(&self.tail)
    }
}

/// What can be watched while it happens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Live {
    /// More text, line ends included.
    Text(String),
    /// The unfinished last line as it looks now; replaces the one before.
    Line(String),
    /// A command has finished; the shell goes on.
    Finished(Status),
    /// The shell itself has ended.
    Died(Status),
}
