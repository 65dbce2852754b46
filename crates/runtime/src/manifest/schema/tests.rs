//! What a schema says about fields, and about input.

use serde_json::json;

use super::*;

fn schema() -> Schema {
    Schema::compile(json!({
        "type": "object",
        "$defs": {
            "point": { "type": "object", "properties": { "x": { "type": "number", "default": 0 } } },
        },
        "properties": {
            "op": { "enum": ["a", 1] },
            "by": { "type": ["integer", "null"], "default": 1 },
            "at": { "$ref": "#/$defs/point" },
            "all": { "type": "array", "items": { "$ref": "#/$defs/point" } },
            "any": { "anyOf": [{ "type": "boolean" }, { "type": "string" }] },
        },
        "required": ["op"],
        "additionalProperties": false,
    }))
    .unwrap()
}

#[test]
fn defaults_are_filled_in_at_every_level() {
    let schema = schema();
    let mut input = json!({"op": "a", "all": [{}, {"x": 5}, 7]});
    schema.fill_defaults(&mut input);
    assert_eq!(input, json!({"op": "a", "all": [{"x": 0}, {"x": 5}, 7], "by": 1}));
    let mut given = json!({"op": "a", "at": {}, "by": null});
    schema.fill_defaults(&mut given);
    assert_eq!(given, json!({"op": "a", "at": {"x": 0}, "by": null}));
}

#[test]
fn types_are_found_through_references_and_choices() {
    let schema = schema();
    let types = |path: &[&str]| schema.field(path).map(|field| schema.types(field));
    use TypeName::{Boolean, Integer, Null, Number, String};
    assert_eq!(types(&["by"]), Some(vec![Integer, Null]));
    assert_eq!(types(&["op"]), Some(vec![String, Integer]));
    assert_eq!(types(&["any"]), Some(vec![Boolean, String]));
    assert_eq!(types(&["at", "x"]), Some(vec![Number]));
    assert_eq!(types(&["at", "y"]), None);
    assert_eq!(types(&["none"]), None);
}

#[test]
fn every_failing_place_is_named() {
    let failures = schema().failures(&json!({"op": "z", "by": "many", "all": [{"x": "q"}], "more": 1}));
    let text = failures.join("\n");
    assert_eq!(failures.len(), 4, "{text}");
    for part in ["op: ", "by: \"many\"", "all.0.x: ", "more"] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[test]
fn a_schema_that_doubles_at_every_step_ends_soon() {
    let node =
        json!({ "properties": { "l": { "$ref": "#", "default": {} }, "r": { "$ref": "#", "default": {} } } });
    let choice = json!({ "anyOf": [{ "$ref": "#" }, { "$ref": "#" }] });
    Schema::compile(node).unwrap().fill_defaults(&mut json!({}));
    let schema = Schema::compile(json!({ "properties": { "a": choice } })).unwrap();
    assert!(schema.types(schema.field(&["a"]).unwrap()).is_empty());
    let same = Schema::compile(choice).unwrap();
    assert!(same.types(&same.document).is_empty());
    assert!(same.failures(&json!({}))[0].contains("too many steps"));
}

#[test]
fn what_is_no_schema_is_refused() {
    for (schema, part) in [
        (json!({"type": "string"}), "must be object"),
        (json!([]), "must be object"),
        (json!({"type": "object", "properties": {"a": {"type": "nope"}}}), "nope"),
        (json!({"properties": {"a": {"$ref": "https://example.com/x.json"}}}), ""),
        (json!({"properties": {"a": {"$ref": "file:///etc/passwd"}}}), ""),
        (json!({"properties": {"a": {"pattern": "("}}}), ""),
    ] {
        let error = Schema::compile(schema.clone()).unwrap_err();
        assert!(error.contains(part), "{schema}: {error}");
    }
}

#[test]
fn a_default_fits_its_own_field() {
    let compiled = |properties: Value| {
        let document = json!({
            "type": "object", "properties": properties, "required": ["must"],
            "$defs": {
                "node": { "type": "object", "properties": { "n": { "$ref": "#/$defs/count" }, "next": { "$ref": "#/$defs/node" } } },
                "count": { "type": "integer", "default": "many" },
            },
        });
        Schema::compile(document).map(|_| ())
    };
    for properties in [
        json!({"a": { "type": "integer", "default": 1 }, "must": {}}),
        json!({"a": { "type": ["integer", "null"], "default": null }}),
        json!({"a": { "type": "object", "required": ["x"], "default": {}, "properties": { "x": { "default": 1 } } }}),
        json!({"a": { "default": "anything" }, "b": { "enum": ["x"], "default": "x" }}),
    ] {
        assert_eq!(compiled(properties.clone()), Ok(()), "{properties}");
    }
    for (properties, message) in [
        (
            json!({"a": { "type": "integer", "default": "x" }}),
            "the default of a does not fit: \"x\" is not of type \"integer\"",
        ),
        (
            json!({"a/b": { "enum": ["x"], "default": "y" }}),
            "the default of a/b does not fit: \"y\" is not one of \"x\"",
        ),
        (
            json!({"at": { "type": "object", "properties": { "x": { "type": "number", "default": [] } } }}),
            "the default of at.x does not fit: [] is not of type \"number\"",
        ),
        (
            json!({"a": { "items": { "type": "string" }, "default": [1] }}),
            "the default of a does not fit: 1 is not of type \"string\"",
        ),
        (
            json!({"r": { "$ref": "#/$defs/node" }}),
            "the default of r.n does not fit: \"many\" is not of type \"integer\"",
        ),
    ] {
        assert_eq!(compiled(properties.clone()), Err(message.to_owned()), "{properties}");
    }
}
