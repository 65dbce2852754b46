//! JSON merge patch (RFC 7396).

use serde_json::{Map, Value};

/// Merges `patch` into `target`: objects merge, `null` removes, everything else replaces. Keys keep their order.
pub fn merge_patch(target: &mut Value, patch: Value) {
    let Value::Object(patch) = patch else {
        *target = patch;
        return;
    };
    if !target.is_object() {
        *target = Map::new().into();
    }
    let Some(object) = target.as_object_mut() else { return };
    for (key, change) in patch {
        if change.is_null() {
            object.shift_remove(&key);
        } else {
            merge_patch(object.entry(key).or_insert(Value::Null), change);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The test cases of RFC 7396, appendix A: original, patch, result.
    const APPENDIX_A: &[(&str, &str, &str)] = &[
        (r#"{"a":"b"}"#, r#"{"a":"c"}"#, r#"{"a":"c"}"#),
        (r#"{"a":"b"}"#, r#"{"b":"c"}"#, r#"{"a":"b","b":"c"}"#),
        (r#"{"a":"b"}"#, r#"{"a":null}"#, "{}"),
        (r#"{"a":"b","b":"c"}"#, r#"{"a":null}"#, r#"{"b":"c"}"#),
        (r#"{"a":["b"]}"#, r#"{"a":"c"}"#, r#"{"a":"c"}"#),
        (r#"{"a":"c"}"#, r#"{"a":["b"]}"#, r#"{"a":["b"]}"#),
        (r#"{"a":{"b":"c"}}"#, r#"{"a":{"b":"d","c":null}}"#, r#"{"a":{"b":"d"}}"#),
        (r#"{"a":[{"b":"c"}]}"#, r#"{"a":[1]}"#, r#"{"a":[1]}"#),
        (r#"["a","b"]"#, r#"["c","d"]"#, r#"["c","d"]"#),
        (r#"{"a":"b"}"#, r#"["c"]"#, r#"["c"]"#),
        (r#"{"a":"foo"}"#, "null", "null"),
        (r#"{"a":"foo"}"#, r#""bar""#, r#""bar""#),
        (r#"{"e":null}"#, r#"{"a":1}"#, r#"{"e":null,"a":1}"#),
        ("[1,2]", r#"{"a":"b","c":null}"#, r#"{"a":"b"}"#),
        ("{}", r#"{"a":{"bb":{"ccc":null}}}"#, r#"{"a":{"bb":{}}}"#),
    ];

    #[test]
    fn the_rfcs_own_cases_hold() {
        for (original, patch, result) in APPENDIX_A {
            let mut target: Value = serde_json::from_str(original).unwrap();
            merge_patch(&mut target, serde_json::from_str(patch).unwrap());
            assert_eq!(target.to_string(), *result, "{original} + {patch}");
        }
    }

    #[test]
    fn keys_keep_their_order() {
        let mut target: Value = serde_json::from_str(r#"{"a":1,"b":2,"c":3,"d":4}"#).unwrap();
        merge_patch(&mut target, serde_json::from_str(r#"{"a":null,"c":{"x":null,"y":1},"e":5}"#).unwrap());
        assert_eq!(target.to_string(), r#"{"b":2,"c":{"y":1},"d":4,"e":5}"#);
    }
}
