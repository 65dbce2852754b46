//! Requests of methods that there are, with parameters that these do not take.

use rmcp::model::{
    CallToolRequestParams, CustomRequest, ErrorCode, ErrorData, InitializeRequestParams,
    ReadResourceRequestParams, RequestMetaObject, SubscribeRequestParams, SubscriptionsListenRequestParams,
    UnsubscribeRequestParams,
};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// One that is served, what it takes, and what is wrong with something else.
struct Method {
    name: &'static str,
    takes: &'static str,
    /// Whether the revision without sessions has it too.
    stays: bool,
    check: fn(Value) -> Result<(), serde_json::Error>,
}

const URI: &str = r#"{"uri": "string://events"}"#;

const METHODS: &[Method] = &[
    Method {
        name: "initialize",
        takes: r#"{"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "…", "version": "…"}}"#,
        stays: false,
        check: check::<InitializeRequestParams>,
    },
    Method {
        name: "tools/call",
        takes: r#"{"name": "string", "arguments": {"cmd": "/help"}}"#,
        stays: true,
        check: check::<CallToolRequestParams>,
    },
    Method { name: "resources/read", takes: URI, stays: true, check: check::<ReadResourceRequestParams> },
    Method { name: "resources/subscribe", takes: URI, stays: false, check: check::<SubscribeRequestParams> },
    Method {
        name: "resources/unsubscribe",
        takes: URI,
        stays: false,
        check: check::<UnsubscribeRequestParams>,
    },
    Method {
        name: "subscriptions/listen",
        takes: r#"{"notifications": {"resourceSubscriptions": ["string://events"]}}"#,
        stays: true,
        check: check::<SubscriptionsListenRequestParams>,
    },
];

/// Why a request that the protocol's library could not place is refused: it takes one for a stranger's as soon as the
/// parameters do not fit. A request without a session says its revision itself, in its `_meta`.
pub(crate) fn refusal(request: CustomRequest, meta: &RequestMetaObject) -> ErrorData {
    let CustomRequest { method, params, .. } = request;
    let is_stateless = meta.protocol_version().is_some();
    let is_there = |known: &&Method| known.name == method && (known.stays || !is_stateless);
    let Some(known) = METHODS.iter().find(is_there) else {
        return no_method(&method);
    };
    let given = params.filter(|params| !params.is_null());
    let wrong = match given.map(known.check) {
        None => "its params are missing".to_owned(),
        Some(Err(error)) => error.to_string(),
        Some(Ok(())) => "its _meta cannot be read".to_owned(),
    };
    ErrorData::invalid_params(format!("{method} takes {}: {wrong}.", known.takes), None)
}

pub(crate) fn no_method(name: &str) -> ErrorData {
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("There is no method {name:?}."), None)
}

fn check<P: DeserializeOwned>(params: Value) -> Result<(), serde_json::Error> {
    serde_json::from_value::<P>(params).map(drop)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]
mod tests {
    use rmcp::model::{ClientRequest, JsonRpcMessage, ProtocolVersion};
    use rmcp::service::RxJsonRpcMessage;
    use serde_json::json;

    use super::*;

    /// What is read of a request, as it comes in.
    fn read(method: &str, params: Option<Value>) -> ClientRequest {
        let mut message = json!({"jsonrpc": "2.0", "id": 1, "method": method});
        if let Some(params) = params {
            message["params"] = params;
        }
        match serde_json::from_value::<RxJsonRpcMessage<rmcp::RoleServer>>(message).unwrap() {
            JsonRpcMessage::Request(request) => request.request,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_is_wrong_with_the_parameters_is_said() {
        for (method, params, code, said) in [
            ("tools/call", None, -32602, "params are missing"),
            ("tools/call", Some(json!({})), -32602, "missing field `name`"),
            ("tools/call", Some(json!({"name": "string", "arguments": "x"})), -32602, "string \"x\""),
            ("tools/call", Some(json!({"name": 5})), -32602, "integer `5`"),
            ("resources/read", None, -32602, "string://events"),
            ("resources/subscribe", Some(json!({"uri": null})), -32602, "null"),
            ("resources/unsubscribe", Some(json!({})), -32602, "missing field `uri`"),
            ("subscriptions/listen", Some(json!({})), -32602, "missing field `notifications`"),
            ("initialize", Some(json!({})), -32602, "missing field `protocolVersion`"),
            ("no/such", None, -32601, "There is no method \"no/such\"."),
        ] {
            let ClientRequest::CustomRequest(request) = read(method, params.clone()) else {
                panic!("{method} takes {params:?}");
            };
            let error = refusal(request, &RequestMetaObject::new());
            assert_eq!(error.code.0, code, "{method} {params:?}: {error:?}");
            assert!(error.message.contains(said), "{method} {params:?}: {error:?}");
        }
    }

    #[test]
    fn what_a_revision_has_not_is_not_there() {
        let mut meta = RequestMetaObject::new();
        meta.set_protocol_version(ProtocolVersion::LATEST);
        for method in METHODS {
            let ClientRequest::CustomRequest(request) = read(method.name, None) else {
                panic!("{} takes nothing", method.name);
            };
            let expected = if method.stays { -32602 } else { -32601 };
            assert_eq!(refusal(request, &meta).code.0, expected, "{}", method.name);
        }
    }

    #[test]
    fn every_example_is_taken() {
        for method in METHODS {
            let params = serde_json::from_str(method.takes).unwrap();
            assert!(
                !matches!(read(method.name, Some(params)), ClientRequest::CustomRequest(_)),
                "{}",
                method.name
            );
        }
    }
}
