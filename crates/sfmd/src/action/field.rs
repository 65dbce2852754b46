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
    let mut parts = Parts { field, requiredness: None, problems: Vec::new() };
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
    /// Whether it was called required or optional.
    requiredness: Option<bool>,
    problems: Vec<String>,
}

enum Constraint {
    Required(bool),
    Min(f64),
    Max(f64),
    Choices(Vec<String>),
}

impl Constraint {
    fn parse(text: &str) -> Option<Self> {
        let bound = |number: &str| number.trim().parse().ok().filter(|number: &f64| number.is_finite());
        let choices = text.split('|').map(str::trim).filter(|choice| !choice.is_empty());
        match (text, text.split_once(':')) {
            ("required", _) => Some(Self::Required(true)),
            ("optional", _) => Some(Self::Required(false)),
            _ if text.contains('|') => Some(Self::Choices(choices.map(str::to_owned).collect())),
            (_, Some(("min", number))) => bound(number).map(Self::Min),
            (_, Some(("max", number))) => bound(number).map(Self::Max),
            _ => None,
        }
    }
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
        self.check_bounds();
        self.check_default();
    }

    /// Of what is given twice the last counts.
    fn constraints<'a>(&mut self, text: &'a str) -> Option<&'a str> {
        let (inner, after) = text.split_once(')')?;
        for constraint in inner.split(',').map(str::trim).filter(|constraint| !constraint.is_empty()) {
            let known = match Constraint::parse(constraint) {
                Some(Constraint::Required(required)) => {
                    self.field.required = required;
                    let is_other =
                        self.requiredness.replace(required).is_some_and(|before| before != required);
                    is_other.then_some("it is called both required and optional")
                }
                Some(Constraint::Min(min)) => self.field.min.replace(min).map(|_| "min is given twice"),
                Some(Constraint::Max(max)) => self.field.max.replace(max).map(|_| "max is given twice"),
                Some(Constraint::Choices(choices)) => {
                    let before = std::mem::replace(&mut self.field.choices, choices);
                    (!before.is_empty()).then_some("the choices are given twice")
                }
                None => {
                    self.problems.push(format!("there is no constraint ({constraint})"));
                    None
                }
            };
            self.problems.extend(known.map(str::to_owned));
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
            Some(value) => {
                if self.field.default.replace(value).is_some() {
                    self.problems.push("the default is given twice".to_owned());
                }
            }
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

    fn check_bounds(&mut self) {
        if let (Some(min), Some(max)) = (self.field.min, self.field.max)
            && min > max
        {
            self.problems.push(format!("no value fits it: min {min} is more than max {max}"));
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
