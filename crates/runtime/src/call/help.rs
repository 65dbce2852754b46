//! What a tool takes, as its schema says.

use serde_json::Value;

use crate::error::one_line;
use crate::manifest::{Schema, Tool};
use crate::reply::with_body;

/// How deep the fields of objects are listed.
const DEPTH_MAX: usize = 4;
/// How many lines of fields are shown; a schema may be larger than anyone wants to read.
const LINES_MAX: usize = 200;

/// What else a schema may ask of a value, and how help says it.
const BOUNDS: [(&str, &str); 11] = [
    ("const", "only"),
    ("minimum", "min"),
    ("exclusiveMinimum", "more than"),
    ("maximum", "max"),
    ("exclusiveMaximum", "less than"),
    ("multipleOf", "multiple of"),
    ("minLength", "min length"),
    ("maxLength", "max length"),
    ("pattern", "pattern"),
    ("minItems", "min items"),
    ("maxItems", "max items"),
];

/// `/tool:NAME --help`.
pub fn help(tool: &Tool) -> String {
    let mut lines = vec![tool.description.clone(), String::new(), usage(tool)];
    let mut fields = Vec::new();
    list(&tool.schema, &tool.schema.document, "", 0, &mut fields);
    if !fields.is_empty() {
        lines.push(String::new());
        lines.append(&mut fields);
    }
    with_body(&format!("Tool: {}", tool.name), &lines.join("\n"))
}

/// The line of one field, by its path: `at.x`, or an entry of a list, `tags.0`.
pub fn field_line(tool: &Tool, path: &str) -> Option<String> {
    let names: Vec<&str> = path.split('.').take_while(|name| name.parse::<usize>().is_err()).collect();
    let field = tool.schema.field(&names)?;
    let object = tool.schema.field(&names[..names.len().checked_sub(1)?])?;
    Some(line(&tool.schema, &names.join("."), field, tool.schema.is_required(object, names.last()?)))
}

pub fn usage(tool: &Tool) -> String {
    let schema = &tool.schema;
    let fields =
        schema.properties().into_iter().map(|(name, _)| match schema.is_required(&schema.document, name) {
            true => format!("--{name} …"),
            false => format!("[--{name} …]"),
        });
    let own = ["task", "json"].map(|name| format!("[{} …]", own_flag(tool, name)));
    // Whoever knows `--help` must be told that it is another flag here.
    let help = schema.field(&["help"]).map(|_| format!("[{}]", own_flag(tool, "help")));
    let words: Vec<String> = fields.chain(own).chain(help).collect();
    one_line(&format!("Usage: /tool:{} {}", tool.name, words.join(" ")))
}

/// A flag of ours, `--@help` where a field of the tool has its name.
pub fn own_flag(tool: &Tool, name: &str) -> String {
    match tool.schema.field(&[name]) {
        Some(_) => format!("--@{name}"),
        None => format!("--{name}"),
    }
}

/// One line for each field of an object, those of objects inside it below theirs.
fn list(schema: &Schema, object: &Value, prefix: &str, depth: usize, lines: &mut Vec<String>) {
    for (name, field) in schema.properties_of(object) {
        if lines.len() == LINES_MAX {
            lines.push("…".to_owned());
        }
        if lines.len() > LINES_MAX {
            return;
        }
        let path = format!("{prefix}{name}");
        lines.push(line(schema, &path, field, schema.is_required(object, name)));
        if depth + 1 < DEPTH_MAX {
            list(schema, field, &format!("{path}."), depth + 1, lines);
        }
    }
}

fn line(schema: &Schema, path: &str, field: &Value, is_required: bool) -> String {
    let mut notes = Vec::new();
    if is_required {
        notes.push("required".to_owned());
    }
    if let Some(default) = schema.keyword(field, "default") {
        notes.push(format!("default {default}"));
    }
    if let Some(values) = schema.keyword(field, "enum").and_then(Value::as_array) {
        let values: Vec<String> = values.iter().map(super::calls::shown).collect();
        notes.push(values.join("|"));
    }
    for (word, short) in BOUNDS {
        notes.extend(schema.keyword(field, word).map(|bound| format!("{short} {bound}")));
    }
    let notes = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join(", ")) };
    let about = schema
        .keyword(field, "description")
        .and_then(Value::as_str)
        .map(|text| format!(" \"{}\"", text.trim()));
    one_line(&format!("--{path}: {}{notes}{}", kind(schema, field), about.unwrap_or_default()))
}

/// `integer`, `string|null`, `array of integer`.
fn kind(schema: &Schema, field: &Value) -> String {
    let names: Vec<&str> = schema.types(field).into_iter().map(|kind| kind.as_str()).collect();
    let items = schema.keyword(field, "items").map(|items| schema.types(items)).unwrap_or_default();
    match (&names[..], &items[..]) {
        ([], _) => "any".to_owned(),
        (["array"], [item]) => format!("array of {}", item.as_str()),
        (names, _) => names.join("|"),
    }
}
