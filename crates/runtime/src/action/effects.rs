//! What a call changes in its session, once it has ended.

use serde_json::Value;

use crate::session::State;
use crate::template::{Evaluated, Named};

#[derive(Debug, Default, PartialEq)]
pub struct Effects {
    /// The new `Response`; none if nothing was called.
    pub response: Option<Value>,
    pub variables: Vec<(String, Value)>,
    pub shortcuts: Vec<Named>,
    pub warnings: Vec<String>,
}

impl Effects {
    pub fn of(response: Value, evaluated: Evaluated) -> Self {
        let Evaluated { variables, shortcuts, warnings, .. } = evaluated;
        Self { response: Some(response), variables, shortcuts, warnings }
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
        state.unanswered = self.warnings;
    }
}
