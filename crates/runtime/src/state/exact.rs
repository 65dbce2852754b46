//! Numbers that scripts cannot hold: JavaScript would round them in silence.

use serde_json::{Value, json};

use super::error::{Code, Error, Result};

/// What JavaScript could round has at least so many digits: 2^53 has.
const DIGITS: usize = 16;

/// Refuses a value that a script would not get as it is. Scripts cannot write one, but people can.
pub(super) fn check_exact(key: &str, json: &str) -> Result<()> {
    // Nearly no value has so many digits in a row, and the others need not be understood.
    if !json.as_bytes().split(|byte| !byte.is_ascii_digit()).any(|digits| digits.len() >= DIGITS) {
        return Ok(());
    }
    let value: Value = serde_json::from_str(json)
        .map_err(|error| Error::damaged(format!("the entry {key} is damaged: {error}")))?;
    match rounded(&json!({ "value": value })) {
        Some(wrong) => Err(Error::new(Code::TypeMismatch, format!("{key}: {wrong}"))),
        None => Ok(()),
    }
}

/// The first place of an input that a script would not get as it is, with the reason.
pub fn rounded(input: &Value) -> Option<String> {
    let mut path = Vec::new();
    let number = find(input, &mut path)?;
    path.reverse();
    let place = path.join(".");
    Some(format!("{place}: more digits than a script keeps, which a text could keep: {number}"))
}

/// The first number that would be another one in a script. `path` gets the names that lead to it, the last one first.
fn find(value: &Value, path: &mut Vec<String>) -> Option<String> {
    let (number, name) = match value {
        Value::Number(number) => {
            let whole = number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from))?;
            // What a script writes itself: the fewest digits that mean the number, and zeros.
            let is_kept = whole as f64 as i128 == whole || (whole as f64).to_string() == number.to_string();
            return (!is_kept).then(|| number.to_string());
        }
        Value::Array(items) => {
            let mut items = items.iter().enumerate();
            items.find_map(|(at, item)| Some((find(item, path)?, at.to_string())))?
        }
        Value::Object(fields) => {
            fields.iter().find_map(|(name, value)| Some((find(value, path)?, name.clone())))?
        }
        Value::Null | Value::Bool(_) | Value::String(_) => return None,
    };
    path.push(name);
    Some(number)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_a_script_would_round_is_found() {
        for fine in [
            json!(9_007_199_254_740_992_i64),
            json!(1_i64 << 60),
            json!(1_152_921_504_606_847_000_i64),
            json!(1_763_263_539_123_000_000_i64),
            json!(i64::MIN),
            json!(0.1),
            json!("9007199254740993"),
        ] {
            assert_eq!(rounded(&json!({ "by": fine })), None);
        }
        let wrong = "a.1.b: more digits than a script keeps, which a text could keep: ";
        for number in [json!(9_007_199_254_740_993_i64), json!(-9_007_199_254_740_993_i64), json!(u64::MAX)] {
            assert_eq!(rounded(&json!({ "a": [0, { "b": number }] })), Some(format!("{wrong}{number}")));
        }
    }
}
