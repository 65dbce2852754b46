//! What an agent is told about an action: its parameters, never what it does with them.

use super::{Action, Field, FieldType};

/// One line per field, a usage line, and what of the definition could not be understood.
pub fn action_help(action: &Action) -> String {
    let mut help = String::new();
    for field in &action.fields {
        help.push_str(&schema_line(field));
        help.push('\n');
    }
    if !action.fields.is_empty() {
        help.push('\n');
    }
    help.push_str(&usage_line(action));
    for warning in &action.warnings {
        help.push_str(&format!("\nwarning: {warning}"));
    }
    help
}

/// `--name, -n: string (required) "City name" = "Seoul"`
pub fn schema_line(field: &Field) -> String {
    let mut line = format!("--{}", field.name);
    if let Some(short) = field.short {
        line.push_str(&format!(", -{short}"));
    }
    line.push_str(&format!(": {}", field.field_type.name()));
    let constraints = constraints(field);
    if !constraints.is_empty() {
        line.push_str(&format!(" ({})", constraints.join(", ")));
    }
    if let Some(description) = &field.description {
        line.push_str(&format!(" \"{}\"", description.replace('\\', "\\\\").replace('"', "\\\"")));
    }
    if let Some(default) = &field.default {
        line.push_str(&format!(" = {default}"));
    }
    line
}

/// `Usage: /act.search --name "…" [--unit celsius|fahrenheit]`
pub fn usage_line(action: &Action) -> String {
    let mut line = format!("Usage: /act.{}", action.id);
    for field in &action.fields {
        let flag = format!("--{}{}", field.name, value_form(field));
        let is_needed = field.required && field.default.is_none();
        line.push_str(&if is_needed { format!(" {flag}") } else { format!(" [{flag}]") });
    }
    if action.takes_any_words() {
        line.push_str(" [words…]");
    }
    line
}

fn constraints(field: &Field) -> Vec<String> {
    let required = field.required.then(|| "required".to_owned());
    let choices = (!field.choices.is_empty()).then(|| field.choices.join("|"));
    let min = field.min.map(|min| format!("min:{min}"));
    let max = field.max.map(|max| format!("max:{max}"));
    [required, choices, min, max].into_iter().flatten().collect()
}

fn value_form(field: &Field) -> String {
    if !field.choices.is_empty() {
        return format!(" {}", field.choices.join("|"));
    }
    match field.field_type {
        FieldType::String => " \"…\"",
        FieldType::Number | FieldType::Integer => " N",
        FieldType::Boolean => "",
        FieldType::Path => " PATH",
        FieldType::Json => " JSON",
    }
    .to_owned()
}
