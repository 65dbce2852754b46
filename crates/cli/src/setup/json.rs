//! Merging into JSON that may hold comments: everything but the one entry stays, to the letter.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstObject, CstObjectProp, CstRootNode};
use runtime::agent::settings::input;
use serde_json::{Map, Value};

use super::{CALLED, Merged, VARIABLES};

/// The key of an entry's arguments.
const ARGS: &str = "args";
/// The key of an entry's variables.
const ENV: &str = "env";

/// JSON as editors write it: with comments and commas at the end, and no further liberties.
const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// Puts an entry, made from the arguments that it has, under a key of the outermost object. Of an entry that is there
/// already, only what is ours changes.
pub(super) fn merge(
    text: &str,
    key: &str,
    name: &str,
    entry: impl FnOnce(&[String]) -> Map<String, Value>,
) -> Result<Merged, String> {
    let empty = text.trim().is_empty();
    let root = CstRootNode::parse(if empty { "{}\n" } else { text }, &OPTIONS)
        .map_err(|error| format!("it is not JSON: {error}"))?;
    let outer = root.object_value().ok_or("it does not hold an object")?;
    only(&outer, key)?;
    let servers = outer.object_value_or_create(key).ok_or(format!("its {key} is not an object"))?;
    match only(&servers, name)? {
        Some(known) => {
            let known = known.object_value_or_set();
            let args = only(&known, ARGS)?.and_then(|args| args.value()?.to_serde_value());
            let args = args.and_then(|args| serde_json::from_value::<Vec<String>>(args).ok());
            fill(&known, &entry(&args.unwrap_or_default()))?;
        }
        None => drop(servers.append(name, input(&Value::Object(entry(&[]))))),
    }
    let after = root.to_string();
    Ok(if after == text { Merged::Same } else { Merged::Changed(after) })
}

fn fill(known: &CstObject, entry: &Map<String, Value>) -> Result<(), String> {
    let variables = entry.get(ENV).and_then(Value::as_object);
    for (key, value) in entry.iter().filter(|(key, _)| *key != ENV) {
        set(known, key, Some(value))?;
    }
    for key in CALLED.into_iter().filter(|key| !entry.contains_key(*key)) {
        set(known, key, None)?;
    }
    match (only(known, ENV)?, variables) {
        (None, None) => {}
        (None, Some(new)) => drop(known.append(ENV, input(&Value::Object(new.clone())))),
        (Some(old), new) => {
            let inner = old.object_value_or_set();
            for name in VARIABLES {
                set(&inner, name, new.and_then(|new| new.get(name)))?;
            }
            if inner.properties().is_empty() {
                old.remove();
            }
        }
    }
    Ok(())
}

/// Gives a key its value, or takes it away. One that says the same stays to the letter.
fn set(object: &CstObject, key: &str, new: Option<&Value>) -> Result<(), String> {
    match (only(object, key)?, new) {
        (Some(known), Some(new)) => {
            if known.value().and_then(|value| value.to_serde_value()).as_ref() != Some(new) {
                known.set_value(input(new));
            }
        }
        (Some(known), None) => known.remove(),
        (None, Some(new)) => drop(object.append(key, input(new))),
        (None, None) => {}
    }
    Ok(())
}

/// The property of that name. Where there are two, readers differ in which one they believe.
fn only(object: &CstObject, name: &str) -> Result<Option<CstObjectProp>, String> {
    let mut named = object.properties().into_iter().filter(|one| one.decoded_name().as_deref() == Some(name));
    match (named.next(), named.next()) {
        (_, Some(_)) => Err(format!("it holds the key \"{name}\" twice in one object")),
        (found, None) => Ok(found),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn try_merge(text: &str, entry: &Value) -> Result<Merged, String> {
        merge(text, "mcpServers", "string", |_| entry.as_object().unwrap().clone())
    }

    fn merged_with(text: &str, entry: &Value) -> String {
        match try_merge(text, entry).unwrap() {
            Merged::Changed(text) => text,
            Merged::Same => "same".to_owned(),
        }
    }

    fn merged(text: &str) -> String {
        merged_with(text, &json!({"command": "/bin/string"}))
    }

    #[test]
    fn everything_else_stays_to_the_letter() {
        let before = "{\n\t// mine\n\t\"big\": 12345678901234567890123,\n\t\"mcpServers\": {\n\t\t\"other\": {\"x\": 1.50}, // keep\n\t},\n\t\"z\": [1,  2]\n}\n";
        let after = merged(before);
        for kept in ["// mine", "12345678901234567890123", "{\"x\": 1.50}", "// keep", "[1,  2]"] {
            assert!(after.contains(kept), "{kept}: {after}");
        }
        assert!(after.contains("\"command\": \"/bin/string\""), "{after}");
        assert_eq!(merged(&after), "same");
    }

    #[test]
    fn an_empty_file_is_filled_and_an_old_entry_replaced() {
        for text in [
            "",
            " \n",
            "{}",
            "{\"mcpServers\": {}}",
            "{\"mcpServers\": {\"string\": {\"command\": \"old\"}}}",
        ] {
            let after = merged(text);
            let value: Value =
                serde_json::from_str(&after).unwrap_or_else(|error| panic!("{error}: {after}"));
            assert_eq!(value, json!({"mcpServers": {"string": {"command": "/bin/string"}}}), "{text}");
        }
    }

    #[test]
    fn what_the_user_added_to_the_entry_stays() {
        let before = r#"{"mcpServers": {"string": {
            "url": "http://old", // gone
            "command": "old", "disabled": true, // mine
            "env": {"FOO": "1", "STRING_ROOT": "/old", "STRING_PORT": "1"}
        }}}"#;
        let entry = json!({"command": "/bin/string", "env": {"STRING_ROOT": "/new"}});
        let after = merged_with(before, &entry);
        assert!(after.contains("// mine"), "{after}");
        let value = CstRootNode::parse(&after, &OPTIONS).unwrap().to_serde_value().unwrap();
        let expected = json!({
            "command": "/bin/string",
            "disabled": true,
            "env": {"FOO": "1", "STRING_ROOT": "/new"},
        });
        assert_eq!(value["mcpServers"]["string"], expected);
        assert_eq!(merged_with(&after, &entry), "same");
        // A variable of ours that is not wanted any more goes, and the key with the last of them.
        let without = merged(&after);
        assert!(without.contains(r#""FOO": "1""#) && !without.contains("STRING_ROOT"), "{without}");
        let only_ours = merged_with("", &entry);
        assert!(!merged(&only_ours).contains("env"), "{}", merged(&only_ours));
    }

    #[test]
    fn a_key_that_is_there_twice_is_named() {
        for (text, key) in [
            (r#"{"mcpServers": {}, "mcpServers": {}}"#, "mcpServers"),
            (r#"{"mcpServers": {"string": {}, "str\u0069ng": {}}}"#, "string"),
            (r#"{"mcpServers": {"string": {"command": "a", "command": "b"}}}"#, "command"),
            (r#"{"mcpServers": {"string": {"env": {}, "env": {}}}}"#, "env"),
        ] {
            let error = try_merge(text, &json!({"command": "/bin/string"})).unwrap_err();
            assert!(error.contains(&format!("\"{key}\" twice")), "{error}");
        }
    }

    #[test]
    fn what_is_not_understood_is_an_error() {
        let merge = |text| try_merge(text, &json!({}));
        for text in ["{", "[]", "nonsense", "{\"mcpServers\": []}", "{\"a\": 1 \"b\": 2}", "{a: 1}", "{} {}"]
        {
            assert!(merge(text).is_err(), "{text}");
        }
    }
}
