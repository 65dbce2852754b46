//! What a call changes in its session, once it has ended.

use super::save::Saved;
use crate::session::State;
use crate::substitute::Marked;
use crate::template::{Evaluated, Named};

#[derive(Debug, Default, PartialEq)]
pub struct Effects {
    /// The new `Response`; none if nothing was called.
    pub response: Option<Marked>,
    pub variables: Vec<(String, Marked)>,
    pub shortcuts: Vec<Named>,
    /// Where the shortened links of the output lead.
    pub links: Vec<(String, Marked)>,
    /// The files that were saved: what the topic knows them to hold, and what takes the last one back.
    pub saved: Saved,
    pub warnings: Vec<String>,
}

impl Effects {
    pub fn of(response: Marked, evaluated: Evaluated, links: Vec<(String, Marked)>, saved: Saved) -> Self {
        let Evaluated { variables, shortcuts, warnings, .. } = evaluated;
        Self { response: Some(response), variables, shortcuts, links, saved, warnings }
    }

    pub fn apply(self, state: &mut State) {
        let Some(response) = self.response else { return };
        state.response = Some(Box::new(response));
        for (name, value) in self.variables {
            state.variables.set(name, value);
        }
        for shortcut in &self.shortcuts {
            state.shortcuts.forget(&shortcut.name);
        }
        for Named { id, value, .. } in self.shortcuts {
            state.shortcuts.set(id, value);
        }
        if !self.links.is_empty() {
            state.shortcuts.set_links(self.links);
        }
        self.saved.apply(state);
        state.unanswered = self.warnings;
    }
}
