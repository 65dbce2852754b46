//! The field of the input that a flag means, and how its value gets there: typed by the schema.

use serde_json::{Map, Value};

use super::help;
use super::typed::coerce;
use crate::action::exact_json;
use crate::error::{Code, Error, Result, nearest, quoted};
use crate::manifest::{Schema, Tool, TypeName};

/// What a schema knows about the name of a flag.
pub enum Known<'a> {
    /// A declared field, or an entry of one.
    Field(Place<'a>),
    /// A name that no field has, where the input may have more than its fields.
    Extra(Place<'a>),
    Nothing,
}

/// A place in the input.
pub struct Place<'a> {
    /// The names that lead there.
    path: Vec<&'a str>,
    pub schema: &'a Value,
}

/// Finds what the name of a flag means. A name with dots is one name if a field is called so, else a path, but for
/// where the input takes only values at its first part that have nothing inside.
pub fn find<'a>(schema: &'a Schema, name: &'a str) -> Known<'a> {
    if let Some(field) = schema.field(&[name]) {
        return Known::Field(Place { path: vec![name], schema: field });
    }
    let path: Vec<&str> = name.split('.').collect();
    match schema.field(&path[..1]) {
        Some(first) => {
            let found = path[1..].iter().try_fold(first, |object, part| schema.entry(object, part));
            found.map_or(Known::Nothing, |field| Known::Field(Place { path, schema: field }))
        }
        None => {
            let document = &schema.document;
            let is_path = path.iter().all(|part| !part.is_empty());
            let inside = path.iter().try_fold(document, |object, part| schema.entry(object, part));
            match inside.filter(|_| is_path) {
                Some(field) => Known::Extra(Place { path, schema: field }),
                None => schema
                    .entry(document, name)
                    .map_or(Known::Nothing, |field| Known::Extra(Place { path: vec![name], schema: field })),
            }
        }
    }
}

/// Puts the value of a flag into the input.
pub fn put(tool: &Tool, input: &mut Value, name: &str, value: Value) -> Result<()> {
    let schema = &tool.schema;
    let (Known::Field(place) | Known::Extra(place)) = find(schema, name) else {
        return Err(unknown(tool, name));
    };
    let Place { path, schema: field } = place;
    if let Some(why) = too_many_digits(schema, &value, field) {
        return Err(Error::new(Code::InvalidParams, format!("--{name} {why}"))
            .hints(help::field_line(tool, name))
            .hint(help::usage(tool)));
    }
    let insert = |input: &mut Value, value| insert(input, &path, value).ok_or_else(|| in_the_way(tool, name));
    let types = schema.types(field);
    if !types.contains(&TypeName::Array) {
        return insert(input, coerce(schema, value, field));
    }
    match (list(&value), at(input, &path)) {
        (Some(list), None) if !is_only_an_item(schema, &list, field) => insert(input, list),
        (_, existing) => {
            let count = existing.as_ref().and_then(|existing| existing.as_array()).map_or(0, Vec::len);
            let item = match schema.item(field, count) {
                Some(item) => coerce(schema, value, item),
                None => value,
            };
            match existing {
                Some(Value::Array(items)) => items.push(item),
                _ => insert(input, Value::Array(vec![item]))?,
            }
            Ok(())
        }
    }
}

/// What is wrong with the text of a number that would have to be rounded, where a number is asked for.
fn too_many_digits(schema: &Schema, value: &Value, field: &Value) -> Option<String> {
    let takes = |field: &Value, kind| schema.types(field).contains(&kind);
    let field = schema.item(field, 0).filter(|_| takes(field, TypeName::Array)).unwrap_or(field);
    let is_number = takes(field, TypeName::Integer) || takes(field, TypeName::Number);
    let text = value.as_str().filter(|_| is_number && !takes(field, TypeName::String))?;
    exact_json(text).err()
}

/// The list that a value is, or that its text is.
fn list(value: &Value) -> Option<Value> {
    match value {
        Value::Array(_) => Some(value.clone()),
        Value::String(text) => text.parse::<Value>().ok().filter(Value::is_array),
        _ => None,
    }
}

/// Whether a list fits a field of lists as one of them, and not as the whole.
fn is_only_an_item(schema: &Schema, list: &Value, field: &Value) -> bool {
    let as_item = schema.item(field, 0).is_some_and(|item| has_shape(schema, list, item));
    as_item && !has_shape(schema, list, field)
}

/// Whether a value has the type that a schema asks for, and so have the entries of its lists.
fn has_shape(schema: &Schema, value: &Value, field: &Value) -> bool {
    let types = schema.types(field);
    let fits = types.is_empty() || types.iter().any(|kind| kind.takes(value));
    let entries = value.as_array().into_iter().flatten().enumerate();
    fits && entries
        .filter_map(|(at, entry)| Some((schema.item(field, at)?, entry)))
        .all(|(item, entry)| has_shape(schema, entry, item))
}

fn insert(input: &mut Value, path: &[&str], value: Value) -> Option<()> {
    let mut place = input;
    for part in path {
        place = place.as_object_mut()?.entry(*part).or_insert_with(|| Value::Object(Map::new()));
    }
    *place = value;
    Some(())
}

fn at<'v>(input: &'v mut Value, path: &[&str]) -> Option<&'v mut Value> {
    path.iter().try_fold(input, |value, name| value.get_mut(*name))
}

fn unknown(tool: &Tool, name: &str) -> Error {
    let first = name.split('.').next().filter(|first| tool.schema.field(&[first]).is_some());
    let known = tool.schema.properties();
    let near = first.or_else(|| nearest(name, known.iter().map(|(name, _)| *name)));
    Error::new(Code::InvalidParams, format!("Unknown flag {}.", quoted(&format!("--{name}"))))
        .hints(near.filter(|_| first.is_none()).map(|name| format!("Did you mean --{name}?")))
        .hints(near.and_then(|name| help::field_line(tool, name)))
        .hint(help::usage(tool))
}

fn in_the_way(tool: &Tool, name: &str) -> Error {
    let message = format!("--{name} and another flag do not fit together.");
    Error::new(Code::InvalidParams, message).hint(help::usage(tool))
}
