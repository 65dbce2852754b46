//! How a value may stand in a text: as it is, and as addresses, JSON, scripts and shells write it.
//!
//! Of a value of several lines the words that look like secrets are known as well, since whoever shows it indents, joins
//! or escapes the lines.

use std::collections::BTreeSet;

use crate::substitute;

/// Shorter values are words like `KR` or `en`: taking them out of a text would only make it unreadable.
const SHORTEST: usize = 4;
/// The same for a word in a value of several lines.
const SHORTEST_WORD: usize = 12;
/// So many words of one value are looked for. A longer one is no key but a document.
const WORDS_MAX: usize = 500;

/// Every text that gives a value away; none for a value that is no secret.
pub fn spellings(value: &str) -> BTreeSet<String> {
    if value.chars().nth(SHORTEST - 1).is_none() {
        return BTreeSet::new();
    }
    let is_long = value.trim_end().contains('\n');
    let words = value.split(|c: char| c.is_whitespace() || "\"',;".contains(c));
    let words = words.filter(|word| is_long && looks_secret(word)).take(WORDS_MAX);
    [value].into_iter().chain(words).flat_map(written).collect()
}

/// Letters of both kinds, or letters and digits: hardly a word of any language, and no ruler.
fn looks_secret(word: &str) -> bool {
    let kinds = [char::is_ascii_lowercase, char::is_ascii_uppercase, char::is_ascii_digit];
    let several = kinds.iter().filter(|is_kind| word.chars().filter(*is_kind).nth(1).is_some());
    word.chars().nth(SHORTEST_WORD - 1).is_some() && several.count() > 1
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
            ("-- BEGIN --\nMIIEvQIBADANBg\n-- END --", "  MIIEvQIBADANBg"),
            ("{\r\n  \"key\": \"s3cr3t/s3cr3t\"\r\n}", r"key=s3cr3t%2Fs3cr3t"),
        ] {
            assert!(spellings(value).iter().any(|text| shown.contains(text)), "{value:?} in {shown:?}");
        }
    }

    #[test]
    fn words_are_no_secrets() {
        assert!(spellings("KR").is_empty());
        for (value, ordinary) in [
            ("Heading here\n==========\n----------\n", "=========="),
            ("Some configuration\nof something\n", "configuration"),
            ("{\n  \"a\": 1\n}", "\"a\": 1"),
        ] {
            assert!(spellings(value).iter().all(|text| !ordinary.contains(text)), "{value:?}");
        }
        let bundle: String =
            (0..3_500).map(|n| format!("{n:04}MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj\n")).collect();
        assert!(spellings(&bundle).len() <= 6 * (WORDS_MAX + 1));
    }

    #[test]
    fn a_plain_value_has_one_spelling() {
        assert_eq!(spellings("hunter2hunter2").len(), 1);
    }
}
