//! Fields that a program gives by name, as JSON: no words are made of them, so nothing in them can be a flag.

use serde_json::Value;
use sfmd::FieldType;

use super::{Binder, Meant};
use crate::action::coerce::coerce_json;
use crate::error::{Error, Result, nearest, quoted};
use crate::substitute::{Marked, text_of};

impl Binder<'_> {
    /// Fields by name. What no field is called is a word where any words are taken, and never a flag.
    pub(super) fn named(&mut self) -> Result<()> {
        for (name, Marked { value, mark }) in &self.called.fields {
            let Some(field) = self.action.field(name) else {
                if !self.action.takes_any_words() {
                    return Err(self.no_field(name));
                }
                self.bound.words.extend(as_words(name, value));
                self.bound.words_mark = self.bound.words_mark.with(*mark);
                continue;
            };
            if value.is_null() && field.field_type != FieldType::Json {
                continue;
            }
            let value = self.fitting(field, coerce_json(field, value.clone()), *mark)?;
            self.given.push((field, Meant::given(Marked { value, mark: *mark })));
        }
        Ok(())
    }

    fn no_field(&self, name: &str) -> Error {
        let near = nearest(name, self.action.fields.iter().map(|field| field.name.as_str()));
        let field = near.and_then(|name| self.action.field(name));
        self.wrong(format!("Unknown field {}.", quoted(name)), &field.into_iter().collect::<Vec<_>>())
            .hints(near.map(|name| format!("Did you mean {name}?")))
    }
}

/// A value under a name that nobody declared, as a command would be given it.
fn as_words(name: &str, value: &Value) -> Vec<String> {
    match value {
        Value::Null => Vec::new(),
        Value::Bool(value) => vec![format!("--{name}={value}")],
        Value::Array(values) => values.iter().flat_map(|value| as_words(name, value)).collect(),
        value => vec![format!("--{name}"), text_of(value).into_owned()],
    }
}
