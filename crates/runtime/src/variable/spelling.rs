//! How a value may stand in a text: as it is, and as addresses, JSON, scripts and shells write it.
//!
//! A value of several lines is also looked for line by line, since whoever shows it indents, joins or escapes the lines.

use std::collections::BTreeSet;

use crate::substitute;

/// Shorter values are words like `KR` or `en`: taking them out of a text would only make it unreadable.
const SHORTEST: usize = 4;
/// A line of less says little about the others, and may stand anywhere.
const SHORTEST_LINE: usize = 8;

/// Every text that gives a value away; none for a value that is no secret.
pub fn spellings(value: &str) -> BTreeSet<String> {
    if !is_at_least(value, SHORTEST) {
        return BTreeSet::new();
    }
    let lines = value.lines().map(str::trim).filter(|line| is_at_least(line, SHORTEST_LINE));
    [value].into_iter().chain(lines).flat_map(written).collect()
}

fn written(text: &str) -> [String; 6] {
    let json = in_json(text);
    [
        text.to_owned(),
        substitute::encoded(text),
        in_json(&json),
        json,
        // As scripts show a text among others: between single quotes.
        text.replace('\\', "\\\\"),
        text.replace('\'', "'\\''"),
    ]
}

/// The text as JSON has it, without the quotes around it.
fn in_json(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

fn is_at_least(text: &str, length: usize) -> bool {
    text.chars().nth(length - 1).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_known_in_every_dress() {
        for (value, shown) in [
            ("sk-abc/123", "?k=sk-abc%2F123"),
            (r#"ab"cd\ef"#, r#"ab"cd\ef"#),
            (r#"ab"cd\ef"#, r#"{"a":"ab\"cd\\ef"}"#),
            (r#"ab"cd\ef"#, r#"{"a":"{\"b\":\"ab\\\"cd\\\\ef\"}"}"#),
            (r#"ab"cd\ef"#, r#"[ 'ab"cd\\ef' ]"#),
            ("it's it", r"echo 'it'\''s it'"),
            ("-- BEGIN --\nMIIEvQIB\n-- END --", "  MIIEvQIB"),
            ("a\r\n  \"private\": \"x\\y\"\r\n", r#"\"private\": \"x\\y\""#),
        ] {
            assert!(spellings(value).iter().any(|text| shown.contains(text)), "{value:?} in {shown:?}");
        }
    }

    #[test]
    fn words_are_no_secrets() {
        assert!(spellings("KR").is_empty());
        assert!(!spellings("{\n  \"a\": 1\n}").contains("\"a\": 1"));
    }

    #[test]
    fn a_plain_value_has_one_spelling() {
        assert_eq!(spellings("hunter2hunter2").len(), 1);
    }
}
