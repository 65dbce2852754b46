//! What all scripts of one task share: the variables of the session, and the secrets they were shown.

use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use crate::task::Event;
use crate::variable::{Secret, Secrets, Variables};

/// Changes are collected here and reach the session when the call has succeeded.
#[derive(Debug, Default)]
pub struct Shared(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    variables: Variables,
    changed: Vec<(String, Value)>,
    revealed: Vec<(String, Secret, Declared)>,
    events: Vec<Event>,
}

/// As what a tool declares a value that its script was shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Declared {
    /// In `vault`: it is never shown.
    Secret,
    /// In `env`: a script may return it, but it stays out of errors and logs.
    Setting,
}

impl Shared {
    pub fn new(variables: Variables) -> Self {
        Self(Mutex::new(Inner { variables, ..Inner::default() }))
    }

    pub fn variable(&self, name: &str) -> Option<Value> {
        self.lock().variables.get(name).cloned()
    }

    pub fn variables(&self) -> Value {
        let inner = self.lock();
        Value::Object(inner.variables.iter().map(|(name, value)| (name.to_owned(), value.clone())).collect())
    }

    pub fn set_variable(&self, name: &str, value: Value) {
        let mut inner = self.lock();
        inner.variables.set(name, value.clone());
        inner.changed.push((name.to_owned(), value));
    }

    /// Remembers a secret that a script has seen, so that it can be taken out of what is shown.
    pub fn reveal(&self, name: &str, secret: &Secret, declared: Declared) {
        self.lock().revealed.push((name.to_owned(), secret.clone(), declared));
    }

    /// What errors and logs must not hold.
    pub fn revealed(&self) -> Secrets {
        let inner = self.lock();
        Secrets::new(inner.revealed.iter().map(|(name, secret, _)| (name.as_str(), secret)))
    }

    /// What no output may hold.
    pub fn secrets(&self) -> Secrets {
        let inner = self.lock();
        let secrets = inner.revealed.iter().filter(|(.., declared)| *declared == Declared::Secret);
        Secrets::new(secrets.map(|(name, secret, _)| (name.as_str(), secret)))
    }

    pub fn add_event(&self, event: Event) {
        self.lock().events.push(event);
    }

    pub fn take_events(&self) -> Vec<Event> {
        std::mem::take(&mut self.lock().events)
    }

    /// The variables that were set, in order; secrets do not become variables, which anyone may read.
    pub fn into_changes(self) -> Vec<(String, Value)> {
        let secrets = self.secrets();
        let changed = self.0.into_inner().unwrap_or_else(PoisonError::into_inner).changed;
        changed.into_iter().map(|(name, value)| (name, secrets.redact_value(value))).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // Each critical section is one lookup, push or copy.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
