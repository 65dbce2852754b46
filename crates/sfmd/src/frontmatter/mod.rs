//! The YAML header of a document: known keys as types, everything else kept.

mod env;
mod yaml;

use std::ops::Range;

use serde_json::Value;

pub use env::{Requirement, is_variable_name};

use crate::warning::Warnings;
use yaml::{Content, Node};

/// What a package is installed as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PackageType {
    App,
    Tool,
}

/// A value and the line of the file it is written on.
#[derive(Clone, Debug, PartialEq)]
pub struct Located<T> {
    pub value: T,
    pub line: usize,
}

/// The header of a document; all fields are empty where there is none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frontmatter {
    /// The lines it takes, with both `---`; empty where there is none.
    pub lines: Range<usize>,
    pub title: Option<String>,
    pub name: Option<String>,
    pub namespace: Option<String>,
    /// The key `type`.
    pub package_type: Option<PackageType>,
    pub version: Option<String>,
    pub description: Option<String>,
    pub author: Option<String>,
    pub tags: Vec<String>,
    /// The action that runs when the document is opened.
    pub default: Option<String>,
    pub default_line: usize,
    /// From `env` and `requires`, each name once.
    pub env: Vec<Requirement>,
    pub state: Option<Located<Value>>,
    pub vault: Option<Located<Value>>,
    /// Keys that this crate gives no meaning, in their order.
    pub other: Vec<(String, Located<Value>)>,
}

impl Frontmatter {
    /// The line at which the content begins, if there is any.
    pub(crate) fn first_line_after(&self) -> usize {
        self.lines.end.max(1)
    }
}

/// Cuts the header off. Returns it and the byte offset at which the content begins.
pub(crate) fn cut(text: &str, warnings: &mut Warnings) -> (Frontmatter, usize) {
    let none = (Frontmatter::default(), 0);
    let Some(yaml_start) = fence_end(text, 0) else { return none };
    let mut yaml_end = yaml_start;
    let mut line = 2;
    let after = loop {
        if yaml_end >= text.len() {
            // Plain Markdown may begin with a rule; only a header that looks like one is worth a word.
            if looks_like_key(&text[yaml_start..]) {
                warnings.add(1, || "frontmatter is not closed with ---".to_owned());
            }
            return none;
        }
        if let Some(after) = fence_end(text, yaml_end) {
            break after;
        }
        yaml_end = next_line(text, yaml_end);
        line += 1;
    };
    let lines = 1..line + 1;
    match yaml::read(&text[yaml_start..yaml_end], 2) {
        Ok(Node { content: Content::Map(entries), .. }) => {
            (Frontmatter { lines, ..from_entries(entries, warnings) }, after)
        }
        // A heading between two rules is a comment to YAML.
        Ok(node) if node.is_null() && is_comment(&text[yaml_start..yaml_end]) => none,
        Ok(node) if node.is_null() => (Frontmatter { lines, ..Frontmatter::default() }, after),
        // Text between two rules is content, not a header.
        Ok(_) => none,
        Err(warning) => {
            warnings.extend([warning]);
            (Frontmatter { lines, ..Frontmatter::default() }, after)
        }
    }
}

/// The offset after the line at `at`, if that line is `---`.
fn fence_end(text: &str, at: usize) -> Option<usize> {
    let end = next_line(text, at);
    (text[at..end].trim_end() == "---").then_some(end)
}

fn next_line(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |length| at + length + 1)
}

/// Whether there are comments and nothing else.
fn is_comment(yaml: &str) -> bool {
    let mut lines = yaml.lines().map(str::trim).filter(|line| !line.is_empty()).peekable();
    lines.peek().is_some() && lines.all(|line| line.starts_with('#'))
}

fn looks_like_key(text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    first.split_once(':').is_some_and(|(key, _)| is_variable_name(key))
}

fn from_entries(entries: Vec<(String, Node)>, warnings: &mut Warnings) -> Frontmatter {
    let mut header = Frontmatter::default();
    for (key, node) in entries {
        let line = node.line;
        match key.as_str() {
            "title" => header.title = line_of(&key, &node, warnings),
            "name" => header.name = line_of(&key, &node, warnings),
            "namespace" => header.namespace = line_of(&key, &node, warnings),
            "version" => header.version = line_of(&key, &node, warnings),
            "description" => header.description = text(&key, &node, warnings),
            "author" => header.author = line_of(&key, &node, warnings),
            "default" => {
                header.default = line_of(&key, &node, warnings);
                header.default_line = line;
            }
            "type" => match node.text().as_deref() {
                Some("app") => header.package_type = Some(PackageType::App),
                Some("tool") => header.package_type = Some(PackageType::Tool),
                _ => warnings.add(line, || "type: must be app or tool".to_owned()),
            },
            "tags" => header.tags = tags(&node, warnings),
            "env" => env::read_env(&node, &mut header.env, warnings),
            "requires" => env::read_requires(&node, &mut header.env, warnings),
            "state" => header.state = Some(Located { value: node.to_json(), line }),
            "vault" => header.vault = Some(Located { value: node.to_json(), line }),
            _ => header.other.push((key, Located { value: node.to_json(), line })),
        }
    }
    header
}

/// A text that is shown on one line, and so is one.
fn line_of(key: &str, node: &Node, warnings: &mut Warnings) -> Option<String> {
    text(key, node, warnings).map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn text(key: &str, node: &Node, warnings: &mut Warnings) -> Option<String> {
    let text = node.text();
    if text.is_none() && !node.is_null() {
        warnings.add(node.line, || format!("{key}: must be text"));
    }
    text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// A list of texts, or one text with commas.
fn tags(node: &Node, warnings: &mut Warnings) -> Vec<String> {
    let words: Vec<String> = match &node.content {
        Content::List(items) => items.iter().filter_map(|item| text("tags", item, warnings)).collect(),
        _ => text("tags", node, warnings)
            .unwrap_or_default()
            .split(',')
            .map(|tag| tag.trim().to_owned())
            .collect(),
    };
    words.into_iter().filter(|tag| !tag.is_empty()).collect()
}
