//! Variables: `{name}` of a session, `$NAME` of the files, and the names that a call brings along.

mod assignment;
mod files;
mod known;
mod requirement;
mod scope;
mod secret;
mod session;
mod spelling;
mod surroundings;

pub use assignment::{Assignment, Right, Target, parse as parse_assignments};
pub use files::{Change, Persistent, change, read, scopes};
pub use known::{Known, read_file};
pub use requirement::{Claimant, missing, required};
pub use scope::Scope;
pub use secret::{Secret, Secrets};
pub use session::Variables;
pub use surroundings::{RESERVED, Surroundings};

use crate::error::in_lines;

/// A value as replies show it: in quotes, with `\"` and `\\`, and what steers a terminal as an escape.
pub fn shown(value: &str) -> String {
    format!("\"{}\"", in_lines(&value.replace('\\', "\\\\").replace('"', "\\\"")))
}

/// The same for one line of a reply: of a value with several lines, how many.
pub fn shown_on_one_line(value: &str) -> String {
    match value.lines().count() {
        0 | 1 if !value.ends_with('\n') => shown(value),
        lines => format!("({lines} {})", if lines == 1 { "line" } else { "lines" }),
    }
}
