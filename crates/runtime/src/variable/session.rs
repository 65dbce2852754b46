//! The `{name}` variables of one session: in memory, sorted by name.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::substitute::{Mark, Marked};

/// Empty, it owns no memory.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Variables(BTreeMap<String, Marked>);

impl Variables {
    pub fn get(&self, name: &str) -> Option<&Marked> {
        self.0.get(name)
    }

    pub fn set(&mut self, name: impl Into<String>, value: Marked) {
        self.0.insert(name.into(), value);
    }

    pub fn take(&mut self, name: &str) -> Option<Marked> {
        self.0.remove(name)
    }

    /// Whether there was one.
    pub fn remove(&mut self, name: &str) -> bool {
        self.take(name).is_some()
    }

    /// Sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, marked)| (name.as_str(), &marked.value))
    }

    pub fn marks(&self) -> impl Iterator<Item = Mark> {
        self.0.values().map(|marked| marked.mark)
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}
