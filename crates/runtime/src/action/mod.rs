//! Actions: what a document lets its reader call, from the words of a call to the reply.

mod bind;
#[cfg(test)]
mod bind_tests;
mod call;
mod cli;
mod coerce;
mod definition;
mod effects;
mod help;
mod http;
mod meaning;
mod result;
mod save;
mod script;
mod shortcut;
mod trust;
mod words;

use sfmd::{Action, usage_line};

use crate::substitute::Marked;

pub use bind::{Meaning, Meant, Wanted};
pub use call::{Call, Ran, call};
pub use coerce::{exact_json, long_numbers_as_text, number};
pub use effects::Effects;
pub use help::{action_not_found, help, list};
pub use meaning::InSession;
pub use result::{CallResult, readable};
pub use shortcut::Shortcuts;
pub use trust::{Trust, allow_host, allowed_places};
pub use words::{Word, split, split_first_line};

/// A call as it was written.
#[derive(Debug, Clone, PartialEq)]
pub struct Called {
    /// How the caller names what it calls, up to the action: `/act.` or `/tool:shout.`.
    pub prefix: String,
    pub words: Vec<Word>,
    /// Fields by their names, as programs give them: nothing in them is looked up.
    pub fields: Vec<(String, Marked)>,
}

impl Called {
    pub fn typed(prefix: String, words: Vec<Word>) -> Self {
        Self { prefix, words, fields: Vec::new() }
    }

    pub fn nothing() -> Self {
        Self::typed("/act.".to_owned(), Vec::new())
    }

    /// The usage line of an action, as this caller would write it.
    pub fn usage(&self, action: &Action) -> String {
        usage_line(action).replacen("/act.", &self.prefix, 1)
    }

    /// Whether the caller asks for help, and the action has no field of that name.
    pub fn asks_for_help(&self, action: &Action) -> bool {
        let is_help = matches!(&self.words[..], [word] if word.plain() == Some("--help"));
        is_help && action.field("help").is_none()
    }
}
