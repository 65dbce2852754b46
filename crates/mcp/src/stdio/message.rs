//! A line as a message.

use bytes::BytesMut;
use memchr::memmem;
use rmcp::RoleServer;
use rmcp::model::{CallToolRequest, ClientRequest, JsonRpcMessage, JsonRpcRequest};
use rmcp::service::RxJsonRpcMessage;
use rmcp::transport::async_rw::JsonRpcMessageCodec;
use tokio_util::codec::Decoder;

use crate::cursor;

type Message = RxJsonRpcMessage<RoleServer>;

/// What a line is.
#[derive(Debug)]
pub(super) enum Parsed {
    Message(Box<Message>),
    /// Blank, or a notification of other programs that means nothing here.
    Nothing,
    /// Neither.
    Invalid,
}

pub(super) fn parse(line: &[u8]) -> Parsed {
    if let Some(call) = parse_call(line) {
        return Parsed::Message(Box::new(call));
    }
    let rewritten = cursor::as_text(line);
    let mut codec = JsonRpcMessageCodec::<Message>::new();
    match codec.decode_eof(&mut BytesMut::from(rewritten.as_deref().unwrap_or(line))) {
        Ok(Some(message)) => Parsed::Message(Box::new(message)),
        Err(_) if !line.trim_ascii().is_empty() => Parsed::Invalid,
        Ok(None) | Err(_) => Parsed::Nothing,
    }
}

/// Nearly every message is a call, and every other kind of message is tried first where the kind is not known.
fn parse_call(line: &[u8]) -> Option<Message> {
    memmem::find(line, b"\"tools/call\"")?;
    let JsonRpcRequest { jsonrpc, id, request } =
        serde_json::from_slice::<JsonRpcRequest<CallToolRequest>>(line).ok()?;
    Some(JsonRpcMessage::Request(JsonRpcRequest {
        jsonrpc,
        id,
        request: ClientRequest::CallToolRequest(request),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_read_the_same_either_way() {
        for line in [
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"string","arguments":{"cmd":"/info"}}}"#,
            r#"{"method":"tools/call","params":{"name":"a","_meta":{"progressToken":"p","x/y":1}},"jsonrpc":"2.0","id":"s"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"n":1.5e300,"u":18446744073709551615}}}"#,
        ] {
            let fast = parse_call(line.as_bytes()).expect("it is a call");
            let slow: Message = serde_json::from_str(line).expect("it is a message");
            assert_eq!(format!("{fast:?}"), format!("{slow:?}"));
        }
    }

    #[test]
    fn what_is_no_call_is_not_taken_for_one() {
        for line in [
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"tools/call"}}"#,
            r#"{"jsonrpc":"1.0","id":1,"method":"tools/call","params":{"name":"a"}}"#,
            r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"a"}}"#,
            r#""tools/call""#,
        ] {
            assert!(parse_call(line.as_bytes()).is_none(), "{line}");
        }
    }

    #[test]
    fn what_is_nothing_is_told_from_what_is_wrong() {
        let kind = |line: &str| match parse(line.as_bytes()) {
            Parsed::Message(_) => "message",
            Parsed::Nothing => "nothing",
            Parsed::Invalid => "invalid",
        };
        for (line, expected) in [
            ("", "nothing"),
            ("\r", "nothing"),
            (" \t\r", "nothing"),
            ("not json", "invalid"),
            (r#"{"jsonrpc":"2.0""#, "invalid"),
            (r#"{"jsonrpc":"2.0","method":"notifications/unheard/of"}"#, "message"),
            ("[]", "invalid"),
            ("{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"no/such\"}\r", "message"),
            ("\u{feff}{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"ping\"}", "message"),
        ] {
            assert_eq!(kind(line), expected, "{line}");
        }
    }
}
