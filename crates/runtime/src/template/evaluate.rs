//! Walking the tree of a template.

use std::collections::HashMap;

use base64::prelude::{BASE64_STANDARD_NO_PAD, Engine as _};
use serde_json::Value;
use sfmd::{Decode, Expression, Node, Path, Placeholder, Response, ShortcutValue, Template};

use super::cut::{Cut, OUTPUT_MAX, TURNS_MAX};
use super::scope::{Item, Scope};
use super::{Evaluated, Input, Named, Save, condition};
use crate::edit::Overwrite;
use crate::error::{Code, Error};
use crate::substitute::{self, Filled, Marked, Values, fill_output, text_of};

/// Evaluates a template. It never fails: what has no value is empty, and named among the warnings.
pub fn evaluate(response: &Response, input: Input<'_>) -> Evaluated {
    let scope = Scope { input, items: Vec::new(), assigned: HashMap::new(), shortcuts: HashMap::new() };
    let mut evaluator = Evaluator {
        scope,
        done: Evaluated::default(),
        counts: HashMap::new(),
        turns: 0,
        bytes: 0,
        name: format!("act.{}.response", response.id),
    };
    evaluator.nodes(&response.nodes);
    evaluator.done
}

struct Evaluator<'a> {
    scope: Scope<'a>,
    done: Evaluated,
    /// How many ids each value shortcut has got.
    counts: HashMap<String, usize>,
    turns: usize,
    bytes: usize,
    name: String,
}

impl Evaluator<'_> {
    fn nodes(&mut self, nodes: &[Node]) {
        for node in nodes {
            self.node(node);
        }
    }

    fn node(&mut self, node: &Node) {
        match node {
            Node::Assign { name, value, line } => {
                let value = self.expression(value, *line);
                self.scope.assigned.insert(name.clone(), value.clone());
                self.done.variables.retain(|(known, _)| known != name);
                self.done.variables.push((name.clone(), value));
            }
            Node::Shortcut { name, value, line } => {
                let value = match value {
                    ShortcutValue::One(value) => self.expression(value, *line),
                    ShortcutValue::Tuple(values) => {
                        let parts: Vec<Marked> =
                            values.iter().map(|value| self.expression(value, *line)).collect();
                        let mark = parts.iter().map(|part| part.mark).collect();
                        Marked { value: parts.into_iter().map(|part| part.value).collect(), mark }
                    }
                };
                self.shortcut(name.as_str(), value);
            }
            Node::For { item, list, body, line } => self.repeat(item, list, body, *line),
            Node::If { condition, then, otherwise, .. } => {
                let branch = if condition::holds(condition, &self.scope) { then } else { otherwise };
                self.nodes(branch);
            }
            Node::Save { value, decode, to, line } => self.save(value, *decode, to, *line),
            Node::Output { text, line } => {
                let text = text_of(&self.text(text, *line).value).into_owned();
                self.bytes += text.len() + 1;
                match self.bytes > OUTPUT_MAX {
                    true => self.cut(*line, Cut::Output),
                    false => self.done.lines.push(text),
                }
            }
        }
    }

    fn repeat(&mut self, item: &str, list: &Path, body: &[Node], line: usize) {
        let (items, mark) = match self.scope.at(list) {
            substitute::Named::Value { value, mark, .. } => (value.into_owned(), mark),
            substitute::Named::Empty | substitute::Named::Unknown => {
                return self.warn(line, &format!("{{{list}}} has no value"));
            }
        };
        let items = match items {
            Value::Array(items) => items,
            Value::Null => Vec::new(),
            _ => return self.warn(line, &format!("{{{list}}} is no list")),
        };
        for (at, value) in items.into_iter().enumerate() {
            self.turns += 1;
            if self.turns > TURNS_MAX {
                return self.cut(line, Cut::Loop);
            }
            let value = Marked { value, mark };
            self.scope.items.push(Item { name: item.to_owned(), value, index: at + 1 });
            self.nodes(body);
            self.scope.items.pop();
        }
    }

    fn shortcut(&mut self, name: &str, value: Marked) {
        let count = self.counts.entry(name.to_owned()).or_default();
        *count += 1;
        let id = if self.scope.items.is_empty() { name.to_owned() } else { format!("{name}-{count}") };
        self.scope.shortcuts.insert(name.to_owned(), id.clone());
        self.done.shortcuts.push(Named { name: name.to_owned(), id, value });
    }

    fn save(&mut self, value: &Placeholder, decode: Decode, to: &Template, line: usize) {
        let content = match substitute::value_of(value, &self.scope) {
            Ok(found) => saved(&found.value, decode),
            Err(_) => Err(format!("{value} has no value.")),
        };
        let content = content.map_err(|why| Error::new(Code::ActionFailed, why));
        let filled = self.filled(to, line);
        let (path, content) = match substitute::file_path(&filled) {
            Ok(path) => (path, content),
            Err(error) => (substitute::text(&filled), Err(error)),
        };
        let overwrite = if filled.mark().is_own() { Overwrite::Always } else { Overwrite::IfSeen };
        self.done.saves.push(Save { path, overwrite, content });
    }

    fn expression(&mut self, expression: &Expression, line: usize) -> Marked {
        let found = match expression {
            Expression::Literal(value) => value.clone().into(),
            Expression::Text(template) => self.text(template, line),
            Expression::Value(placeholder) => {
                substitute::assigned(placeholder, &self.scope).unwrap_or_else(|_| {
                    self.warn(line, &format!("{placeholder} has no value"));
                    Value::from("").into()
                })
            }
        };
        found.with(self.scope.input.author)
    }

    fn text(&mut self, template: &Template, line: usize) -> Marked {
        let filled = self.filled(template, line);
        Marked { value: substitute::text(&filled).into(), mark: filled.mark() }
    }

    fn filled<'t>(&mut self, template: &'t Template, line: usize) -> Filled<'t> {
        let mut missing = Vec::new();
        let filled = fill_output(template, &self.scope, &mut missing);
        for name in missing {
            self.warn(line, &format!("{name} has no value"));
        }
        filled
    }

    fn cut(&mut self, line: usize, cut: Cut) {
        self.warn(line, cut.warning());
        if !self.done.cuts.contains(&cut) {
            self.done.cuts.push(cut);
        }
    }

    fn warn(&mut self, line: usize, message: &str) {
        let warning = format!("{}, line {line}: {message}", self.name);
        if self.done.warnings.len() < sfmd::MAX_WARNINGS && !self.done.warnings.contains(&warning) {
            self.done.warnings.push(warning);
        }
    }
}

/// A value as the bytes of a file.
fn saved(value: &Value, decode: Decode) -> Result<Vec<u8>, String> {
    let text = text_of(value);
    match (decode, value) {
        (Decode::Base64, _) => from_base64(&text).ok_or_else(|| "The value is not base64.".to_owned()),
        (Decode::None, Value::Array(_) | Value::Object(_)) => Ok(format!("{value:#}\n").into_bytes()),
        (Decode::None, _) => Ok(text.as_bytes().to_vec()),
    }
}

/// Base64 as it is found: of either alphabet, with or without padding, broken into lines.
fn from_base64(text: &str) -> Option<Vec<u8>> {
    let standard = |c: char| match c {
        '-' => '+',
        '_' => '/',
        other => other,
    };
    let is_digit = |c: &char| !c.is_ascii_whitespace();
    let packed: String = text.chars().filter(is_digit).map(standard).collect();
    BASE64_STANDARD_NO_PAD.decode(packed.trim_end_matches('=')).ok()
}
