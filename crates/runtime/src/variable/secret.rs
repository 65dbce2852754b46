//! Values of the `$NAME` files: they cannot be printed by mistake, and are taken out of what is shown.

use std::fmt;
use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, MatchKind};
use serde_json::Value;

use super::spelling::spellings;
use crate::error::Error;

/// A value that shows itself only when asked to.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Box<str>);

/// Values to take out of texts, each with the name that is shown instead.
#[derive(Debug, Default)]
pub struct Secrets {
    texts: Vec<Secret>,
    /// What is shown instead of each.
    names: Vec<String>,
    /// Looks for all of them at once; made when it is first needed.
    finder: OnceLock<Option<AhoCorasick>>,
}

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
        let mut all = Self::default();
        for (name, secret) in values {
            for text in spellings(secret.reveal()) {
                all.texts.push(Secret::new(text));
                all.names.push(format!("${name}"));
            }
        }
        all
    }

    /// The text with every value replaced by its name.
    pub fn redact(&self, text: &str) -> String {
        match self.finder() {
            Some(finder) => finder.replace_all(text, &self.names),
            None => text.to_owned(),
        }
    }

    /// None if there is nothing to look for.
    fn finder(&self) -> Option<&AhoCorasick> {
        let texts = || self.texts.iter().map(Secret::reveal);
        let make = || {
            // Of a value that is part of another, the longer one is meant.
            let built = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(texts());
            built.expect("values are bounded, and so is what looks for them")
        };
        self.finder.get_or_init(|| (!self.texts.is_empty()).then(make)).as_ref()
    }

    /// The same for every text in a value, names of fields included.
    pub fn redact_value(&self, value: Value) -> Value {
        match value {
            _ if self.texts.is_empty() => value,
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
