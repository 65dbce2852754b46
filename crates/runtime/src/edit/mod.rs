//! Editing: which file and part a command means, what becomes of the text, and what an agent reads about it.
//!
//! Pure in `lines`, `part`, `change`, `diff`, `view`, `conflict` and `undo`; `save` and `version` have the effects.

mod change;
mod conflict;
mod diff;
mod lines;
mod part;
mod reload;
mod save;
mod target;
mod undo;
mod version;
mod view;

pub use conflict::{Digest, Overwrite, Seen, check};
pub use part::{LineRange, Part};
pub use reload::{Edits, reload_if_edited};
pub use save::{Edit, Way, revert, save};
pub use target::{FileTarget, Located, read};
pub use undo::Undo;
pub use version::{Committed, Kept, LOG_MAX, MESSAGE_MAX, Number, Version, Versions};
pub use view::numbered;

/// `1 line`, `2 lines`.
fn count_of(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
