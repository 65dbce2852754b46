//! The answer to what is no message: a line, or a body.

use std::borrow::Cow;
use std::fmt;

use rmcp::RoleServer;
use rmcp::model::{ErrorData, JsonRpcMessage, NumberOrString};
use rmcp::service::TxJsonRpcMessage;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

/// Says what is wrong to whoever waits, as far as the line says who that is.
pub(crate) fn answer(line: &[u8]) -> TxJsonRpcMessage<RoleServer> {
    match serde_json::from_slice(line) {
        Ok(Value::Object(fields)) => JsonRpcMessage::error(wrong(&fields), waiting(&fields)),
        Ok(_) => refused("A message is one JSON object."),
        Err(error) => JsonRpcMessage::error(unreadable(&error), Outline::of(line).waiting()),
    }
}

/// What is nested too deeply is JSON all the same; the parser says only in words that this is what stopped it.
fn unreadable(error: &serde_json::Error) -> ErrorData {
    let why = error.to_string();
    if why.starts_with("recursion limit exceeded") {
        return ErrorData::invalid_request(format!("Nested too deeply: {why}."), None);
    }
    ErrorData::parse_error(format!("Not JSON: {why}."), None)
}

/// Who waits for the answer to a message that cannot be read, as far as it can be read. Its parts are not looked into.
#[derive(Default)]
struct Outline {
    id: Option<NumberOrString>,
    is_reply: bool,
}

impl Outline {
    fn of(line: &[u8]) -> Self {
        let mut outline = Self::default();
        // Whatever stops it: what was read up to there stands.
        let _ = serde_json::Deserializer::from_slice(line).deserialize_map(&mut outline);
        outline
    }

    fn waiting(self) -> Option<NumberOrString> {
        self.id.filter(|_| !self.is_reply)
    }
}

impl<'de> Visitor<'de> for &mut Outline {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a message")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        let mut id = None;
        while let Some(name) = fields.next_key::<Cow<'de, str>>()? {
            // A number may be cut off: it counts only if something follows.
            self.id = id.take().or(self.id.take());
            match &*name {
                "id" => id = fields.next_value()?,
                name => {
                    self.is_reply |= matches!(name, "result" | "error");
                    fields.next_value::<IgnoredAny>()?;
                }
            }
        }
        self.id = id.or(self.id.take());
        Ok(())
    }
}

/// The answer to a message of which only the beginning was read.
pub(crate) fn too_long(beginning: &[u8]) -> TxJsonRpcMessage<RoleServer> {
    let why = "A message may have at most 16 MiB.";
    JsonRpcMessage::error(ErrorData::invalid_request(why, None), Outline::of(beginning).waiting())
}

/// The answer to a line that has no id to speak of.
fn refused(why: &'static str) -> TxJsonRpcMessage<RoleServer> {
    JsonRpcMessage::error(ErrorData::invalid_request(why, None), None)
}

/// The answer to a request with the id of one that is not answered yet.
pub(crate) fn taken(id: NumberOrString) -> TxJsonRpcMessage<RoleServer> {
    JsonRpcMessage::error(crate::taken(&id), Some(id))
}

fn wrong(fields: &Map<String, Value>) -> ErrorData {
    let method = fields.get("method").and_then(Value::as_str);
    let params = fields.get("params");
    match (fields.get("jsonrpc").and_then(Value::as_str), method) {
        (Some("2.0"), Some(method)) if params.is_some_and(|params| !params.is_object()) => {
            ErrorData::invalid_params(format!("The params of {method} must be an object."), None)
        }
        (Some("2.0"), Some(_)) => ErrorData::invalid_request("Not a message of the protocol.", None),
        (Some("2.0"), None) => ErrorData::invalid_request("\"method\" must name one.", None),
        _ => ErrorData::invalid_request("\"jsonrpc\" must be \"2.0\".", None),
    }
}

/// The id of a request. A reply to something has an id of ours, for which nobody waits.
fn waiting(fields: &Map<String, Value>) -> Option<NumberOrString> {
    let is_reply = fields.contains_key("result") || fields.contains_key("error");
    fields.get("id").filter(|_| !is_reply).and_then(|id| NumberOrString::deserialize(id).ok())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_nested_too_deeply_is_refused_to_whoever_waits() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        for (rest, id) in [("method\":\"tools/call", json!(77)), ("result\":\"", json!(null))] {
            let line = format!(r#"{{"jsonrpc":"2.0","id":77,"{rest}","params":{{"a":{deep}}}}}"#);
            let answer = serde_json::to_value(answer(line.as_bytes())).unwrap();
            assert_eq!((&answer["id"], &answer["error"]["code"]), (&id, &json!(-32600)), "{answer}");
            assert!(answer["error"]["message"].as_str().unwrap().contains("Nested too deeply"), "{answer}");
        }
    }

    #[test]
    fn what_is_too_long_is_refused_to_whoever_waits_if_it_says_so_in_time() {
        for (beginning, id) in [
            (
                r#"{"jsonrpc":"2.0","id":"big","method":"tools/call","params":{"id":1,"cmd":"aaa"#,
                json!("big"),
            ),
            (r#"{"params":{"id":1},"id":17,"x":[["#, json!(17)),
            // The id may go on, or is that of another object.
            (r#"{"params":"a","id":17"#, json!(null)),
            (r#"{"params":{"id":17,"cmd":"aaa"#, json!(null)),
            (r#"[{"id":17,"method":"ping"},"#, json!(null)),
            (r#"{"id":17,"result":{"aaa"#, json!(null)),
        ] {
            let answer = serde_json::to_value(too_long(beginning.as_bytes())).unwrap();
            assert_eq!((&answer["id"], &answer["error"]["code"]), (&id, &json!(-32600)), "{beginning}");
        }
    }

    #[test]
    fn whoever_waits_is_told_what_is_wrong() {
        for (line, id, code, said) in [
            ("not json", json!(null), -32700, "Not JSON: "),
            (r#"{"jsonrpc":"2.0","id":6"#, json!(null), -32700, "EOF"),
            (r#"{"jsonrpc":"2.0","id":6,"method":"ping","x":"\ud800"}"#, json!(6), -32700, "hex escape"),
            (r#"{"jsonrpc":"2.0","id":6,"method":"ping","x":1e999}"#, json!(6), -32700, "out of range"),
            (r#"{"jsonrpc":"2.0","id":6,"result":"\ud800"}"#, json!(null), -32700, "hex escape"),
            (r#"{"id":6,"method":"ping","params":{"id":7}"#, json!(6), -32700, "EOF"),
            ("[]", json!(null), -32600, "one JSON object"),
            ("7", json!(null), -32600, "one JSON object"),
            (r#"{"jsonrpc":"1.0","id":6,"method":"ping"}"#, json!(6), -32600, "must be \"2.0\""),
            (r#"{"id":"six","method":"ping"}"#, json!("six"), -32600, "must be \"2.0\""),
            (r#"{"jsonrpc":"2.0","id":6}"#, json!(6), -32600, "\"method\""),
            (r#"{"jsonrpc":"2.0","id":6,"method":7}"#, json!(6), -32600, "\"method\""),
            (
                r#"{"jsonrpc":"2.0","id":6,"method":"tools/call","params":"x"}"#,
                json!(6),
                -32602,
                "tools/call",
            ),
            (r#"{"jsonrpc":"2.0","id":[],"method":"ping"}"#, json!(null), -32600, "Not a message"),
            (r#"{"jsonrpc":"1.0","id":6,"result":{}}"#, json!(null), -32600, "must be \"2.0\""),
        ] {
            let answer = serde_json::to_value(answer(line.as_bytes())).unwrap();
            let (given, error) = (&answer["id"], &answer["error"]);
            assert_eq!((given, &error["code"]), (&id, &json!(code)), "{line}: {answer}");
            assert!(error["message"].as_str().unwrap().contains(said), "{line}: {answer}");
        }
    }
}
