//! The schema of a tool's input: compiled once, asked for types and defaults, and used to check.

mod defaults;

use jsonschema::{PatternOptions, Validator};
use serde_json::Value;

use super::effort;

/// References followed before a schema counts as circular, and levels into which defaults are filled.
const DEPTH_MAX: usize = 32;
/// How many schemas are asked for the types of one field.
const SCHEMAS_MAX: usize = 1_000;
/// How many failing places an error lists.
const FAILURES_MAX: usize = 20;
/// The keywords whose parts all say something about the same value.
const COMBINATIONS: [&str; 3] = ["allOf", "anyOf", "oneOf"];
/// The schema that says nothing.
const ANYTHING: &Value = &Value::Null;

#[derive(Debug)]
pub struct Schema {
    pub document: Value,
    validator: Validator,
}

/// A type of JSON Schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TypeName {
    String,
    Integer,
    Number,
    Boolean,
    Null,
    Array,
    Object,
}

impl Schema {
    /// Compiles a schema, or says what is wrong with it.
    pub fn compile(document: Value) -> Result<Self, String> {
        let kind = document.get("type").and_then(Value::as_str);
        if !document.is_object() || kind.is_some_and(|kind| kind != "object") {
            return Err("the input of a tool is an object: type must be object".to_owned());
        }
        let built = jsonschema::draft202012::options()
            .offline()
            .with_pattern_options(PatternOptions::regex())
            .build(&document);
        match built {
            Ok(validator) => {
                let schema = Self { document, validator };
                schema.wrong_default().map_or(Ok(schema), Err)
            }
            Err(error) => Err(match error.instance_path().as_str() {
                "" => error.to_string(),
                path => format!("{error} at {path}"),
            }),
        }
    }

    /// Each place of the input that does not fit, with the reason.
    pub fn failures(&self, input: &Value) -> Vec<String> {
        if !effort::is_bearable(&self.document, input) {
            return vec!["the tool's input_schema takes too many steps to check this input".to_owned()];
        }
        let failures = self.validator.iter_errors(input).map(|error| match error.instance_path().as_str() {
            "" => error.to_string(),
            path => format!("{}: {error}", path.trim_start_matches('/').replace('/', ".")),
        });
        failures.take(FAILURES_MAX).collect()
    }

    /// The schema of a field, by the names that lead to it.
    pub fn field(&self, path: &[&str]) -> Option<&Value> {
        path.iter().try_fold(&self.document, |schema, name| self.property(schema, name))
    }

    /// The types that a field may have, each once; empty if it may have any.
    pub fn types(&self, field: &Value) -> Vec<TypeName> {
        let mut all = Vec::new();
        let mut left = SCHEMAS_MAX;
        self.collect_types(field, &mut all, 0, &mut left);
        let mut types = Vec::new();
        for kind in all {
            if !types.contains(&kind) {
                types.push(kind);
            }
        }
        types
    }

    /// The schema of an entry of an object, listed or not; none if the object takes no such entry.
    pub fn entry<'a>(&'a self, object: &'a Value, name: &str) -> Option<&'a Value> {
        let mut left = SCHEMAS_MAX;
        self.find_entry(object, name, &mut left)
    }

    /// The schema of the entry of a list at a place, if the list says anything about it.
    pub fn item<'a>(&'a self, field: &'a Value, at: usize) -> Option<&'a Value> {
        let field = self.resolve(field, 0)?;
        field.get("prefixItems").and_then(|items| items.get(at)).or_else(|| field.get("items"))
    }

    /// What a field says under a keyword, itself or where it refers to.
    pub fn keyword<'a>(&'a self, field: &'a Value, word: &str) -> Option<&'a Value> {
        field.get(word).or_else(|| self.resolve(field, 0)?.get(word))
    }

    /// The declared fields, in the order of the schema.
    pub fn properties(&self) -> Vec<(&str, &Value)> {
        self.properties_of(&self.document)
    }

    /// The declared fields of an object inside the input.
    pub fn properties_of<'a>(&'a self, object: &'a Value) -> Vec<(&'a str, &'a Value)> {
        let properties = self.resolve(object, 0).and_then(|object| object.get("properties")?.as_object());
        properties.into_iter().flatten().map(|(name, field)| (name.as_str(), field)).collect()
    }

    pub fn is_required(&self, object: &Value, name: &str) -> bool {
        let required = self.resolve(object, 0).and_then(|object| object.get("required")?.as_array());
        required.is_some_and(|names| names.iter().any(|known| known == name))
    }

    fn property<'a>(&'a self, schema: &'a Value, name: &str) -> Option<&'a Value> {
        let schema = self.resolve(schema, 0)?;
        let direct = schema.get("properties").and_then(|properties| properties.get(name));
        direct.or_else(|| {
            let parts = COMBINATIONS.into_iter().filter_map(|word| schema.get(word)?.as_array());
            parts.flatten().find_map(|part| self.resolve(part, 0)?.get("properties")?.get(name))
        })
    }

    /// `left`: how many schemas are still looked at.
    fn find_entry<'a>(&'a self, object: &'a Value, name: &str, left: &mut usize) -> Option<&'a Value> {
        *left = left.checked_sub(1)?;
        let object = self.resolve(object, 0)?;
        if let Some(listed) = self.property(object, name) {
            return Some(listed);
        }
        let patterns = object.get("patternProperties").and_then(Value::as_object).into_iter().flatten();
        if let Some((_, field)) = patterns.into_iter().find(|(pattern, _)| matches(pattern, name)) {
            return Some(field);
        }
        match object.get("additionalProperties") {
            Some(Value::Bool(false)) => return None,
            Some(more @ Value::Object(_)) => return Some(more),
            _ => {}
        }
        let parts = COMBINATIONS.into_iter().filter_map(|word| object.get(word)?.as_array()).flatten();
        let mut parts = parts.peekable();
        if parts.peek().is_some() {
            return parts.find_map(|part| self.find_entry(part, name, left));
        }
        let types = self.types(object);
        (types.is_empty() || types.contains(&TypeName::Object)).then_some(ANYTHING)
    }

    /// Follows references inside the document.
    fn resolve<'a>(&'a self, schema: &'a Value, depth: usize) -> Option<&'a Value> {
        match schema.get("$ref").and_then(Value::as_str) {
            Some(target) if depth < DEPTH_MAX => {
                self.resolve(self.document.pointer(target.strip_prefix('#')?)?, depth + 1)
            }
            Some(_) => None,
            None => Some(schema),
        }
    }

    /// `left`: how many schemas are still looked at.
    fn collect_types(&self, schema: &Value, types: &mut Vec<TypeName>, depth: usize, left: &mut usize) {
        let Some(schema) = self.resolve(schema, 0).filter(|_| depth < DEPTH_MAX && *left > 0) else { return };
        *left -= 1;
        let named: Vec<&str> = match schema.get("type") {
            Some(Value::String(name)) => vec![name],
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        types.extend(named.into_iter().filter_map(TypeName::parse));
        if types.is_empty() {
            let values = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
            types.extend(values.chain(schema.get("const")).map(TypeName::of));
        }
        for word in COMBINATIONS {
            let parts = schema.get(word).and_then(Value::as_array).into_iter().flatten();
            parts.for_each(|part| self.collect_types(part, types, depth + 1, left));
        }
    }
}

/// Whether a name fits a pattern of `patternProperties`. Compiled here, because flags alone ask for it.
fn matches(pattern: &str, name: &str) -> bool {
    let schema = serde_json::json!({ "pattern": pattern });
    let built = jsonschema::draft202012::options()
        .offline()
        .with_pattern_options(PatternOptions::regex())
        .build(&schema);
    built.is_ok_and(|validator| validator.is_valid(&name.into()))
}

impl TypeName {
    fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "string" => Self::String,
            "integer" => Self::Integer,
            "number" => Self::Number,
            "boolean" => Self::Boolean,
            "null" => Self::Null,
            "array" => Self::Array,
            "object" => Self::Object,
            _ => return None,
        })
    }

    /// Whether a value is of this type.
    pub fn takes(self, value: &Value) -> bool {
        let kind = Self::of(value);
        kind == self || (self, kind) == (Self::Number, Self::Integer)
    }

    fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(_) => Self::Boolean,
            Value::Number(number) if number.is_f64() => Self::Number,
            Value::Number(_) => Self::Integer,
            Value::String(_) => Self::String,
            Value::Array(_) => Self::Array,
            Value::Object(_) => Self::Object,
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Null => "null",
            Self::Array => "array",
            Self::Object => "object",
        }
    }
}

#[cfg(test)]
mod tests;
