//! Merging into JSON that may hold comments: everything but the one entry stays, to the letter.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstRootNode};
use serde_json::Value;

use super::Merged;

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

/// Puts an entry under a key of the outermost object.
pub(super) fn merge(text: &str, key: &str, name: &str, entry: &Value) -> Result<Merged, String> {
    let empty = text.trim().is_empty();
    let root = CstRootNode::parse(if empty { "{}\n" } else { text }, &OPTIONS)
        .map_err(|error| format!("it is not JSON: {error}"))?;
    let outer = root.object_value().ok_or("it does not hold an object")?;
    let servers = outer.object_value_or_create(key).ok_or(format!("its {key} is not an object"))?;
    match servers.get(name) {
        Some(known) if known.value().and_then(|value| value.to_serde_value()).as_ref() == Some(entry) => {
            return Ok(Merged::Same);
        }
        Some(known) => known.set_value(input(entry)),
        None => drop(servers.append(name, input(entry))),
    }
    Ok(Merged::Changed(root.to_string()))
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(list) => CstInputValue::Array(list.iter().map(input).collect()),
        Value::Object(map) => {
            CstInputValue::Object(map.iter().map(|(key, value)| (key.clone(), input(value))).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn merged(text: &str) -> String {
        match merge(text, "mcpServers", "string", &json!({"command": "/bin/string"})).unwrap() {
            Merged::Changed(text) => text,
            Merged::Same => "same".to_owned(),
        }
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
    fn what_is_not_understood_is_an_error() {
        let merge = |text| merge(text, "mcpServers", "string", &json!({}));
        for text in ["{", "[]", "nonsense", "{\"mcpServers\": []}", "{\"a\": 1 \"b\": 2}", "{a: 1}", "{} {}"]
        {
            assert!(merge(text).is_err(), "{text}");
        }
    }
}
