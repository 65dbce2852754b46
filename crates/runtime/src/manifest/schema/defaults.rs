//! Defaults of a schema: filled into what is not there, and fit for their own fields.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::{DEPTH_MAX, Schema, effort};

impl Schema {
    /// Fills in the defaults of fields that are not there. Defaults that ask for further ones without end get as
    /// many as checking may take steps.
    pub fn fill_defaults(&self, input: &mut Value) {
        let mut left = effort::steps(input);
        self.fill(&self.document, input, 0, &mut left);
    }

    /// What is wrong with the first default that its own field would refuse.
    pub(super) fn wrong_default(&self) -> Option<String> {
        self.wrong_default_in(&self.document, &mut Vec::new(), &mut HashSet::new())
    }

    /// `seen`: schemas that were looked at, since they may refer to themselves.
    fn wrong_default_in<'a>(
        &'a self,
        object: &'a Value,
        path: &mut Vec<&'a str>,
        seen: &mut HashSet<*const Value>,
    ) -> Option<String> {
        for (name, field) in self.properties_of(object) {
            if !seen.insert(field) {
                continue;
            }
            path.push(name);
            let wrong = self
                .default_of(field)
                .and_then(|default| self.refused_default(path, default))
                .or_else(|| self.wrong_default_in(field, path, seen));
            path.pop();
            if wrong.is_some() {
                return wrong;
            }
        }
        None
    }

    /// Why a call that leaves the field out would be refused for its default.
    fn refused_default(&self, path: &[&str], default: &Value) -> Option<String> {
        let inside = path.iter().rev().fold(default.clone(), |value, name| json!({ *name: value }));
        let (mut input, place) = (inside, pointer(path));
        self.fill_defaults(&mut input);
        if !effort::is_bearable(&self.document, &input) {
            return None;
        }
        let is_here =
            |at: &str| at.strip_prefix(&place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        let error =
            self.validator.iter_errors(&input).find(|error| is_here(error.instance_path().as_str()))?;
        Some(format!("the default of {} does not fit: {error}", path.join(".")))
    }

    fn default_of<'a>(&'a self, field: &'a Value) -> Option<&'a Value> {
        field.get("default").or_else(|| self.resolve(field, 0)?.get("default"))
    }

    fn fill(&self, schema: &Value, input: &mut Value, depth: usize, left: &mut usize) {
        let Some(schema) = self.resolve(schema, 0).filter(|_| depth < DEPTH_MAX && *left > 0) else { return };
        *left -= 1;
        if let (Some(items), Value::Array(values)) = (schema.get("items"), &mut *input) {
            values.iter_mut().for_each(|value| self.fill(items, value, depth + 1, left));
        }
        for part in schema.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            self.fill(part, input, depth + 1, left);
        }
        let properties = schema.get("properties").and_then(Value::as_object);
        if let (Some(properties), Value::Object(values)) = (properties, input) {
            self.fill_properties(properties, values, depth, left);
        }
    }

    fn fill_properties(
        &self,
        properties: &Map<String, Value>,
        values: &mut Map<String, Value>,
        depth: usize,
        left: &mut usize,
    ) {
        for (name, field) in properties {
            if let (false, Some(default)) = (values.contains_key(name), self.default_of(field)) {
                values.insert(name.clone(), default.clone());
            }
            if let Some(value) = values.get_mut(name) {
                self.fill(field, value, depth + 1, left);
            }
        }
    }
}

/// The names as a JSON pointer.
fn pointer(path: &[&str]) -> String {
    path.iter().map(|name| format!("/{}", name.replace('~', "~0").replace('/', "~1"))).collect()
}
