//! Response templates: what becomes of an action's result. Evaluation is a function of values; what it asks
//! for (variables, shortcuts, files) is returned, not done.

mod condition;
mod cut;
mod evaluate;
mod scope;
#[cfg(test)]
mod tests;

pub use cut::Cut;
pub use evaluate::evaluate;

use std::collections::HashSet;

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
    /// What ended too early.
    pub cuts: Vec<Cut>,
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
        let mut seen = HashSet::new();
        let variables = self.variables.iter().map(|(name, _)| format!("{{{name}}}"));
        let shortcuts = self.shortcuts.iter().map(|shortcut| format!("@{}", shortcut.id));
        let saves = self.saves.iter().map(|save| save.path.clone());
        let stored = variables.chain(shortcuts).chain(saves).filter(|name| seen.insert(name.clone()));
        format!("OK {}", stored.collect::<Vec<_>>().join(", ")).trim_end().to_owned()
    }

    /// The lines that follow the reply, however long that is.
    pub fn notes(&self) -> String {
        self.cuts.iter().map(|cut| format!("\n\n{}", cut.note())).collect()
    }
}
