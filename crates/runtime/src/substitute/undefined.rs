//! Names without a value, and what gives them one.

use serde_json::Value;
use sfmd::{Piece, Template};

use super::{Named, Values, shown};
use crate::error::{Code, Error};

/// How many fields of an object an error names.
const FIELDS_NAMED: usize = 12;

/// Every name in the templates that has no value, `{name}` and `$NAME` alike, each once.
pub fn missing<'t>(templates: impl IntoIterator<Item = &'t Template>, values: &dyn Values) -> Vec<String> {
    let mut names = Vec::new();
    for template in templates {
        let mut before: Option<&Piece> = None;
        for piece in &template.pieces {
            let has_value = match piece {
                Piece::Value(placeholder) => values.at(&placeholder.path) != Named::Unknown,
                Piece::Env(name) => values.env(name).is_some(),
                _ => true,
            };
            // As a shell writes `$NAME`: a dollar sign and a session variable here.
            let is_behind_dollar = matches!(before, Some(Piece::Text(text)) if text.ends_with('$'));
            let dollar = if is_behind_dollar { "$" } else { "" };
            let name = format!("{dollar}{}", shown(piece));
            if !has_value && !names.contains(&name) {
                names.push(name);
            }
            before = Some(piece);
        }
    }
    names
}

/// The error for names without a value.
pub fn undefined(names: impl IntoIterator<Item = String>, values: &dyn Values) -> Error {
    let names: Vec<String> = names.into_iter().collect();
    let verb = if names.len() == 1 { "has" } else { "have" };
    let error = Error::new(Code::UndefinedVariable, format!("{} {verb} no value.", names.join(", ")));
    let mut repairs: Vec<String> = Vec::new();
    for repair in names.iter().map(|name| repair(name, values)) {
        if !repairs.contains(&repair) {
            repairs.push(repair);
        }
    }
    error.hints(repairs)
}

/// The same for those of a definition, whose author may have meant braces as text.
pub fn undefined_in_action(names: Vec<String>, values: &dyn Values) -> Error {
    let is_plain =
        |name: &&String| name.strip_prefix('{').is_some_and(|name| !name.contains(['.', '[', '|']));
    let as_text = names.iter().find(is_plain).map(|name| format!("To keep it as text: \\{name}"));
    undefined(names, values).hints(as_text)
}

/// What gives a name its value: `/set`, but for what an answer has, or what a value has inside.
fn repair(name: &str, values: &dyn Values) -> String {
    if let Some(braced) = name.strip_prefix("${") {
        let root = braced.trim_end_matches('}');
        return format!("Write ${root}: {{…}} is a variable of the session.");
    }
    let end = name.find(['.', '[', '|', '}']).unwrap_or(name.len());
    let (root, rest) = name.split_at(end);
    let close = if root.starts_with('{') { "}" } else { "" };
    let set = format!("/set {root}{close} = \"…\"");
    match root {
        "{Response" => {
            "{Response} is what the last action of this topic answered: run one that has this part."
                .to_owned()
        }
        _ if rest.starts_with(['.', '[']) => match values.named(&root[1..]) {
            Named::Value { value, .. } => {
                format!("{root}{close} has a value, but not this part of it: it is {}.", kind(&value))
            }
            Named::Empty => format!("{root}{close} was given no value."),
            Named::Unknown => set,
        },
        _ => set,
    }
}

/// What a value is, without what may be secret in it.
fn kind(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(_) => "true or false".to_owned(),
        Value::Number(_) => "a number".to_owned(),
        Value::String(_) => "a text".to_owned(),
        Value::Array(items) => format!("a list of {}", items.len()),
        Value::Object(fields) if fields.is_empty() => "an object without fields".to_owned(),
        Value::Object(fields) => {
            let names: Vec<&str> = fields.keys().take(FIELDS_NAMED).map(String::as_str).collect();
            let more = if fields.len() > FIELDS_NAMED { ", …" } else { "" };
            format!("an object with {}{more}", names.join(", "))
        }
    }
}
