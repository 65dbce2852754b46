//! The fields of a call, each taken once; what is left over was not meant by anyone.

use serde_json::{Map, Value};

use super::condition::Condition;
use super::error::{Code, Error, Result};
use super::limits::{PAGE_MAX, TTL_MAX};
use super::scope::Kind;

/// How many entries a page has unless the call says so.
const PAGE_DEFAULT: usize = 100;

pub(super) struct Fields {
    left: Map<String, Value>,
    /// What the call could have named, for the error.
    known: Vec<&'static str>,
}

impl Fields {
    pub(super) fn parse(arguments: &str) -> Result<Self> {
        let value = serde_json::from_str(arguments).map_err(|error| {
            let text = error.to_string();
            // Where in the arguments is of no use to the author, who never saw them as text.
            Error::invalid(text.rsplit_once(" at line ").map_or(text.as_str(), |(message, _)| message))
        })?;
        match value {
            Value::Object(left) => Ok(Self { left, known: Vec::new() }),
            other => Err(Error::invalid(format!("a call takes one object, not {}", shown(&other)))),
        }
    }

    /// Which scope a call reaches is the binding's to say; the name alone is wrong, also with `null`.
    pub(super) fn refuse_scope_id(&self) -> Result<()> {
        if self.left.contains_key("scope_id") {
            let message = "scope_id is declared in the manifest, not given in a call";
            return Err(Error::new(Code::ScopeIdForbidden, message));
        }
        Ok(())
    }

    pub(super) fn kind(&mut self) -> Result<Kind> {
        let value = self.value("scope_kind")?;
        value.as_str().and_then(Kind::parse).ok_or_else(|| {
            Error::invalid(format!("scope_kind is profile, session, task or shared, not {}", shown(&value)))
        })
    }

    /// A field that must be there, whatever it holds.
    pub(super) fn value(&mut self, name: &'static str) -> Result<Value> {
        self.take(name).ok_or_else(|| Error::invalid(format!("missing field `{name}`")))
    }

    pub(super) fn object(&mut self, name: &'static str) -> Result<Value> {
        match self.value(name)? {
            object @ Value::Object(_) => Ok(object),
            other => Err(Error::invalid(format!("{name} is an object, not {}", shown(&other)))),
        }
    }

    pub(super) fn text(&mut self, name: &'static str) -> Result<String> {
        text(name, self.value(name)?)
    }

    /// A text that may be absent or `null`.
    pub(super) fn optional_text(&mut self, name: &'static str) -> Result<Option<String>> {
        match self.take(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => text(name, value).map(Some),
        }
    }

    pub(super) fn ttl(&mut self) -> Result<Option<u64>> {
        self.number("ttl_seconds", TTL_MAX)
    }

    pub(super) fn limit(&mut self) -> Result<usize> {
        let limit = self.number("limit", PAGE_MAX as u64)?;
        Ok(limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(PAGE_DEFAULT))
    }

    pub(super) fn condition(&mut self) -> Result<Condition> {
        match self.take("if_revision") {
            None => Ok(Condition::Always),
            Some(Value::Null) => Ok(Condition::Absent),
            Some(Value::String(revision)) => Condition::revision(&revision).map_err(Error::invalid),
            Some(other) => {
                Err(Error::invalid(format!("if_revision is a revision or null, not {}", shown(&other))))
            }
        }
    }

    pub(super) fn done(self) -> Result<()> {
        match self.left.keys().next() {
            None => Ok(()),
            Some(name) => {
                let known = self.known.join(", ");
                Err(Error::invalid(format!("unknown field `{name}`: this call takes {known}")))
            }
        }
    }

    /// An integer from 1 to `most`, if the field is there.
    fn number(&mut self, name: &'static str, most: u64) -> Result<Option<u64>> {
        let Some(value) = self.take(name) else { return Ok(None) };
        let number = value.as_u64().filter(|number| (1..=most).contains(number));
        let wrong =
            || Error::invalid(format!("{name} is an integer from 1 to {most}, not {}", shown(&value)));
        number.map(Some).ok_or_else(wrong)
    }

    fn take(&mut self, name: &'static str) -> Option<Value> {
        self.known.push(name);
        self.left.shift_remove(name)
    }
}

fn text(name: &str, value: Value) -> Result<String> {
    match value {
        Value::String(text) => Ok(text),
        other => Err(Error::invalid(format!("{name} is a string, not {}", shown(&other)))),
    }
}

/// A wrong value in an error: small ones as they are.
fn shown(value: &Value) -> String {
    const SHOWN: usize = 40;
    match value {
        Value::Object(_) => "an object".to_owned(),
        Value::Array(_) => "an array".to_owned(),
        Value::String(text) if text.chars().count() > SHOWN => "a longer text".to_owned(),
        small => small.to_string(),
    }
}
