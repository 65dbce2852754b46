//! Values in a body: JSON, or a form.

use serde::de::IgnoredAny;
use serde_json::Value;

use super::{Content, Filled, Part, address};

/// A body of JSON: inside a JSON string a value is escaped, elsewhere it is JSON itself.
pub fn json_body(filled: &Filled<'_>) -> String {
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
            Part::Value(inserted) => out.push_str(&as_json(&inserted.content)),
        }
    }
    out
}

/// Whether the author's text is JSON, whatever its values are. A text that is one value alone is none.
pub fn is_json(filled: &Filled<'_>) -> bool {
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
    let begins = text.trim_start().starts_with(['{', '[']);
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

fn as_json(content: &Content) -> String {
    match content {
        Content::Value(value) => value.to_string(),
        Content::Json(text) => text.clone(),
        Content::Words(words) => Value::from(words.clone()).to_string(),
        Content::Absent => "null".to_owned(),
    }
}
