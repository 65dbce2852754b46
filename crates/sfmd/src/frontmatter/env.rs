//! The `$variables` that a document requires: `env:` and its older spelling `requires:`.

use std::fmt;

use super::yaml::{Content, Node};
use crate::warning::Warnings;

/// One `$variable` that must have a value before the document's actions run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// Without the `$`.
    pub name: String,
    pub description: Option<String>,
    pub default: Option<String>,
    pub line: usize,
}

/// `$API_KEY — "OpenWeather API key"`, on one line.
impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "${}", self.name)?;
        let Some(description) = &self.description else { return Ok(()) };
        write!(f, " — \"{}\"", description.split_whitespace().collect::<Vec<_>>().join(" "))
    }
}

/// `[a-zA-Z_][a-zA-Z0-9_]*`, the name of a variable without `$` or braces.
pub fn is_variable_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// Adds the entries of an `env:` list: `NAME: "text"` with an optional sibling `default:`, a bare name, or
/// `{name, description, default}`.
pub(super) fn read_env(node: &Node, into: &mut Vec<Requirement>, warnings: &mut Warnings) {
    read_list(node, "env", into, warnings, |item, warnings| match &item.content {
        Content::Map(entries) => from_map(entries, item.line, warnings),
        _ => from_name(item),
    });
}

/// Adds the names of a `requires:` list.
pub(super) fn read_requires(node: &Node, into: &mut Vec<Requirement>, warnings: &mut Warnings) {
    read_list(node, "requires", into, warnings, |item, _| from_name(item));
}

fn read_list(
    node: &Node,
    key: &str,
    into: &mut Vec<Requirement>,
    warnings: &mut Warnings,
    read_item: impl Fn(&Node, &mut Warnings) -> Option<Requirement>,
) {
    let Content::List(items) = &node.content else {
        if !node.is_null() {
            warnings.add(node.line, || format!("{key}: must be a list"));
        }
        return;
    };
    for item in items {
        match read_item(item, warnings) {
            Some(requirement) => merge(requirement, into),
            None => warnings.add(item.line, || format!("{key}: entry names no variable")),
        }
    }
}

/// A name may stand in both lists; what one of them leaves out, the other fills in.
fn merge(requirement: Requirement, into: &mut Vec<Requirement>) {
    match into.iter_mut().find(|known| known.name == requirement.name) {
        Some(known) => {
            known.description = known.description.take().or(requirement.description);
            known.default = known.default.take().or(requirement.default);
        }
        None => into.push(requirement),
    }
}

fn from_name(item: &Node) -> Option<Requirement> {
    Some(Requirement { name: variable(&item.text()?)?, description: None, default: None, line: item.line })
}

fn from_map(entries: &[(String, Node)], line: usize, warnings: &mut Warnings) -> Option<Requirement> {
    let get = |wanted: &str| entries.iter().find(|(key, _)| key == wanted).map(|(_, node)| node);
    let named = get("name").and_then(Node::text).and_then(|name| variable(&name));
    let (name, description) = match named {
        Some(name) => (name, get("description")),
        None => {
            let (key, description) = entries.iter().find(|(key, _)| key != "default")?;
            (variable(key)?, Some(description))
        }
    };
    let mut text = |what: &str, node: Option<&Node>| {
        let node = node?;
        if node.text().is_none() && !node.is_null() {
            warnings.add(node.line, || format!("env: the {what} of {name} is no text, and is left out"));
        }
        node.text()
    };
    let (description, default) = (text("description", description), text("default", get("default")));
    Some(Requirement { name, description, default, line })
}

fn variable(text: &str) -> Option<String> {
    let name = text.strip_prefix('$').unwrap_or(text);
    is_variable_name(name).then(|| name.to_owned())
}
