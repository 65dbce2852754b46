//! Sessions over HTTP at their end: what runs in them is stopped by whoever ends one, and answered when all end.

use std::time::Duration;

use bytes::Bytes;
use http::Request;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::host::is_answer;
use crate::http::{SESSION, Stream, World};

/// A request of the revision without sessions.
fn stateless(id: u32, method: &str, mut params: Value) -> Request<Bytes> {
    const VERSION: &str = "2026-07-28";
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": VERSION,
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
        "progressToken": id,
    });
    let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
    let request = Request::post("/mcp")
        .header("Host", "localhost")
        .header("Accept", "application/json, text/event-stream")
        .header("Content-Type", "application/json")
        .header("MCP-Protocol-Version", VERSION)
        .header("Mcp-Method", method);
    let request = match params["name"].as_str() {
        Some(name) => request.header("Mcp-Name", name),
        None => request,
    };
    request.body(message.to_string().into()).unwrap()
}

fn stateless_call(id: u32, cmd: &str) -> Request<Bytes> {
    stateless(id, "tools/call", json!({"name": "string", "arguments": {"cmd": cmd}}))
}

/// Reads until a call says that its command has begun.
async fn begun(stream: &mut Stream) {
    while stream.next().await.unwrap().message["params"]["message"] != "begun" {}
}

#[tokio::test(start_paused = true)]
async fn whoever_ends_a_session_stops_what_runs_in_it_at_once() {
    let world = World::new();
    let session = world.greet().await;
    let mut stream = world.call(&session, 100, "wait until cancelled").await;
    begun(&mut stream).await;
    let before = Instant::now();
    let end = Request::delete("/mcp").header("Host", "localhost").header(SESSION, &session);
    assert_eq!(world.send(end.body(Bytes::new()).unwrap()).await.0, 202);
    world.host.has_cancelled().await;
    assert_eq!(before.elapsed(), Duration::ZERO);
    assert_eq!(stream.next().await, None);
    assert!(!world.is_open(&session).await);
}

#[tokio::test]
async fn a_stop_ends_a_session_once_its_calls_are_answered() {
    let world = World::new();
    let session = world.greet().await;
    let mut listening = world.listen(&session, None).await.unwrap();
    let mut call = world.call(&session, 100, "wait").await;
    begun(&mut call).await;
    world.stop.cancel();
    assert!(world.is_open(&session).await);
    world.host.0.notify_one();
    let answer = call.answer().await;
    assert!(is_answer(&answer, 100, "wait"), "{answer}");
    while listening.next().await.is_some() {}
    assert!(!world.is_open(&session).await);
}

#[tokio::test]
async fn a_stop_answers_whoever_has_no_session() {
    let world = World::new();
    let (_, _, mut call) = world.send(stateless_call(1, "wait")).await;
    begun(&mut call).await;
    let filter = json!({"resourceSubscriptions": ["string://events"]});
    let listen = stateless(2, "subscriptions/listen", json!({"notifications": filter}));
    let (status, _, listening) = world.send(listen).await;
    assert_eq!(status, 200);
    world.stop.cancel();
    world.host.0.notify_one();
    let answer = call.answer().await;
    assert!(is_answer(&answer, 1, "wait"), "{answer}");
    let answer = listening.answer().await;
    assert!(answer["id"] == 2 && answer["result"].is_object(), "{answer}");
    let (status, _, late) = world.send(stateless_call(3, "quick")).await;
    let answer = late.answer().await;
    assert!(status == 200 && is_answer(&answer, 3, "quick"), "{status} {answer}");
}
