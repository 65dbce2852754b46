//! Texts of flags as values of the types that a schema declares.

use serde_json::Value;

use crate::action::number;
use crate::manifest::TypeName;
use crate::substitute::text_of;

/// A text as the type that the field has. What fits none stays a text: the schema then says what is wrong.
pub fn coerce(value: Value, field: &Value, types: &[TypeName]) -> Value {
    let Value::String(text) = &value else {
        let is_text = types == [TypeName::String] && !value.is_array() && !value.is_object();
        return if is_text { text_of(&value).into_owned().into() } else { value };
    };
    let choices = field.get("enum").and_then(Value::as_array);
    if let Some(choice) = choices.and_then(|all| all.iter().find(|choice| text_of(choice) == *text)) {
        return choice.clone();
    }
    if types.contains(&TypeName::String) || types.is_empty() {
        return value;
    }
    let parsed = types.iter().find_map(|kind| parse(text, *kind));
    parsed.unwrap_or(value)
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
