//! What a tool takes, as its schema says.

use serde_json::Value;

use crate::manifest::{Schema, Tool};
use crate::reply::with_body;

/// `/tool:NAME --help`.
pub fn help(tool: &Tool) -> String {
    let mut lines = vec![tool.description.clone(), String::new(), usage(tool)];
    let fields = tool.schema.properties();
    if !fields.is_empty() {
        lines.push(String::new());
        lines.extend(fields.iter().map(|(name, field)| field_line(&tool.schema, name, field)));
    }
    with_body(&format!("Tool: {}", tool.name), &lines.join("\n"))
}

fn usage(tool: &Tool) -> String {
    let fields = tool.schema.properties().into_iter().map(|(name, _)| match tool.schema.is_required(name) {
        true => format!("--{name} …"),
        false => format!("[--{name} …]"),
    });
    let own = ["task", "json"].map(|name| match tool.schema.field(&[name]) {
        Some(_) => format!("[--@{name} …]"),
        None => format!("[--{name} …]"),
    });
    let words: Vec<String> = fields.chain(own).collect();
    format!("Usage: /tool:{} {}", tool.name, words.join(" "))
}

fn field_line(schema: &Schema, name: &str, field: &Value) -> String {
    let types: Vec<&str> = schema.types(field).into_iter().map(|kind| kind.as_str()).collect();
    let kind = if types.is_empty() { "any".to_owned() } else { types.join("|") };
    let mut notes = Vec::new();
    if schema.is_required(name) {
        notes.push("required".to_owned());
    }
    if let Some(default) = field.get("default") {
        notes.push(format!("default {default}"));
    }
    if let Some(values) = field.get("enum").and_then(Value::as_array) {
        let values: Vec<String> = values.iter().map(super::calls::shown).collect();
        notes.push(values.join("|"));
    }
    let notes = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join(", ")) };
    let about = field.get("description").and_then(Value::as_str).map(|text| format!(" \"{text}\""));
    format!("--{name}: {kind}{notes}{}", about.unwrap_or_default())
}
