//! What names mean inside a definition: the fields of the call first, then what every command knows.

use std::borrow::Cow;

use sfmd::Action;

use super::Trust;
use super::bind::Bound;
use crate::error::Result;
use crate::substitute::{Env, Named, Source, Values};
use crate::variable::Known;

pub struct Definition<'a> {
    pub action: &'a Action,
    pub bound: &'a Bound,
    pub known: Known<'a>,
    pub trust: &'a Trust,
}

impl Values for Definition<'_> {
    fn named(&self, name: &str) -> Named<'_> {
        if let Some(meant) = self.bound.get(name) {
            return Named::Value {
                value: Cow::Borrowed(&meant.value),
                source: meant.source,
                mark: meant.mark,
            };
        }
        match self.known.named(name) {
            Named::Unknown if self.action.field(name).is_some() => Named::Empty,
            found => found,
        }
    }

    fn env(&self, name: &str) -> Option<Env<'_>> {
        self.known.env(name)
    }

    fn file(&self, value: &Named<'_>, path: &str) -> Result<Vec<u8>> {
        // A page could otherwise name any file of the workspace, in a default or in a variable that it set, and
        // have it sent to itself.
        let is_callers = matches!(value, Named::Value { source: Source::Caller, mark, .. } if !mark.from_web);
        if !is_callers {
            self.trust.require_own_file(path)?;
        }
        self.known.file(value, path)
    }
}
