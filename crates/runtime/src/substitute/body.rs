//! Values in JSON, of a body or of a word, and in a form.

use serde::de::IgnoredAny;
use serde_json::Value;

use super::{Content, Filled, Part, address, text};
use crate::error::{Code, Error, Result};

/// A body of JSON: inside a JSON string a value is escaped, elsewhere it is JSON itself.
pub fn json_body(filled: &Filled<'_>) -> String {
    written(filled, as_json)
}

/// A typed word that is read as JSON. What is JSON as typed keeps its shape, as a body does; outside of its
/// strings, where a command line knows no types, a text that reads as a number, `true`, `false` or `null` is one.
/// A word that is one value alone is that value's text, whatever it says.
pub fn json_word(filled: &Filled<'_>) -> Result<String> {
    let text = text(filled);
    if is_one_value(filled) {
        return Ok(text);
    }
    if reads_as_json(filled, &['{', '[', '"']) {
        return Ok(written(filled, as_typed));
    }
    let value = serde_json::from_str::<Value>(&text);
    let has_values = filled.parts.iter().any(|part| matches!(part, Part::Value(_)));
    if has_values && value.is_ok_and(|value| value.is_array() || value.is_object()) {
        return Err(Error::new(Code::InvalidParams, "A value would change what the JSON means.").hint(
            "Each value stands in a string of the JSON, or in the place of one: \"{\\\"a\\\": \\\"{x}\\\"}\"",
        ));
    }
    Ok(text)
}

fn written(filled: &Filled<'_>, bare: fn(&Content) -> String) -> String {
    let mut out = String::new();
    let mut position = Position::default();
    for part in &filled.parts {
        match part {
            Part::Text(text) => {
                position.pass(text);
                out.push_str(text);
            }
            Part::Dollar => {
                position.pass("$");
                out.push('$');
            }
            Part::Value(inserted) if position.in_string => {
                // A backslash of the author's before a value would swallow the value's first character.
                if std::mem::take(&mut position.escaped) {
                    out.push('\\');
                }
                out.push_str(&escaped(&inserted.text()));
            }
            Part::Value(inserted) => out.push_str(&bare(&inserted.content)),
        }
    }
    out
}

/// Whether the author's text is JSON, whatever its values are. A text that is one value alone is none.
pub fn is_json(filled: &Filled<'_>) -> bool {
    reads_as_json(filled, &['{', '['])
}

fn reads_as_json(filled: &Filled<'_>, first: &[char]) -> bool {
    let mut text = String::new();
    let mut position = Position::default();
    for part in &filled.parts {
        match part {
            Part::Value(_) if position.in_string => position.escaped = false,
            Part::Value(_) => text.push_str("null"),
            own => {
                position.pass(&own.text());
                text.push_str(&own.text());
            }
        }
    }
    let begins = text.trim_start().starts_with(first);
    begins && serde_json::Deserializer::from_str(&text).into_iter::<IgnoredAny>().all(|part| part.is_ok())
}

/// A body as forms send it: each value percent-encoded.
pub fn form_body(filled: &Filled<'_>) -> String {
    let encode = |part: &Part<'_>| match part {
        Part::Value(inserted) => address::encoded(&inserted.text()),
        other => other.text().into_owned(),
    };
    filled.parts.iter().map(encode).collect()
}

/// Where in a JSON text the next character stands.
#[derive(Default)]
struct Position {
    in_string: bool,
    escaped: bool,
}

impl Position {
    fn pass(&mut self, text: &str) {
        for c in text.chars() {
            match c {
                _ if self.escaped => self.escaped = false,
                '\\' if self.in_string => self.escaped = true,
                '"' => self.in_string = !self.in_string,
                _ => {}
            }
        }
    }
}

/// The text as it stands between the quotes of a JSON string.
fn escaped(text: &str) -> String {
    let quoted = Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

/// Whether there is one value, with nothing but spaces around it.
fn is_one_value(filled: &Filled<'_>) -> bool {
    let is_value = |part: &&Part<'_>| matches!(part, Part::Value(_));
    let (values, texts): (Vec<&Part<'_>>, Vec<&Part<'_>>) = filled.parts.iter().partition(is_value);
    values.len() == 1 && texts.iter().all(|part| part.text().trim().is_empty())
}

fn as_typed(content: &Content) -> String {
    if let Content::Value(Value::String(text)) = content
        && let Ok(Value::Number(_) | Value::Bool(_) | Value::Null) = serde_json::from_str(text)
    {
        return text.clone();
    }
    as_json(content)
}

fn as_json(content: &Content) -> String {
    match content {
        Content::Value(value) => value.to_string(),
        Content::Json(text) => text.clone(),
        Content::Words(words) => Value::from(words.clone()).to_string(),
        Content::Absent => "null".to_owned(),
    }
}
