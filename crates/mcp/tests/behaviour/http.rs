//! Sessions over HTTP: what ends them, what comes back after a broken connection, and requests that share an id.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::Request;
use http_body::Body;
use http_body_util::BodyExt;
use mcp::{Refused, SessionLimits, Sessions};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::host::{Waiting, is_answer};

pub(crate) const SESSION: &str = "Mcp-Session-Id";
const IDLE: Duration = Duration::from_mins(5);

pub(crate) struct World {
    pub(crate) host: Arc<Waiting>,
    pub(crate) sessions: Sessions<Waiting>,
    pub(crate) stop: CancellationToken,
}

/// What a server-sent event says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Said {
    id: String,
    pub(crate) message: Value,
}

/// A response that is read event by event.
pub(crate) struct Stream(Pin<Box<dyn Body<Data = Bytes, Error = Infallible> + Send>>);

impl Stream {
    /// The next event; none when the stream has ended.
    pub(crate) async fn next(&mut self) -> Option<Said> {
        loop {
            let frame = self.0.frame().await?.unwrap().into_data().unwrap();
            let text = String::from_utf8(frame.to_vec()).unwrap();
            let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
            // A comment keeps the connection alive.
            let Some(data) = field("data:") else { continue };
            let message = if data.is_empty() { Value::Null } else { serde_json::from_str(data).unwrap() };
            return Some(Said { id: field("id:").unwrap_or_default().to_owned(), message });
        }
    }

    /// The answer, which is what a request's stream ends with.
    pub(crate) async fn answer(mut self) -> Value {
        let mut last = Value::Null;
        while let Some(said) = self.next().await {
            last = said.message;
        }
        last
    }
}

impl World {
    pub(crate) fn new() -> Self {
        let host = Arc::new(Waiting::default());
        let limits = SessionLimits { sessions: 8, idle: IDLE, body_bytes: 1024 * 1024 };
        let stop = CancellationToken::new();
        let sessions = Sessions::new(Arc::clone(&host), "1".to_owned(), limits, stop.clone());
        Self { host, sessions, stop }
    }

    pub(crate) async fn send(&self, request: Request<Bytes>) -> (u16, Option<String>, Stream) {
        let response = self.sessions.handle(request).await.unwrap();
        let session = response.headers().get(SESSION).map(|id| id.to_str().unwrap().to_owned());
        (response.status().as_u16(), session, Stream(Box::pin(response.into_body())))
    }

    async fn post(&self, session: Option<&str>, message: Value) -> (u16, Option<String>, Stream) {
        let mut request = Request::post("/mcp")
            .header("Host", "localhost")
            .header("Accept", "application/json, text/event-stream")
            .header("Content-Type", "application/json");
        if let Some(session) = session {
            request = request.header(SESSION, session);
        }
        self.send(request.body(message.to_string().into()).unwrap()).await
    }

    pub(crate) async fn greet(&self) -> String {
        let client = json!({"name": "test", "version": "1"});
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
        let greeting = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
        let (status, session, stream) = self.post(None, greeting).await;
        assert_eq!(status, 200);
        assert!(stream.answer().await["result"].is_object());
        let session = session.unwrap();
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        assert_eq!(self.post(Some(&session), ready).await.0, 202);
        session
    }

    /// Begins a call. Its stream gives its first event, which names it and says nothing.
    pub(crate) async fn call(&self, session: &str, id: u32, cmd: &str) -> Stream {
        let params = json!({
            "name": "string", "arguments": {"cmd": cmd}, "_meta": {"progressToken": format!("of {id} {cmd}")},
        });
        let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
        let (status, _, stream) = self.post(Some(session), call).await;
        assert_eq!(status, 200);
        stream
    }

    pub(crate) async fn is_open(&self, session: &str) -> bool {
        let ping = json!({"jsonrpc": "2.0", "id": "ping", "method": "ping"});
        self.post(Some(session), ping).await.0 == 200
    }

    pub(crate) async fn listen(&self, session: &str, after: Option<&str>) -> Result<Stream, Refused> {
        let mut request = Request::get("/mcp")
            .header("Host", "localhost")
            .header("Accept", "text/event-stream")
            .header(SESSION, session);
        if let Some(after) = after {
            request = request.header("Last-Event-ID", after);
        }
        let response = self.sessions.handle(request.body(Bytes::new()).unwrap()).await?;
        assert_eq!(response.status(), 200);
        Ok(Stream(Box::pin(response.into_body())))
    }
}

#[tokio::test(start_paused = true)]
async fn a_session_that_nobody_uses_ends() {
    let world = World::new();
    let session = world.greet().await;
    tokio::time::sleep(IDLE / 2).await;
    assert!(world.is_open(&session).await);
    tokio::time::sleep(IDLE * 2).await;
    assert!(!world.is_open(&session).await);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_runs_is_a_use_whether_anybody_reads_its_answer_or_not() {
    let world = World::new();
    for is_read in [true, false] {
        let session = world.greet().await;
        let mut stream = world.call(&session, 1, "wait").await;
        let begun = stream.next().await.unwrap();
        let kept = is_read.then_some(stream);
        tokio::time::sleep(IDLE * 3).await;
        world.host.0.notify_one();
        let answer = match kept {
            Some(stream) => stream.answer().await,
            None => world.listen(&session, Some(&begun.id)).await.unwrap().answer().await,
        };
        assert!(is_answer(&answer, 1, "wait"), "{answer}");
        tokio::time::sleep(IDLE * 2).await;
        assert!(!world.is_open(&session).await, "nobody uses it any more");
    }
}

#[tokio::test(start_paused = true)]
async fn an_open_stream_is_a_use() {
    let world = World::new();
    let session = world.greet().await;
    let listening = world.listen(&session, None).await.unwrap();
    tokio::time::sleep(IDLE * 3).await;
    assert!(world.is_open(&session).await);
    drop(listening);
    tokio::time::sleep(IDLE * 2).await;
    assert!(!world.is_open(&session).await);
}

#[tokio::test]
async fn what_came_behind_an_event_is_there_for_whoever_comes_back() {
    let world = World::new();
    let session = world.greet().await;
    let mut stream = world.call(&session, 1, "wait").await;
    let first = stream.next().await.unwrap();
    let progress = stream.next().await.unwrap();
    assert_eq!((&first.message, &progress.message["params"]["message"]), (&Value::Null, &json!("begun")));
    drop(stream);
    // Before the end, and each time that it is asked for after the end.
    let mut during = world.listen(&session, Some(&first.id)).await.unwrap();
    assert_eq!(during.next().await.unwrap(), progress, "the first event is known already");
    let mut later = world.listen(&session, Some(&progress.id)).await.unwrap();
    world.host.0.notify_one();
    assert!(is_answer(&later.next().await.unwrap().message, 1, "wait"));
    assert_eq!(later.next().await, None, "the answer is the last of it");
    for _ in 0..2 {
        let mut after = world.listen(&session, Some(&progress.id)).await.unwrap();
        assert!(is_answer(&after.next().await.unwrap().message, 1, "wait"));
        assert_eq!(after.next().await, None);
    }
}

#[tokio::test]
async fn an_event_that_there_is_not_is_refused() {
    let world = World::new();
    let session = world.greet().await;
    world.call(&session, 1, "quick").await.answer().await;
    for bogus in ["x", "", "99", "0/99", "99/2", "-1"] {
        assert_eq!(world.listen(&session, Some(bogus)).await.err(), Some(Refused::NoEvent), "{bogus:?}");
    }
}

#[tokio::test]
async fn a_second_request_with_an_id_that_waits_is_refused_and_the_first_is_answered() {
    let world = World::new();
    let session = world.greet().await;
    let mut first = world.call(&session, 7, "wait one").await;
    while first.next().await.unwrap().message.is_null() {}
    let second = world.call(&session, 7, "quick two").await.answer().await;
    assert_eq!((&second["id"], &second["error"]["code"]), (&json!(7), &json!(-32600)), "{second}");
    world.host.0.notify_one();
    assert!(is_answer(&first.answer().await, 7, "wait one"));
    assert!(is_answer(&world.call(&session, 7, "quick three").await.answer().await, 7, "quick three"));
}

#[tokio::test]
async fn a_cancelled_call_is_not_answered_and_its_stream_ends() {
    let world = World::new();
    let session = world.greet().await;
    let mut stream = world.call(&session, 7, "wait").await;
    while stream.next().await.unwrap().message.is_null() {}
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}});
    assert_eq!(world.post(Some(&session), cancel).await.0, 202);
    assert_eq!(stream.next().await, None);
}

#[tokio::test]
async fn the_answer_of_a_cancelled_call_is_not_that_of_a_later_one_with_its_id() {
    let world = World::new();
    let session = world.greet().await;
    let mut first = world.call(&session, 7, "wait one").await;
    while first.next().await.unwrap().message.is_null() {}
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}});
    assert_eq!(world.post(Some(&session), cancel).await.0, 202);
    let mut second = world.call(&session, 7, "wait two").await;
    while second.next().await.unwrap().message.is_null() {}
    // The first runs on, and ends first.
    world.host.0.notify_one();
    world.host.0.notify_one();
    let answer = second.answer().await;
    assert!(is_answer(&answer, 7, "wait two"), "{answer}");
    assert_eq!(first.next().await, None);
}
