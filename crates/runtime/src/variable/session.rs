//! The `{name}` variables of one session: in memory, sorted by name.

use std::collections::BTreeMap;

use serde_json::Value;

/// Empty, it owns no memory.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Variables(BTreeMap<String, Value>);

impl Variables {
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    pub fn set(&mut self, name: impl Into<String>, value: Value) {
        self.0.insert(name.into(), value);
    }

    pub fn take(&mut self, name: &str) -> Option<Value> {
        self.0.remove(name)
    }

    /// Whether there was one.
    pub fn remove(&mut self, name: &str) -> bool {
        self.take(name).is_some()
    }

    /// Sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}
