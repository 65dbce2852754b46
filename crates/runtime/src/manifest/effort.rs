//! How much work a schema makes of an input, found out before it is done.
//!
//! A few lines of references can ask for more checks than there is time: each choice between two references to the
//! next such choice doubles them. Whoever wrote the schema is a stranger, so the checks are counted first, by walking
//! the two together as a validator does, and nothing is begun that would not end.

use std::collections::HashMap;

use serde_json::Value;

/// Checks that any input may take.
const CHECKS: usize = 20_000;
/// Further ones for each value in it.
const CHECKS_PER_VALUE: usize = 100;
/// How deep checks may lie in each other: references that lead back to themselves have no end.
const DEPTH_MAX: usize = 256;

/// Whether checking the input comes to an end soon.
pub fn is_bearable(document: &Value, input: &Value) -> bool {
    let mut names = HashMap::new();
    collect_names(document, &mut names);
    Walk { document, names, left: steps(input) }.visit(document, input, 0).is_some()
}

/// How many steps an input is worth.
pub fn steps(input: &Value) -> usize {
    CHECKS.saturating_add(CHECKS_PER_VALUE.saturating_mul(values(input)))
}

fn values(input: &Value) -> usize {
    1 + match input {
        Value::Array(items) => items.iter().map(values).sum(),
        Value::Object(fields) => fields.values().map(values).sum(),
        _ => 0,
    }
}

/// Every schema that has a name besides its place.
fn collect_names<'a>(schema: &'a Value, names: &mut HashMap<&'a str, &'a Value>) {
    match schema {
        Value::Object(parts) => {
            for word in ["$id", "$anchor", "$dynamicAnchor"] {
                if let Some(name) = parts.get(word).and_then(Value::as_str) {
                    names.insert(name, schema);
                }
            }
            parts.values().for_each(|part| collect_names(part, names));
        }
        Value::Array(parts) => parts.iter().for_each(|part| collect_names(part, names)),
        _ => {}
    }
}

struct Walk<'a> {
    document: &'a Value,
    names: HashMap<&'a str, &'a Value>,
    /// Checks that may still be made.
    left: usize,
}

impl<'a> Walk<'a> {
    /// Counts what checking `value` takes; none if it is too much.
    fn visit(&mut self, schema: &'a Value, value: &Value, depth: usize) -> Option<()> {
        self.left = self.left.checked_sub(1)?;
        let depth = Some(depth + 1).filter(|depth| *depth < DEPTH_MAX)?;
        for (word, part) in schema.as_object().into_iter().flatten() {
            match word.as_str() {
                "$ref" | "$dynamicRef" => self.visit(self.target(part), value, depth)?,
                "not" | "if" | "then" | "else" => self.visit(part, value, depth)?,
                "allOf" | "anyOf" | "oneOf" => {
                    part.as_array()?.iter().try_for_each(|part| self.visit(part, value, depth))?;
                }
                "dependentSchemas" => {
                    part.as_object()?.values().try_for_each(|part| self.visit(part, value, depth))?;
                }
                "properties" => {
                    for (name, field) in part.as_object()? {
                        value.get(name).map_or(Some(()), |value| self.visit(field, value, depth))?;
                    }
                }
                "patternProperties" => {
                    part.as_object()?.values().try_for_each(|field| self.each(field, value, depth))?;
                }
                "prefixItems" => {
                    for (item, value) in part.as_array()?.iter().zip(value.as_array().into_iter().flatten()) {
                        self.visit(item, value, depth)?;
                    }
                }
                "items"
                | "contains"
                | "unevaluatedItems"
                | "additionalProperties"
                | "unevaluatedProperties"
                | "propertyNames" => self.each(part, value, depth)?,
                _ => {}
            }
        }
        Some(())
    }

    /// Counts what checking everything inside `value` takes.
    fn each(&mut self, schema: &'a Value, value: &Value, depth: usize) -> Option<()> {
        match value {
            Value::Array(items) => items.iter().try_for_each(|value| self.visit(schema, value, depth)),
            Value::Object(fields) => fields.values().try_for_each(|value| self.visit(schema, value, depth)),
            _ => Some(()),
        }
    }

    /// The schema that a reference names; the whole document where only the validator knows.
    fn target(&self, reference: &Value) -> &'a Value {
        let text = reference.as_str().unwrap_or_default();
        let (place, fragment) = text.split_once('#').unwrap_or((text, ""));
        let base = self.names.get(place).copied().unwrap_or(self.document);
        match fragment {
            "" => base,
            pointer if pointer.starts_with('/') => base.pointer(pointer).unwrap_or(base),
            name => self.names.get(name).copied().unwrap_or(base),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Choices between two references to the next choice, `levels` deep.
    fn doubling(levels: usize, reference: impl Fn(usize) -> Value) -> Value {
        let mut definitions: serde_json::Map<String, Value> = (0..levels)
            .map(|level| {
                let next = reference(level + 1);
                (format!("a{level}"), json!({ "$anchor": format!("n{level}"), "anyOf": [next, next] }))
            })
            .collect();
        definitions
            .insert(format!("a{levels}"), json!({ "$anchor": format!("n{levels}"), "type": "integer" }));
        json!({ "properties": { "a": reference(0) }, "$defs": definitions })
    }

    #[test]
    fn a_doubling_schema_is_not_begun() {
        let by_place = |level| json!({ "$ref": format!("#/$defs/a{level}") });
        let by_name = |level| json!({ "$ref": format!("#n{level}") });
        let input = json!({ "a": "x" });
        assert!(is_bearable(&doubling(8, by_place), &input));
        for schema in [doubling(26, by_place), doubling(26, by_name), doubling(200, by_place)] {
            assert!(!is_bearable(&schema, &input));
            assert!(is_bearable(&schema, &json!({})), "nothing refers to it");
        }
    }

    #[test]
    fn doubling_along_a_deep_input_is_not_begun() {
        let node = json!({ "properties": { "c": { "$ref": "#" } } });
        let schema = json!({ "anyOf": [node, node] });
        let deep = |depth| (0..depth).fold(json!(1), |value, _| json!({ "c": value }));
        assert!(is_bearable(&schema, &deep(8)));
        assert!(!is_bearable(&schema, &deep(100)));
    }

    #[test]
    fn what_leads_back_to_itself_is_not_begun_and_trees_are() {
        for schema in [json!({ "allOf": [{ "$ref": "#" }] }), json!({ "$ref": "#" })] {
            assert!(!is_bearable(&schema, &json!({})));
        }
        let tree = json!({ "properties": { "l": { "$ref": "#" }, "r": { "$ref": "#" } } });
        let full = (0..10).fold(json!({}), |tree, _| json!({ "l": tree, "r": tree }));
        assert!(is_bearable(&tree, &full));
        let list = json!({ "properties": { "all": { "items": { "type": "integer" } } } });
        assert!(is_bearable(&list, &json!({ "all": vec![1; 100_000] })));
    }
}
