//! Cursors that are no text.

use memchr::memmem;
use serde_json::Value;

/// A message whose cursor is of another type, with its text as the cursor, behind which there is no page. The protocol's
/// library would leave out all parameters, and a client that asks for the next page would get the first one for ever.
pub(crate) fn as_text(message: &[u8]) -> Option<Vec<u8>> {
    memmem::find(message, b"\"cursor\"")?;
    let mut value: Value = serde_json::from_slice(message).ok()?;
    let is_list = value.get("method")?.as_str()?.ends_with("/list");
    let cursor = value.get_mut("params")?.get_mut("cursor")?;
    if !is_list || cursor.is_string() || cursor.is_null() {
        return None;
    }
    *cursor = Value::String(cursor.to_string());
    serde_json::to_vec(&value).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_cursor_of_another_type_becomes_text() {
        let message = |method: &str, cursor: &str| {
            format!(r#"{{"id":1,"jsonrpc":"2.0","method":"{method}","params":{{"cursor":{cursor}}}}}"#)
        };
        for (method, cursor, text) in [
            ("resources/list", "5", Some(r#""5""#)),
            ("tools/list", "[true]", Some(r#""[true]""#)),
            ("resources/list", r#""evt_1""#, None),
            ("resources/list", "null", None),
            ("tools/call", "5", None),
        ] {
            let given = message(method, cursor);
            let expected = text.map(|text| message(method, text).into_bytes());
            assert_eq!(as_text(given.as_bytes()), expected, "{given}");
        }
        assert_eq!(as_text(b"\"cursor\" is not JSON"), None);
    }
}
