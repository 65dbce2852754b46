//! Texts of flags as values of the types that a schema declares.

use serde_json::Value;

use crate::action::number;
use crate::manifest::{Schema, TypeName};
use crate::substitute::text_of;

/// A text as the type that the field has. What fits none stays a text: the schema then says what is wrong.
pub fn coerce(schema: &Schema, value: Value, field: &Value) -> Value {
    let types = schema.types(field);
    let Value::String(text) = &value else {
        let is_text = types == [TypeName::String] && !value.is_array() && !value.is_object();
        return if is_text { text_of(&value).into_owned().into() } else { value };
    };
    if let Some(choice) = schema.keyword(field, "enum").and_then(|all| choice(all.as_array()?, text)) {
        return choice.clone();
    }
    if types.contains(&TypeName::String) || types.is_empty() {
        return value;
    }
    let parsed = types.iter().find_map(|kind| parse(text, *kind));
    parsed.unwrap_or(value)
}

/// The choice that a text means: the one that is this text, or else the one that is written like it.
fn choice<'c>(choices: &'c [Value], text: &str) -> Option<&'c Value> {
    let is_written_so = |choice: &&Value| match choice {
        Value::Null => text == "null",
        choice => text_of(choice) == text,
    };
    choices.iter().find(|choice| choice.as_str() == Some(text)).or_else(|| choices.iter().find(is_written_so))
}

fn parse(text: &str, kind: TypeName) -> Option<Value> {
    match kind {
        // JSON Schema counts 4.0 as an integer.
        TypeName::Integer => number(text.split_once('.').map_or(text, |(whole, fraction)| {
            if fraction.bytes().all(|digit| digit == b'0') { whole } else { text }
        }))
        .filter(|number| number.is_i64() || number.is_u64()),
        TypeName::Number => number(text),
        TypeName::Boolean => text.parse::<bool>().map(Value::from).ok(),
        TypeName::Null => (text == "null").then_some(Value::Null),
        TypeName::Array => serde_json::from_str::<Value>(text).ok().filter(Value::is_array),
        TypeName::Object => serde_json::from_str::<Value>(text).ok().filter(Value::is_object),
        TypeName::String => Some(text.into()),
    }
}
