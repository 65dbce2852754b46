//! Changes of a JSON text that leave everything else in it to the letter.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstObjectProp, CstRootNode};
use serde_json::{Map, Value};

/// The text of `before`, with what is different in `after`.
pub(super) fn changed(
    text: &str,
    before: &Map<String, Value>,
    after: &Map<String, Value>,
) -> Result<String, String> {
    let root = CstRootNode::parse(text, &ParseOptions::default()).map_err(|error| error.to_string())?;
    let outer = root.object_value().ok_or("it does not hold an object")?;
    if before.is_empty() && !after.is_empty() {
        outer.ensure_multiline();
    }
    change(&outer, before, after)?;
    Ok(root.to_string())
}

fn change(object: &CstObject, before: &Map<String, Value>, after: &Map<String, Value>) -> Result<(), String> {
    for name in before.keys().filter(|name| !after.contains_key(*name)) {
        // A key that is there twice would come back.
        while let Some(property) = property(object, name) {
            property.remove();
        }
    }
    for (name, new) in after {
        let old = before.get(name);
        if old == Some(new) {
            continue;
        }
        match (property(object, name), old, new) {
            (None, _, new) => drop(object.append(name, input(new))),
            (Some(known), Some(Value::Object(old)), Value::Object(new)) => {
                change(&known.object_value().ok_or(format!("{name} is no object"))?, old, new)?;
            }
            (Some(known), _, new) => known.set_value(input(new)),
        }
    }
    Ok(())
}

/// The property of that name; of several, the last one counts.
fn property(object: &CstObject, name: &str) -> Option<CstObjectProp> {
    object.properties().into_iter().rfind(|one| one.decoded_name().as_deref() == Some(name))
}

/// A value as it is put into such a text.
pub fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(list) => CstInputValue::Array(list.iter().map(input).collect()),
        Value::Object(fields) => {
            CstInputValue::Object(fields.iter().map(|(key, value)| (key.clone(), input(value))).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(text: &str, after: &Value, kept: &[&str]) {
        let before: Map<String, Value> = serde_json::from_str(text).unwrap();
        let after = after.as_object().unwrap();
        let changed = changed(text, &before, after).unwrap();
        assert_eq!(serde_json::from_str::<Map<String, Value>>(&changed).unwrap(), *after, "{changed}");
        for part in kept {
            assert!(changed.contains(part), "{part}: {changed}");
        }
    }

    #[test]
    fn everything_else_stays_to_the_letter() {
        check("{}\n", &json!({"env": {"A": "1"}}), &["{\n  \"env\": {\n    \"A\": \"1\"\n  }\n}\n"]);
        check(
            "{\"d\": 0.10,  \"e\": 1e2,\n \"env\": {\"A\": \"x\"}, \"z\": [ 1 ]}",
            &json!({"d": 0.1, "e": 100.0, "env": {"A": "x", "B": "a\"b"}, "z": [1]}),
            &["{\"d\": 0.10,  \"e\": 1e2,\n \"env\": {", "}, \"z\": [ 1 ]}"],
        );
        check(
            "{\"a\": 1, \"a\": 2, \"b\": 3.0}",
            &json!({"a": 4, "b": 3.0}),
            &["\"a\": 1, \"a\": 4, \"b\": 3.0"],
        );
        check("{\"a\": 1, \"a\": 2, \"b\": {\"c\": 2}}", &json!({"b": {}}), &["\"b\": {"]);
    }
}
