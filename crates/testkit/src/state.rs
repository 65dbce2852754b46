//! What `flo.state` must do, as tables of calls and answers: for the state layer, and for scripts above it.
//!
//! A table has one step per line: `VERB KIND KEY [FIELDS] => ANSWER`, `VERB KIND KEY [FIELDS] ! CODE TEXT` for a
//! call that is refused, `wait SECONDS` for the clock. `raw VERB ARGUMENTS` gives all arguments as they are. A text
//! `$NAME` is a revision: the first answer that has it says what it is, and no two names are one revision.
//! `@N.TEXT` is a text that is repeated N times.

mod cases;

use std::collections::HashMap;
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::FakeClock;

pub use self::cases::CASES;

/// A table of steps that begin with an empty store. Callers have bindings for the keys that begin with `k.`, of each
/// kind, `shared` with the id `service`; and one for `m.`, `shared` with the id `billing`.
#[derive(Debug)]
pub struct Case {
    pub name: &'static str,
    pub steps: &'static str,
}

/// What a call came to: its answer, or the code and the message of its refusal.
pub type Answer = Result<Value, (String, String)>;

impl Case {
    pub async fn run(&self, clock: &FakeClock, call: impl AsyncFn(&str, Value) -> Answer) {
        let mut revisions = Revisions::default();
        for line in self.steps.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let place = format!("{}: {line}", self.name);
            if let Some(seconds) = line.strip_prefix("wait ") {
                clock.advance(Duration::from_secs_f64(seconds.parse().expect(&place)));
                continue;
            }
            let (asked, expected) = Expected::split(line).expect(&place);
            let (verb, mut arguments) = arguments(asked);
            revisions.fill(&mut arguments);
            match (call(verb, arguments).await, expected) {
                (Ok(answer), Expected::Answer(mut expected)) => {
                    expand(&mut expected);
                    revisions.learn(&expected, &answer, &place);
                    revisions.fill(&mut expected);
                    assert!(answer == expected, "{place}\n{}", cut(&answer.to_string()));
                }
                (Err((code, message)), Expected::Refusal { code: expected, part }) => {
                    assert_eq!(code, expected, "{place}: {message}");
                    assert!(message.contains(part), "{place}: {message}");
                }
                (Ok(answer), _) => panic!("{place}\nanswered {}", cut(&answer.to_string())),
                (Err((code, message)), _) => panic!("{place}\nrefused with {code}: {message}"),
            }
        }
    }
}

enum Expected<'a> {
    Answer(Value),
    Refusal { code: &'a str, part: &'a str },
}

impl<'a> Expected<'a> {
    /// A step without its end, and its end.
    fn split(line: &'a str) -> Option<(&'a str, Self)> {
        if let Some((asked, answer)) = line.split_once(" => ") {
            return Some((asked, Self::Answer(serde_json::from_str(answer).ok()?)));
        }
        let (asked, refusal) = line.split_once(" ! ")?;
        let (code, part) = refusal.split_once(' ')?;
        Some((asked, Self::Refusal { code, part }))
    }
}

fn arguments(asked: &str) -> (&str, Value) {
    let mut words = asked.splitn(4, ' ');
    let mut word = || words.next().unwrap_or_default();
    let (verb, kind, key, fields) = (word(), word(), word(), word());
    if verb == "raw" {
        let arguments = asked.splitn(3, ' ').nth(2).unwrap_or_default();
        return (kind, serde_json::from_str(arguments).expect(asked));
    }
    let mut arguments = Map::new();
    arguments.insert("scope_kind".into(), kind.into());
    arguments.insert(if verb == "list" { "key_prefix" } else { "key" }.into(), key.into());
    if !fields.is_empty() {
        arguments.extend(serde_json::from_str::<Map<String, Value>>(fields).expect(asked));
    }
    let mut arguments = Value::Object(arguments);
    expand(&mut arguments);
    (verb, arguments)
}

#[derive(Default)]
struct Revisions(HashMap<String, String>);

impl Revisions {
    /// Replaces the names that are known.
    fn fill(&self, value: &mut Value) {
        each_text(value, &mut |text| {
            if let Some(revision) = self.0.get(text.as_str()) {
                text.clone_from(revision);
            }
        });
    }

    /// Takes the revisions that new names stand for from an answer.
    fn learn(&mut self, expected: &Value, answer: &Value, place: &str) {
        match (expected, answer) {
            (Value::String(name), Value::String(revision))
                if name.starts_with('$') && !self.0.contains_key(name) =>
            {
                assert!(!self.0.values().any(|known| known == revision), "{place}: {revision} came back");
                self.0.insert(name.clone(), revision.clone());
            }
            (Value::Object(expected), Value::Object(answer)) => {
                for (key, expected) in expected {
                    self.learn(expected, answer.get(key).unwrap_or(&Value::Null), place);
                }
            }
            (Value::Array(expected), Value::Array(answer)) => {
                for (expected, answer) in expected.iter().zip(answer) {
                    self.learn(expected, answer, place);
                }
            }
            _ => {}
        }
    }
}

/// Writes repeated texts out.
pub fn expand(value: &mut Value) {
    each_text(value, &mut |text| {
        let repeated = text.strip_prefix('@').and_then(|rest| rest.split_once('.'));
        if let Some((count, part)) = repeated
            && let Ok(count) = count.parse()
        {
            *text = part.repeat(count);
        }
    });
}

fn each_text(value: &mut Value, change: &mut impl FnMut(&mut String)) {
    match value {
        Value::String(text) => change(text),
        Value::Array(items) => items.iter_mut().for_each(|item| each_text(item, change)),
        Value::Object(fields) => fields.values_mut().for_each(|field| each_text(field, change)),
        _ => {}
    }
}

fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(2_000)]
}

/// The bindings that the tables expect, as a manifest has them.
pub fn bindings() -> Value {
    json!([
        { "name": "of_profile", "key_prefix": "k.", "scope_kind": "profile" },
        { "name": "of_session", "key_prefix": "k.", "scope_kind": "session" },
        { "name": "of_task", "key_prefix": "k.", "scope_kind": "task" },
        { "name": "of_service", "key_prefix": "k.", "scope_kind": "shared", "scope_id": "service" },
        { "name": "of_billing", "key_prefix": "m.", "scope_kind": "shared", "scope_id": "billing" },
    ])
}
