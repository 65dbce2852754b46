//! Values as they are looked into and shown.

use std::borrow::Cow;

use serde_json::Value;
use sfmd::Step;

/// A value as text: strings as they are, nothing for null, anything else as JSON.
pub fn text_of(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) => Cow::Borrowed(text),
        Value::Null => Cow::Borrowed(""),
        other => Cow::Owned(other.to_string()),
    }
}

/// The value that the steps lead to.
pub fn walk<'v>(value: &'v Value, steps: &[Step]) -> Option<Cow<'v, Value>> {
    let mut current = value;
    for (at, step) in steps.iter().enumerate() {
        current = match (step, current) {
            (Step::Key(key), Value::Object(map)) if map.contains_key(key) => map.get(key)?,
            // `Response.headers["Content-Type"]`: names of headers have no case.
            (Step::Key(key), Value::Object(map)) if at > 0 && is_headers(&steps[at - 1]) => {
                map.iter().find(|(name, _)| name.eq_ignore_ascii_case(key))?.1
            }
            (Step::Key(key), _) if key == "length" => {
                let length = Value::from(length(current)?);
                // A number has nothing inside.
                return steps[at + 1..].is_empty().then_some(Cow::Owned(length));
            }
            (Step::Index(index), Value::Array(items)) => items.get(position(*index, items.len())?)?,
            _ => return None,
        };
    }
    Some(Cow::Borrowed(current))
}

/// There, and not empty, zero or false.
pub fn is_truthy(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(value) => *value,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(map) => !map.is_empty(),
    }
}

fn is_headers(step: &Step) -> bool {
    matches!(step, Step::Key(key) if key == "headers")
}

fn length(value: &Value) -> Option<usize> {
    match value {
        Value::Array(items) => Some(items.len()),
        Value::String(text) => Some(text.chars().count()),
        Value::Object(map) => Some(map.len()),
        _ => None,
    }
}

fn position(index: i64, length: usize) -> Option<usize> {
    match usize::try_from(index) {
        Ok(index) => Some(index),
        Err(_) => length.checked_sub(usize::try_from(index.unsigned_abs()).ok()?),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use sfmd::Path;

    use super::*;

    #[test]
    fn paths_lead_into_json() {
        let value = json!({"items": [{"id": "a"}, {"id": "é2"}], "length": "own", "n": 5, "none": null,
                           "headers": {"content-type": "a/b"}});
        let table = [
            ("r.items[0].id", Some(json!("a"))),
            ("r.items[-1].id", Some(json!("é2"))),
            ("r.items[-3]", None),
            ("r.items[2]", None),
            ("r.items.length", Some(json!(2))),
            ("r.items[1].id.length", Some(json!(2))),
            ("r.items.length.x", None),
            ("r.length", Some(json!("own"))),
            ("r.n", Some(json!(5))),
            ("r.n.length", None),
            ("r.none", Some(json!(null))),
            ("r.nope", None),
            ("r.headers[\"Content-Type\"]", Some(json!("a/b"))),
            ("r.headers.other", None),
            ("r.N", None),
            ("r.n[0]", None),
        ];
        for (path, expected) in table {
            let path = Path::parse(path).unwrap();
            assert_eq!(walk(&value, &path.steps).map(Cow::into_owned), expected, "{path}");
        }
    }

    #[test]
    fn values_read_as_text() {
        let table = [
            (json!("a \"b\""), "a \"b\"", true),
            (json!(null), "", false),
            (json!(0), "0", false),
            (json!(24), "24", true),
            (json!(false), "false", false),
            (json!([]), "[]", false),
            (json!({"b": 1, "a": [true]}), "{\"b\":1,\"a\":[true]}", true),
            (json!(""), "", false),
        ];
        for (value, text, truthy) in table {
            assert_eq!(text_of(&value), text);
            assert_eq!(is_truthy(&value), truthy, "{value}");
        }
    }
}
