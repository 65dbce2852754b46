//! YAML with the line and the written form of every value.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use serde_saphyr::Spanned;

use crate::warning::Warning;

/// Frontmatter is a page header; what is larger is data in the wrong place.
const MAX_BYTES: usize = 64 * 1024;
/// Enough for any header; stops alias bombs early.
const MAX_NODES: usize = 5_000;
const MAX_DEPTH: usize = 32;
const MAX_ALIASES: usize = 50;
/// Aliases may repeat text, but never beyond this.
const MAX_SCALAR_BYTES: usize = 1024 * 1024;

/// What the library says when one of these is exceeded.
const BREACH: &str = "budget breached";

/// A value and the line it is written on.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) content: Content,
    pub(super) line: usize,
}

#[derive(Clone, Debug)]
pub(super) enum Content {
    /// `written` is the text between the delimiters, which `value` may not keep: `1.10` is the number 1.1.
    Scalar {
        value: Value,
        written: String,
    },
    List(Vec<Node>),
    Map(Vec<(String, Node)>),
}

impl Node {
    /// A scalar as text, the way its author wrote it; nothing for an empty value.
    pub(super) fn text(&self) -> Option<String> {
        match &self.content {
            Content::Scalar { value: Value::Null, .. } => None,
            Content::Scalar { written, .. } => Some(written.clone()),
            Content::List(_) | Content::Map(_) => None,
        }
    }

    pub(super) fn is_null(&self) -> bool {
        matches!(self.content, Content::Scalar { value: Value::Null, .. })
    }

    pub(super) fn to_json(&self) -> Value {
        match &self.content {
            Content::Scalar { value, .. } => value.clone(),
            Content::List(items) => items.iter().map(Node::to_json).collect(),
            Content::Map(entries) => {
                Value::Object(entries.iter().map(|(key, node)| (key.clone(), node.to_json())).collect())
            }
        }
    }
}

/// Reads `text`, whose first line is line `first_line` of the file.
pub(super) fn read(text: &str, first_line: usize) -> Result<Node, Warning> {
    if text.len() > MAX_BYTES {
        let message = format!("frontmatter is longer than {} KB and is ignored", MAX_BYTES / 1024);
        return Err(Warning { line: first_line, message });
    }
    let options = serde_saphyr::options! {
        strict_booleans: true,
        with_snippet: false,
        budget: serde_saphyr::budget! {
            max_nodes: MAX_NODES,
            max_depth: MAX_DEPTH,
            max_aliases: MAX_ALIASES,
            max_total_scalar_bytes: MAX_SCALAR_BYTES,
        },
    };
    match serde_saphyr::from_str_with_options::<Spanned<Raw>>(text, options) {
        Ok(raw) => Ok(node(raw, text, first_line)),
        Err(error) => {
            let line = error.location().map_or(0, |at| (at.line() as usize).saturating_sub(1));
            let full = error.without_snippet().to_string();
            // The library counts lines from the header's first, and speaks of its own options.
            let message = full.split(" at line ").next().unwrap_or_default();
            let message = message.split(", set ").next().unwrap_or_default();
            // It tells of the limits below in its own terms.
            let message = match message.contains(BREACH) {
                true => {
                    format!(
                        "more than a header holds: {MAX_NODES} values, {MAX_ALIASES} aliases, {MAX_DEPTH} levels"
                    )
                }
                false => message.to_owned(),
            };
            Err(Warning { line: first_line + line, message: format!("frontmatter: {message}") })
        }
    }
}

fn node(raw: Spanned<Raw>, text: &str, first_line: usize) -> Node {
    let line = first_line + (raw.defined.line() as usize).saturating_sub(1);
    let content = match raw.value {
        Raw::Scalar(value) => {
            let written = match &value {
                Value::String(text) => text.clone(),
                _ => raw.defined.span().byte_offset().zip(raw.defined.span().byte_len()).map_or_else(
                    || value.to_string(),
                    |(at, len)| text.get(at as usize..(at + len) as usize).unwrap_or_default().to_owned(),
                ),
            };
            Content::Scalar { value, written }
        }
        Raw::List(items) => {
            Content::List(items.into_iter().map(|item| node(item, text, first_line)).collect())
        }
        Raw::Map(entries) => Content::Map(
            entries.into_iter().map(|(key, value)| (key, node(value, text, first_line))).collect(),
        ),
    };
    Node { content, line }
}

enum Raw {
    Scalar(Value),
    List(Vec<Spanned<Raw>>),
    Map(Vec<(String, Spanned<Raw>)>),
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RawVisitor)
    }
}

struct RawVisitor;

impl<'de> Visitor<'de> for RawVisitor {
    type Value = Raw;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Raw, E> {
        Ok(Raw::Scalar(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Raw, E> {
        Ok(Raw::Scalar(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Raw, E> {
        Ok(Raw::Scalar(value.into()))
    }

    fn visit_i128<E>(self, value: i128) -> Result<Raw, E> {
        Ok(Raw::Scalar((value as f64).into()))
    }

    fn visit_u128<E>(self, value: u128) -> Result<Raw, E> {
        Ok(Raw::Scalar((value as f64).into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Raw, E> {
        Ok(Raw::Scalar(value.into()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Raw, E> {
        Ok(Raw::Scalar(value.into()))
    }

    fn visit_unit<E>(self) -> Result<Raw, E> {
        Ok(Raw::Scalar(Value::Null))
    }

    fn visit_none<E>(self) -> Result<Raw, E> {
        Ok(Raw::Scalar(Value::Null))
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Raw, D::Error> {
        Raw::deserialize(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Raw, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Raw::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Raw, A::Error> {
        let mut map = Vec::new();
        while let Some(entry) = entries.next_entry()? {
            map.push(entry);
        }
        Ok(Raw::Map(map))
    }
}
