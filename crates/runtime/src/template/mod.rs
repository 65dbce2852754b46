//! Response templates: what becomes of an action's result. Evaluation is a function of values; what it asks
//! for (variables, shortcuts, files) is returned, not done.

mod condition;
mod evaluate;
mod scope;
#[cfg(test)]
mod tests;

pub use evaluate::evaluate;

use crate::edit::Overwrite;
use crate::error::Result;
use crate::substitute::{Mark, Marked, Values};

/// What a template is evaluated with.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    pub response: &'a Marked,
    pub failed: bool,
    /// The fields of the call, and what the session knows.
    pub values: &'a dyn Values,
    /// The mark of everything that the template assigns, by who wrote it.
    pub author: Mark,
}

/// What a template asks for.
#[derive(Debug, Default, PartialEq)]
pub struct Evaluated {
    /// The output, line by line.
    pub lines: Vec<String>,
    /// In the order of assignment.
    pub variables: Vec<(String, Marked)>,
    pub shortcuts: Vec<Named>,
    pub saves: Vec<Save>,
    /// What had no value, and what could not be done.
    pub warnings: Vec<String>,
}

/// A value shortcut.
#[derive(Debug, Clone, PartialEq)]
pub struct Named {
    /// As the template names it: in a loop, the ids of one name are numbered.
    pub name: String,
    pub id: String,
    pub value: Marked,
}

/// A file to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Save {
    pub path: String,
    /// A name that an answer chose replaces nothing unseen.
    pub overwrite: Overwrite,
    /// What to write, or why there is nothing.
    pub content: Result<Vec<u8>>,
}

impl Evaluated {
    /// The reply: the output, or what was stored if there is none.
    pub fn text(&self) -> String {
        let text = self.lines.join("\n");
        let text = text.trim_matches('\n').trim_end();
        if !text.is_empty() {
            return text.to_owned();
        }
        let mut stored: Vec<String> = Vec::new();
        let variables = self.variables.iter().map(|(name, _)| format!("{{{name}}}"));
        let shortcuts = self.shortcuts.iter().map(|shortcut| format!("@{}", shortcut.id));
        let saves = self.saves.iter().map(|save| save.path.clone());
        for name in variables.chain(shortcuts).chain(saves) {
            if !stored.contains(&name) {
                stored.push(name);
            }
        }
        format!("OK {}", stored.join(", ")).trim_end().to_owned()
    }
}
