//! Values of the `$NAME` files: they cannot be printed by mistake, and are taken out of what is shown.

use std::fmt;

use serde_json::Value;

use super::spelling::spellings;
use crate::error::Error;

/// A value that shows itself only when asked to.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Box<str>);

/// Values to take out of texts, each with the name that is shown instead.
#[derive(Debug, Default)]
pub struct Secrets(Vec<(String, Secret)>);

impl Secret {
    pub fn new(value: impl Into<Box<str>>) -> Self {
        Self(value.into())
    }

    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl Secrets {
    pub fn new<'a>(values: impl IntoIterator<Item = (&'a str, &'a Secret)>) -> Self {
        let mut all = Vec::new();
        for (name, secret) in values {
            all.extend(
                spellings(secret.reveal()).into_iter().map(|text| (format!("${name}"), Secret::new(text))),
            );
        }
        // A value that is part of another must not be taken out first.
        all.sort_by_key(|(_, secret)| std::cmp::Reverse(secret.reveal().len()));
        Self(all)
    }

    /// The text with every value replaced by its name.
    pub fn redact(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, (name, secret)| match text.contains(secret.reveal()) {
            true => text.replace(secret.reveal(), name),
            false => text,
        })
    }

    /// The same for every text in a value, names of fields included.
    pub fn redact_value(&self, value: Value) -> Value {
        match value {
            _ if self.0.is_empty() => value,
            Value::String(text) => self.redact(&text).into(),
            Value::Array(items) => items.into_iter().map(|item| self.redact_value(item)).collect(),
            Value::Object(fields) => fields
                .into_iter()
                .map(|(name, value)| (self.redact(&name), self.redact_value(value)))
                .collect(),
            Value::Null | Value::Bool(_) | Value::Number(_) => value,
        }
    }

    pub fn redact_error(&self, error: Error) -> Error {
        Error {
            code: error.code,
            message: self.redact(&error.message),
            hints: error.hints.iter().map(|hint| self.redact(hint)).collect(),
            body: error.body.map(|body| self.redact(&body)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_replaced_by_their_names() {
        let (key, part, short) = (Secret::new("sk-abc/123"), Secret::new("sk-abc"), Secret::new("KR"));
        let secrets = Secrets::new([("PART", &part), ("KEY", &key), ("REGION", &short)]);
        assert_eq!(
            secrets.redact("GET /?k=sk-abc%2F123&r=KR with sk-abc/123, sk-abc"),
            "GET /?k=$KEY&r=KR with $KEY, $PART"
        );
        assert_eq!(format!("{key:?}"), "Secret(…)");
        let value = serde_json::json!({"a": ["sk-abc", 1], "sk-abc/123": {"b": "x"}});
        assert_eq!(secrets.redact_value(value), serde_json::json!({"a": ["$PART", 1], "$KEY": {"b": "x"}}));
    }
}
