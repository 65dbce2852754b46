//! Lines over two streams: requests that share an id, and the end of the input.

use std::os::unix::net::UnixStream as StdStream;
use std::sync::Arc;

use mcp::{End, Handler, Record, Streams, serve_stdio};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::host::{Waiting, is_answer};

struct Client {
    host: Arc<Waiting>,
    served: JoinHandle<Result<End, mcp::Error>>,
    input: OwnedWriteHalf,
    output: Lines<BufReader<OwnedReadHalf>>,
}

impl Client {
    fn start() -> Self {
        let (ours, theirs) = StdStream::pair().unwrap();
        ours.set_nonblocking(true).unwrap();
        let streams = Streams::new(theirs.try_clone().unwrap().into(), theirs.into()).unwrap();
        let host = Arc::new(Waiting::default());
        let (handler, record) = (Handler::new(Arc::clone(&host), "1"), Record::new().unwrap());
        let (stop, gone) = (CancellationToken::new(), CancellationToken::new());
        let served = tokio::spawn(serve_stdio(handler, streams, record, stop, gone));
        let (output, input) = UnixStream::from_std(ours).unwrap().into_split();
        Self { host, served, input, output: BufReader::new(output).lines() }
    }

    async fn greet() -> Self {
        let mut client = Self::start();
        let about = json!({"name": "test", "version": "1"});
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": about});
        client.send(&[request(0, "initialize", params)]).await;
        assert!(client.next().await.unwrap()["result"].is_object());
        client.send(&[json!({"jsonrpc": "2.0", "method": "notifications/initialized"})]).await;
        client
    }

    /// All at once.
    async fn send(&mut self, messages: &[Value]) {
        let lines: String = messages.iter().map(|message| format!("{message}\n")).collect();
        self.input.write_all(lines.as_bytes()).await.unwrap();
    }

    async fn next(&mut self) -> Option<Value> {
        let line = self.output.next_line().await.unwrap()?;
        Some(serde_json::from_str(&line).unwrap())
    }
}

fn request(id: u32, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

fn call(id: u32, cmd: &str) -> Value {
    request(id, "tools/call", json!({"name": "string", "arguments": {"cmd": cmd}}))
}

fn call_with_progress(id: u32, cmd: &str) -> Value {
    let mut call = call(id, cmd);
    call["params"]["_meta"] = json!({"progressToken": cmd});
    call
}

#[tokio::test]
async fn a_second_request_with_an_id_that_waits_is_refused_and_the_first_is_answered() {
    let mut client = Client::greet().await;
    // In one piece, and one that comes while the first runs; what is no message has no answer to settle either.
    client.send(&[call(7, "wait one"), call(7, "quick two")]).await;
    client.send(&[call(7, "quick three"), json!({"jsonrpc": "1.0", "id": 7, "method": "ping"})]).await;
    for _ in 0..3 {
        let refused = client.next().await.unwrap();
        assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(7), &json!(-32600)), "{refused}");
    }
    client.input.shutdown().await.unwrap();
    client.host.0.notify_one();
    let answer = client.next().await.expect("it is due");
    assert!(is_answer(&answer, 7, "wait one"), "{answer}");
    assert_eq!(client.next().await, None);
    assert_eq!(client.served.await.unwrap().unwrap(), End::Input);
}

#[tokio::test]
async fn a_message_that_is_too_long_is_refused_by_its_id() {
    let mut client = Client::greet().await;
    client.send(&[call(7, &"a".repeat(17 * 1024 * 1024)), call(8, "quick")]).await;
    let refused = client.next().await.unwrap();
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(7), &json!(-32600)), "{refused}");
    assert!(is_answer(&client.next().await.unwrap(), 8, "quick"));
}

#[tokio::test]
async fn a_cursor_that_is_no_text_leads_nowhere() {
    let mut client = Client::greet().await;
    for (id, method) in [(1, "resources/list"), (2, "tools/list"), (3, "resources/templates/list")] {
        client.send(&[request(id, method, json!({"cursor": 5}))]).await;
        let refused = client.next().await.unwrap();
        assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(id), &json!(-32602)), "{refused}");
    }
}

#[tokio::test]
async fn whoever_has_not_greeted_is_told_what_comes_first() {
    let mut client = Client::start();
    let greeting = |version: Value| json!({"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    for (id, method, params, code, said) in [
        (1, "tools/list", json!({}), -32602, "initialize comes first."),
        (2, "no/such", json!({}), -32601, "There is no method \"no/such\"."),
        (3, "initialize", greeting(json!(null)), -32602, "initialize takes {\"protocolVersion\": "),
        (4, "initialize", greeting(json!(5)), -32602, "integer `5`"),
    ] {
        client.send(&[request(id, method, params)]).await;
        let refused = client.next().await.unwrap();
        assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(id), &json!(code)), "{refused}");
        assert!(refused["error"]["message"].as_str().unwrap().contains(said), "{refused}");
    }
    // What begins nothing is in nobody's way.
    client.send(&[request(5, "ping", json!({}))]).await;
    assert_eq!(client.next().await.unwrap()["result"], json!({}));
    client.send(&[json!({"jsonrpc": "2.0", "method": "notifications/initialized"})]).await;
    client.send(&[request(6, "initialize", greeting(json!("2025-11-25"))), call(7, "quick")]).await;
    assert_eq!(client.next().await.unwrap()["id"], 6);
    assert!(is_answer(&client.next().await.unwrap(), 7, "quick"));
}

#[tokio::test]
async fn an_id_may_be_used_again_once_it_is_answered() {
    let mut client = Client::greet().await;
    for cmd in ["quick one", "quick two"] {
        client.send(&[call(7, cmd)]).await;
        let answer = client.next().await.unwrap();
        assert!(is_answer(&answer, 7, cmd), "{answer}");
    }
}

#[tokio::test]
async fn the_answer_of_a_cancelled_call_is_not_that_of_a_later_one_with_its_id() {
    let mut client = Client::greet().await;
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}});
    client.send(&[call_with_progress(7, "wait one")]).await;
    assert_eq!(client.next().await.unwrap()["params"]["progressToken"], "wait one");
    client.send(&[cancel, call_with_progress(7, "wait two")]).await;
    assert_eq!(client.next().await.unwrap()["params"]["progressToken"], "wait two");
    // The first runs on, and ends first.
    client.host.0.notify_one();
    client.host.0.notify_one();
    client.input.shutdown().await.unwrap();
    let answer = client.next().await.expect("it is due");
    assert!(is_answer(&answer, 7, "wait two"), "{answer}");
    assert_eq!(client.next().await, None);
}

#[tokio::test]
async fn nothing_more_is_said_of_how_a_cancelled_call_goes() {
    let mut client = Client::greet().await;
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}});
    client.send(&[call_with_progress(7, "wait however cancelled")]).await;
    assert_eq!(client.next().await.unwrap()["params"]["message"], "begun");
    client.send(&[cancel]).await;
    client.host.has_cancelled().await;
    client.send(&[call(8, "quick")]).await;
    let answer = client.next().await.unwrap();
    assert!(is_answer(&answer, 8, "quick"), "{answer}");
    client.host.0.notify_one();
    client.input.shutdown().await.unwrap();
    assert_eq!(client.next().await, None);
}

#[tokio::test]
async fn whoever_listens_is_answered_even_if_the_input_ends_at_once() {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    });
    let wanted = json!({"resourceSubscriptions": ["string://events"]});
    let mut client = Client::start();
    client.send(&[request(7, "subscriptions/listen", json!({"notifications": wanted, "_meta": meta}))]).await;
    client.input.shutdown().await.unwrap();
    let acknowledged = client.next().await.expect("it is told that it listens");
    assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged", "{acknowledged}");
    let answer = client.next().await.expect("it is due");
    assert!(answer["id"] == 7 && answer["result"].is_object(), "{answer}");
    assert_eq!(client.next().await, None);
    assert_eq!(client.served.await.unwrap().unwrap(), End::Input);
}
