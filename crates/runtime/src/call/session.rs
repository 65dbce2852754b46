//! What all scripts of one task share: the variables of the session, and the secrets they were shown.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use script::Level;
use serde_json::Value;

use crate::substitute::{Mark, Marked};
use crate::task::{EVENTS_MAX, Event};
use crate::variable::{Secret, Secrets, Variables};

/// What the scripts of one task may put into variables, in bytes. They run with limits of their own, but variables
/// are the daemon's memory.
pub const VARIABLES_BYTES_MAX: usize = 16 * 1024 * 1024;
/// What a variable takes besides its value.
const VARIABLE_BYTES: usize = 128;

/// The variables that scripts set are as large as they may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLarge;

/// Changes are collected here and reach the session when the call has succeeded.
#[derive(Debug, Default)]
pub struct Shared(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    variables: Variables,
    /// The variables that scripts set, each with its size.
    changed: BTreeMap<String, usize>,
    /// The sum of these sizes.
    bytes: usize,
    mark: Mark,
    revealed: Vec<(String, Secret, Declared)>,
    /// The same, ready to be looked for; none since another was revealed.
    sought: Option<Arc<Secrets>>,
    /// The newest ones.
    events: VecDeque<Event>,
    /// How many older ones there were.
    left_out: usize,
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
    /// `input` is the mark of what the call was given.
    pub fn new(variables: Variables, input: Mark) -> Self {
        Self(Mutex::new(Inner { variables, mark: input, ..Inner::default() }))
    }

    pub fn variable(&self, name: &str) -> Option<Value> {
        let mut inner = self.lock();
        let Marked { value, mark } = inner.variables.get(name).cloned()?;
        inner.mark = inner.mark.with(mark);
        Some(value)
    }

    /// A script gets to see something of that mark.
    pub fn saw(&self, mark: Mark) {
        let mut inner = self.lock();
        inner.mark = inner.mark.with(mark);
    }

    /// The mark of whatever the scripts make: of all that they have seen, since nobody can tell what became of it.
    pub fn mark(&self) -> Mark {
        self.lock().mark
    }

    /// The variables as they are now.
    pub fn snapshot(&self) -> Variables {
        self.lock().variables.clone()
    }

    pub fn variables(&self) -> Value {
        let mut inner = self.lock();
        inner.mark = inner.variables.marks().fold(inner.mark, Mark::with);
        Value::Object(inner.variables.iter().map(|(name, value)| (name.to_owned(), value.clone())).collect())
    }

    /// Sets a variable that takes so many bytes, unless all that scripts set would take too many.
    pub fn set_variable(&self, name: &str, value: Marked, bytes: usize) -> Result<(), TooLarge> {
        let mut inner = self.lock();
        let others = inner.bytes - inner.changed.get(name).unwrap_or(&0);
        let bytes = bytes + VARIABLE_BYTES;
        if others + bytes > VARIABLES_BYTES_MAX {
            return Err(TooLarge);
        }
        inner.bytes = others + bytes;
        inner.variables.set(name, value);
        inner.changed.insert(name.to_owned(), bytes);
        Ok(())
    }

    /// Remembers a secret that a script has seen, so that it can be taken out of what is shown.
    pub fn reveal(&self, name: &str, secret: &Secret, declared: Declared) {
        let mut inner = self.lock();
        inner.mark = inner.mark.with(Mark::SECRET);
        inner.revealed.push((name.to_owned(), secret.clone(), declared));
        inner.sought = None;
    }

    /// What errors and logs must not hold.
    pub fn revealed(&self) -> Arc<Secrets> {
        let mut inner = self.lock();
        let Inner { revealed, sought, .. } = &mut *inner;
        let make =
            || Arc::new(Secrets::new(revealed.iter().map(|(name, secret, _)| (name.as_str(), secret))));
        Arc::clone(sought.get_or_insert_with(make))
    }

    /// What no redirect may take to a host that the script did not name.
    pub fn confined(&self) -> Vec<String> {
        let inner = self.lock();
        let secrets = inner.revealed.iter().filter(|(.., declared)| *declared == Declared::Secret);
        secrets.map(|(_, secret, _)| secret.reveal().to_owned()).collect()
    }

    /// What no output may hold.
    pub fn secrets(&self) -> Secrets {
        let inner = self.lock();
        let secrets = inner.revealed.iter().filter(|(.., declared)| *declared == Declared::Secret);
        Secrets::new(secrets.map(|(name, secret, _)| (name.as_str(), secret)))
    }

    pub fn add_event(&self, event: Event) {
        let mut inner = self.lock();
        let Inner { events, left_out, .. } = &mut *inner;
        // One place is for saying so.
        if events.len() == EVENTS_MAX || *left_out > 0 && events.len() == EVENTS_MAX - 1 {
            *left_out += events.drain(..=events.len() + 1 - EVENTS_MAX).count();
        }
        events.push_back(event);
    }

    /// What has happened since they were last taken, and in the first place how much of it was not kept.
    pub fn take_events(&self) -> Vec<Event> {
        let mut inner = self.lock();
        let (mut events, left_out) = (std::mem::take(&mut inner.events), std::mem::take(&mut inner.left_out));
        if let Some(first) = events.front().filter(|_| left_out > 0) {
            let text = format!("… {left_out} earlier lines were left out: the newest {EVENTS_MAX} are kept");
            events.push_front(Event::line(first.at, &first.tool, Level::Warn, text));
        }
        events.into()
    }

    /// The variables that were set; secrets do not become variables, which anyone may read.
    pub fn into_changes(self) -> Vec<(String, Marked)> {
        let secrets = self.secrets();
        let Inner { mut variables, changed, mark, .. } =
            self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        let values = changed.into_keys().filter_map(|name| variables.take(&name).map(|value| (name, value)));
        let redacted =
            |value: Marked| Marked { value: secrets.redact_value(value.value), ..value }.with(mark);
        values.map(|(name, value)| (name, redacted(value))).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // Each critical section is one lookup, push or copy.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_scripts_set_is_bounded_however_often_they_set_it() {
        let shared = Shared::default();
        let half = VARIABLES_BYTES_MAX / 2 - VARIABLE_BYTES;
        for round in 0..10 {
            shared.set_variable("a", json!(round).into(), half).unwrap();
        }
        shared.set_variable("b", json!("b").into(), half).unwrap();
        assert_eq!(shared.set_variable("c", json!(1).into(), 0), Err(TooLarge));
        shared.set_variable("b", json!("small").into(), 5).unwrap();
        shared.set_variable("c", json!(1).into(), 1).unwrap();
        let changes = [("a", json!(9)), ("b", json!("small")), ("c", json!(1))];
        assert_eq!(shared.into_changes(), changes.map(|(name, value)| (name.to_owned(), value.into())));
    }

    #[test]
    fn lines_that_are_left_out_are_counted() {
        let shared = Shared::default();
        let line = |n: usize| Event::line(0, "t", Level::Info, n.to_string());
        (0..EVENTS_MAX).for_each(|n| shared.add_event(line(n)));
        assert_eq!(shared.take_events().len(), EVENTS_MAX);
        (0..3_000).for_each(|n| shared.add_event(line(n)));
        let events = shared.take_events();
        let said = events[0].message.as_deref().unwrap();
        assert!(said.starts_with("… 2001 earlier lines were left out"), "{said}");
        assert_eq!((events.len(), &events[1], &events[999]), (EVENTS_MAX, &line(2_001), &line(2_999)));
    }

    #[test]
    fn what_scripts_set_came_from_all_that_they_saw() {
        let mut variables = Variables::default();
        variables.set("chosen", Marked { value: json!("x"), mark: Mark::WEB });
        variables.set("own", json!("y").into());
        let marked = |look: &dyn Fn(&Shared), input: Mark| {
            let shared = Shared::new(variables.clone(), input);
            shared.set_variable("made", json!(1).into(), 1).unwrap();
            look(&shared);
            let mark = shared.mark();
            assert_eq!(shared.into_changes(), [("made".to_owned(), Marked { value: json!(1), mark })]);
            mark
        };
        assert_eq!(marked(&|_| {}, Mark::default()), Mark::default());
        assert_eq!(marked(&|_| {}, Mark::SECRET), Mark::SECRET);
        assert_eq!(marked(&|shared| drop(shared.variable("own")), Mark::default()), Mark::default());
        assert_eq!(marked(&|shared| drop(shared.variable("chosen")), Mark::default()), Mark::WEB);
        assert_eq!(marked(&|shared| drop(shared.variables()), Mark::default()), Mark::WEB);
        let secret = Secret::new("sk-abc");
        let shown = |shared: &Shared| shared.reveal("KEY", &secret, Declared::Setting);
        assert_eq!(marked(&shown, Mark::default()), Mark::SECRET);
    }
}
