//! The answer to what is no message: a line, or a body.

use rmcp::RoleServer;
use rmcp::model::{ErrorData, JsonRpcMessage, NumberOrString};
use rmcp::service::TxJsonRpcMessage;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

/// Says what is wrong to whoever waits, as far as the line says who that is.
pub(crate) fn answer(line: &[u8]) -> TxJsonRpcMessage<RoleServer> {
    match serde_json::from_slice(line) {
        Ok(Value::Object(fields)) => JsonRpcMessage::error(wrong(&fields), waiting(&fields)),
        Ok(_) => refused("A message is one JSON object."),
        Err(error) => {
            let waiting = serde_json::from_slice::<Outline>(line).ok().and_then(Outline::waiting);
            JsonRpcMessage::error(unreadable(&error), waiting)
        }
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

/// A message whose parts are not looked into.
#[derive(Deserialize)]
struct Outline {
    id: Option<NumberOrString>,
    result: Option<IgnoredAny>,
    error: Option<IgnoredAny>,
}

impl Outline {
    fn waiting(self) -> Option<NumberOrString> {
        let is_reply = self.result.is_some() || self.error.is_some();
        self.id.filter(|_| !is_reply)
    }
}

/// The answer to a line that was not even read, or has no id to speak of.
pub(crate) fn refused(why: &'static str) -> TxJsonRpcMessage<RoleServer> {
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
    fn whoever_waits_is_told_what_is_wrong() {
        for (line, id, code, said) in [
            ("not json", json!(null), -32700, "Not JSON: "),
            (r#"{"jsonrpc":"2.0","id":6"#, json!(null), -32700, "EOF"),
            (r#"{"jsonrpc":"2.0","id":6,"method":"ping","x":"\ud800"}"#, json!(6), -32700, "hex escape"),
            (r#"{"jsonrpc":"2.0","id":6,"method":"ping","x":1e999}"#, json!(6), -32700, "out of range"),
            (r#"{"jsonrpc":"2.0","id":6,"result":"\ud800"}"#, json!(null), -32700, "hex escape"),
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
