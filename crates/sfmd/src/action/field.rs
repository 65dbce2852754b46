//! Reading a field: `name[, -x]: type [(constraints)] ["description"] [= default]`.

use serde_json::Value;

use super::option::word;
use super::{Field, FieldType};

/// A field and what of it could not be understood; nothing if the line is no field.
pub(super) fn parse(text: &str, line: usize) -> Option<(Field, Vec<String>)> {
    let (head, rest) = text.split_once(':')?;
    let (name, short) = head.split_once(',').map_or((head, None), |(name, short)| (name, Some(short)));
    let name = name.trim_end();
    is_field_name(name).then_some(())?;
    let short = match short {
        Some(short) => Some(short_flag(short.trim())?),
        None => None,
    };
    let rest = rest.trim_start();
    let type_end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
    let field = Field {
        name: name.to_owned(),
        short,
        field_type: FieldType::parse(&rest[..type_end])?,
        required: false,
        choices: Vec::new(),
        min: None,
        max: None,
        description: None,
        default: None,
        line,
    };
    let mut parts = Parts { field, problems: Vec::new() };
    parts.read(&rest[type_end..]);
    Some((parts.field, parts.problems))
}

pub(super) fn is_type(word: &str) -> bool {
    FieldType::parse(word).is_some()
}

/// `[a-zA-Z_][a-zA-Z0-9_-]*`
fn is_field_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

fn short_flag(text: &str) -> Option<char> {
    let mut chars = text.strip_prefix('-')?.chars();
    let flag = chars.next().filter(char::is_ascii_alphabetic)?;
    chars.next().is_none().then_some(flag)
}

struct Parts {
    field: Field,
    problems: Vec<String>,
}

impl Parts {
    /// The parts after the type, in any order.
    fn read(&mut self, text: &str) {
        let mut rest = text.trim_start();
        while let Some(first) = rest.chars().next() {
            let after = match first {
                '(' => self.constraints(&rest[1..]),
                '"' | '\'' => self.description(rest),
                '=' => self.default(rest[1..].trim_start()),
                _ => None,
            };
            let Some(after) = after else {
                self.problems.push("the end of the line cannot be understood".to_owned());
                return;
            };
            rest = after.trim_start();
        }
        self.check_default();
    }

    fn constraints<'a>(&mut self, text: &'a str) -> Option<&'a str> {
        let (inner, after) = text.split_once(')')?;
        for constraint in inner.split(',').map(str::trim).filter(|constraint| !constraint.is_empty()) {
            let bound =
                |prefix: &str| constraint.strip_prefix(prefix).and_then(|number| number.trim().parse().ok());
            if constraint == "required" {
                self.field.required = true;
            } else if constraint == "optional" {
                self.field.required = false;
            } else if let Some(min) = bound("min:").filter(|min: &f64| min.is_finite()) {
                self.field.min = Some(min);
            } else if let Some(max) = bound("max:").filter(|max: &f64| max.is_finite()) {
                self.field.max = Some(max);
            } else if constraint.contains('|') {
                let choices = constraint.split('|').map(|choice| choice.trim().to_owned());
                self.field.choices = choices.filter(|choice| !choice.is_empty()).collect();
            } else {
                self.problems.push(format!("there is no constraint ({constraint})"));
            }
        }
        Some(after)
    }

    fn description<'a>(&mut self, text: &'a str) -> Option<&'a str> {
        let (description, after) = quoted(text)?;
        if self.field.description.replace(description).is_some() {
            self.problems.push("the description is given twice".to_owned());
        }
        Some(after)
    }

    fn default<'a>(&mut self, text: &'a str) -> Option<&'a str> {
        let (value, after) = match self.field.field_type {
            FieldType::Json => json(text)?,
            _ if text.starts_with(['"', '\'']) => {
                let (value, after) = quoted(text)?;
                (self.typed(&value), after)
            }
            _ => {
                let end = text.find(char::is_whitespace).unwrap_or(text.len());
                (self.typed(&text[..end]).filter(|_| end > 0), &text[end..])
            }
        };
        match value {
            Some(value) => self.field.default = Some(value),
            None => self.problems.push(format!("the default is no {}", self.field.field_type.name())),
        }
        Some(after)
    }

    fn typed(&self, text: &str) -> Option<Value> {
        match self.field.field_type {
            FieldType::String | FieldType::Path => Some(text.into()),
            FieldType::Number => serde_json::from_str(text).ok().filter(Value::is_number),
            FieldType::Integer => text.parse::<i64>().ok().map(Value::from),
            FieldType::Boolean => text.parse::<bool>().ok().map(Value::from),
            FieldType::Json => serde_json::from_str(text).ok(),
        }
    }

    fn check_default(&mut self) {
        let Some(default) = self.field.default.as_ref() else { return };
        let text = default.as_str().map_or_else(|| default.to_string(), str::to_owned);
        if !self.field.choices.is_empty() && !self.field.choices.contains(&text) {
            self.problems.push("the default is not among the choices".to_owned());
        }
    }
}

/// A quoted text at the start, and what follows it.
fn quoted(text: &str) -> Option<(String, &str)> {
    let open = text.chars().next()?;
    let mut escaped = false;
    let close = text[1..].find(|c| {
        let closes = c == open && !escaped;
        escaped = c == '\\' && open == '"' && !escaped;
        closes
    })?;
    let (inner, after) = text.split_at(close + 2);
    word(inner).map(|(value, _)| (value, after))
}

/// One JSON value at the start, or a problem with it, and what follows.
fn json(text: &str) -> Option<(Option<Value>, &str)> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter();
    let value = values.next()?.ok();
    let after = if value.is_some() { &text[values.byte_offset()..] } else { "" };
    Some((value, after))
}
