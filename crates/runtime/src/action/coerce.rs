//! Values of fields: of the declared type, among the choices, within the bounds.

use std::borrow::Cow;
use std::ops::Range;

use serde_json::Value;
use sfmd::{Field, FieldType};

use crate::error::quoted;
use crate::substitute::text_of;

/// Below this every whole number is a float of its own: 2⁵³.
const EXACT_MAX: f64 = 9_007_199_254_740_992.0;

/// The value with the field's type, or what is wrong with it, to be read after the field's name.
pub fn coerce(field: &Field, value: Value) -> Result<Value, String> {
    let value = typed(field.field_type, value)?;
    check_choice(field, &value)?;
    check_bounds(field, &value)?;
    Ok(value)
}

/// The same for a value that a program gives: JSON stays what it is, and a list has entries of the type.
pub fn coerce_json(field: &Field, value: Value) -> Result<Value, String> {
    match (field.field_type, value) {
        (FieldType::Json, value) => {
            check_choice(field, &value)?;
            check_bounds(field, &value)?;
            Ok(value)
        }
        (FieldType::Boolean, value) => coerce(field, value),
        (_, Value::Array(entries)) => entries.into_iter().map(|entry| coerce(field, entry)).collect(),
        (_, value) => coerce(field, value),
    }
}

fn typed(field_type: FieldType, value: Value) -> Result<Value, String> {
    let text = text_of(&value).into_owned();
    let wrong = || format!("is no {}: {}", field_type.name(), quoted(&text));
    match field_type {
        // A tuple or an object stays whole, so that a path can lead into it.
        FieldType::String | FieldType::Path if value.is_array() || value.is_object() => Ok(value),
        FieldType::String | FieldType::Path => Ok(text.into()),
        FieldType::Json if !value.is_string() => Ok(value),
        FieldType::Json => exact_json(&text)?.ok_or_else(wrong),
        FieldType::Boolean => boolean(&text).map(Value::from).ok_or_else(wrong),
        FieldType::Integer => text.parse::<i64>().map(Value::from).map_err(|_| wrong()),
        FieldType::Number => number(&text).ok_or_else(wrong),
    }
}

/// `true`, `False`: as languages write the two.
pub fn boolean(text: &str) -> Option<bool> {
    [true, false].into_iter().find(|value| text.eq_ignore_ascii_case(&value.to_string()))
}

/// `24`, `-3.5`, `+1`, `.5`, `007`: what people write, not only what JSON allows. A whole number that would
/// have to be rounded is none: a changed value must not be sent.
pub fn number(text: &str) -> Option<Value> {
    let looks_like_one = text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.'));
    let float = text.parse::<f64>().ok().filter(|number| looks_like_one && number.is_finite())?;
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let has_exponent = text.contains(['e', 'E']);
    if digits.bytes().all(|byte| byte.is_ascii_digit()) {
        let signed = text.parse::<i64>().map(Value::from);
        return signed.or_else(|_| text.parse::<u64>().map(Value::from)).ok();
    }
    match has_exponent && float.fract() == 0.0 && float.abs() < EXACT_MAX {
        true => Some(Value::from(float as i64)),
        false => Some(Value::from(float)),
    }
}

/// A text as JSON; none if it is not. A whole number in it that would have to be rounded is an error, to be read
/// after the field's name.
pub fn exact_json(text: &str) -> Result<Option<Value>, String> {
    let Ok(value) = serde_json::from_str(text) else { return Ok(None) };
    match rounded_number(text) {
        Some(number) => {
            Err(format!("holds a number with too many digits, which a text could keep: {}", &text[number]))
        }
        None => Ok(Some(value)),
    }
}

/// A JSON text in which the whole numbers that would have to be rounded are texts: none is changed in silence.
pub fn long_numbers_as_text(json: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut rest = json;
    while let Some(number) = rounded_number(rest) {
        out.push_str(&format!("{}\"{}\"", &rest[..number.start], &rest[number.clone()]));
        rest = &rest[number.end..];
    }
    if out.is_empty() { Cow::Borrowed(json) } else { Cow::Owned(out + rest) }
}

/// Where in a JSON text the first whole number stands that has more digits than a number keeps.
fn rounded_number(json: &str) -> Option<Range<usize>> {
    let mut at = 0;
    while let Some(start) = json[at..].find(|c: char| c == '"' || c == '-' || c.is_ascii_digit()) {
        at += start;
        let rest = &json[at..];
        let length = match rest.strip_prefix('"') {
            Some(string) => 1 + string_length(string),
            None => rest.find([',', ']', '}', ' ', '\t', '\r', '\n']).unwrap_or(rest.len()),
        };
        let token = &rest[..length];
        let is_whole = token.bytes().all(|byte| byte == b'-' || byte.is_ascii_digit());
        if is_whole && number(token).is_none() {
            return Some(at..at + length);
        }
        at += length;
    }
    None
}

/// How far a JSON string goes, its closing quote included.
fn string_length(string: &str) -> usize {
    let mut is_escaped = false;
    let closes = |byte: u8| {
        let is_end = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        is_end
    };
    string.bytes().position(closes).map_or(string.len(), |at| at + 1)
}

fn check_choice(field: &Field, value: &Value) -> Result<(), String> {
    let text = text_of(value);
    if field.choices.is_empty() || field.choices.iter().any(|choice| *choice == text) {
        return Ok(());
    }
    Err(format!("is not one of {}: {}", field.choices.join("|"), quoted(&text)))
}

fn check_bounds(field: &Field, value: &Value) -> Result<(), String> {
    let (measured, what) = match value {
        Value::Number(number) => (number.as_f64(), ""),
        Value::String(text) => (Some(text.chars().count() as f64), " characters"),
        Value::Array(items) => (Some(items.len() as f64), " entries"),
        _ => (None, ""),
    };
    let Some(measured) = measured else { return Ok(()) };
    match (field.min, field.max) {
        (Some(min), _) if measured < min => Err(format!("is less than {min}{what}: {measured}")),
        (_, Some(max)) if measured > max => Err(format!("is more than {max}{what}: {measured}")),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn field(definition: &str) -> Field {
        let document = sfmd::parse(&format!("```act.a\nGET https://x\n  f: {definition}\n```\n"));
        document.actions[0].fields[0].clone()
    }

    #[test]
    fn values_get_the_declared_type() {
        let table = [
            ("string", json!("5"), Ok(json!("5"))),
            ("string", json!(5), Ok(json!("5"))),
            ("string", json!(["a", 1]), Ok(json!(["a", 1]))),
            ("number", json!("5"), Ok(json!(5))),
            ("number", json!("-3.5"), Ok(json!(-3.5))),
            ("number", json!("007"), Ok(json!(7))),
            ("number", json!("1e3"), Ok(json!(1000))),
            ("number", json!("1e300"), Ok(json!(1e300))),
            ("number", json!("18446744073709551615"), Ok(json!(u64::MAX))),
            ("number", json!("18446744073709551616"), Err("is no number: \"18446744073709551616\"")),
            ("number", json!(24), Ok(json!(24))),
            ("number", json!("inf"), Err("is no number: \"inf\"")),
            ("number", json!("NaN"), Err("is no number: \"NaN\"")),
            ("number", json!(""), Err("is no number: \"\"")),
            ("integer", json!("5.0"), Err("is no integer: \"5.0\"")),
            ("integer", json!("-7"), Ok(json!(-7))),
            ("boolean", json!("true"), Ok(json!(true))),
            ("boolean", json!(false), Ok(json!(false))),
            ("boolean", json!("False"), Ok(json!(false))),
            ("boolean", json!("yes"), Err("is no boolean: \"yes\"")),
            ("boolean", json!("1"), Err("is no boolean: \"1\"")),
            ("json", json!("{\"b\":1,\"a\":[null]}"), Ok(json!({"b": 1, "a": [null]}))),
            ("json", json!({"a": 1}), Ok(json!({"a": 1}))),
            ("json", json!("{"), Err("is no json: \"{\"")),
            (
                "json",
                json!("{\"a\\\" 99999999999999999999\": [1.5, -2e3, 12345678901234567890123]}"),
                Err("holds a number with too many digits, which a text could keep: 12345678901234567890123"),
            ),
            (
                "json",
                json!("[\"12345678901234567890123\", 18446744073709551615]"),
                Ok(json!(["12345678901234567890123", u64::MAX])),
            ),
            ("string (a|b)", json!("c"), Err("is not one of a|b: \"c\"")),
            ("string (a|b)", json!("b"), Ok(json!("b"))),
            ("number (min:1, max:14)", json!("0"), Err("is less than 1: 0")),
            ("number (min:1, max:14)", json!("14.5"), Err("is more than 14: 14.5")),
            ("string (min:2)", json!("é"), Err("is less than 2 characters: 1")),
            ("integer (1|2)", json!("2"), Ok(json!(2))),
        ];
        for (definition, value, expected) in table {
            let coerced = coerce(&field(definition), value.clone());
            assert_eq!(coerced, expected.map_err(str::to_owned), "{definition} {value}");
        }
    }
}
