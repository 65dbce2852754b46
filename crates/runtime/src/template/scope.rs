//! Names inside a template: loop items first, then what the template assigned, then the rest.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::Value;
use sfmd::{Path, Step};

use super::Input;
use crate::error::Result;
use crate::substitute::{self, Env, Marked, Source, Values};

pub(super) struct Scope<'a> {
    pub input: Input<'a>,
    pub items: Vec<Item>,
    pub assigned: HashMap<String, Marked>,
    /// The id that each value shortcut was given last.
    pub shortcuts: HashMap<String, String>,
}

/// One turn of a loop.
pub(super) struct Item {
    pub name: String,
    pub value: Marked,
    /// From 1, as value shortcuts count.
    pub index: usize,
}

impl Values for Scope<'_> {
    fn named(&self, name: &str) -> substitute::Named<'_> {
        let item = self.items.iter().rev().find(|item| item.name == name).map(|item| &item.value);
        let own = match name {
            "Response" => Some(self.input.response),
            name => item.or_else(|| self.assigned.get(name)),
        };
        match own {
            Some(Marked { value, mark }) => {
                substitute::Named::Value { value: Cow::Borrowed(value), source: Source::Other, mark: *mark }
            }
            None => self.input.values.named(name),
        }
    }

    fn at(&self, path: &Path) -> substitute::Named<'_> {
        let item = self.items.iter().rev().find(|item| item.name == path.root);
        let index = item.filter(|item| asks_for_index(path) && item.value.value.get("index").is_none());
        match index {
            Some(item) => {
                let value = Cow::Owned(Value::from(item.index));
                substitute::Named::Value { value, source: Source::Other, mark: item.value.mark }
            }
            None => match self.named(&path.root) {
                substitute::Named::Value { value: Cow::Borrowed(value), source, mark } => {
                    substitute::walk(value, &path.steps).map_or(substitute::Named::Unknown, |value| {
                        substitute::Named::Value { value, source, mark }
                    })
                }
                _ => self.input.values.at(path),
            },
        }
    }

    fn env(&self, name: &str) -> Option<Env<'_>> {
        self.input.values.env(name)
    }

    fn file(&self, value: &substitute::Named<'_>, path: &str) -> Result<Vec<u8>> {
        self.input.values.file(value, path)
    }

    fn shortcut(&self, name: &str) -> Option<String> {
        self.shortcuts.get(name).map(|id| format!("@{id}"))
    }
}

fn asks_for_index(path: &Path) -> bool {
    matches!(&path.steps[..], [Step::Key(key)] if key == "index")
}
