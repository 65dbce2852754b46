//! Webhooks and the inbox over HTTP.

use serde_json::Value;
use testkit::Daemon;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::http::{Call, connect, send};

/// The path of the agent's webhook.
async fn webhook(daemon: &Daemon) -> String {
    let answer = Call::new(daemon, "GET", "/agents/default/webhook").send(daemon).await.json();
    let url = answer["url"].as_str().unwrap();
    url.strip_prefix(&format!("http://127.0.0.1:{}", daemon.port)).unwrap().to_owned()
}

/// A post as the world outside sends it: without our token.
fn post(daemon: &Daemon, path: &str, text: &str) -> Call {
    Call::new(daemon, "POST", path).without("Authorization").body("text/plain", text)
}

async fn listed(daemon: &Daemon, query: &str) -> Vec<Value> {
    let answer = Call::new(daemon, "GET", &format!("/events{query}")).send(daemon).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()["events"].as_array().unwrap().clone()
}

#[tokio::test]
async fn a_post_is_kept_until_it_is_acknowledged() {
    let daemon = Daemon::start().await;
    let path = webhook(&daemon).await;
    let answer = post(&daemon, &path, "Run the follow-up now.").send(&daemon).await;
    assert_eq!(answer.status, 202, "{answer:?}");
    let received = answer.json();
    assert_eq!((&received["ok"], &received["agent_id"]), (&true.into(), &"default".into()));
    let id = received["event_id"].as_str().unwrap();
    let events = listed(&daemon, "").await;
    assert_eq!(events[0]["id"], id);
    assert_eq!(
        (&events[0]["text"], &events[0]["state"]),
        (&"Run the follow-up now.".into(), &"pending".into())
    );
    for _ in 0..2 {
        let acked = Call::new(&daemon, "POST", &format!("/events/{id}/ack")).send(&daemon).await;
        assert_eq!((acked.status, &acked.json()["state"]), (200, &"acked".into()));
    }
    assert!(listed(&daemon, "").await.is_empty());
    assert_eq!(listed(&daemon, "?all=true&limit=5").await.len(), 1);
    post(&daemon, &path, "waits").send(&daemon).await;
    let clear = |query: &str| Call::new(&daemon, "DELETE", &format!("/events{query}"));
    assert_eq!(clear("").send(&daemon).await.json()["removed"], 1);
    assert_eq!(listed(&daemon, "?all=true").await.len(), 1, "what waits stays");
    assert_eq!(clear("?all=true").send(&daemon).await.json()["removed"], 1);
    assert_eq!(clear("?everything=1").send(&daemon).await.status, 400);
}

#[tokio::test]
async fn what_cannot_be_taken_is_refused_alike_for_right_and_wrong_addresses() {
    let daemon = Daemon::start().await;
    let path = webhook(&daemon).await;
    let head = |path: &str| {
        format!("POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\n", daemon.port)
    };
    let long = "a".repeat(65_537);
    for path in [path.as_str(), "/webhook/wh_wrong", "/webhook/%ff"] {
        assert_eq!(post(&daemon, path, &long).send(&daemon).await.status, 413, "{path}");
        let chunked = format!("{}Transfer-Encoding: chunked\r\n\r\n10001\r\n{long}\r\n0\r\n\r\n", head(path));
        assert_eq!(send(&daemon, chunked.as_bytes()).await.unwrap().status, 413, "{path}");
        let mut binary = format!("{}Content-Length: 1\r\n\r\n", head(path)).into_bytes();
        binary.push(0xff);
        assert_eq!(send(&daemon, &binary).await.unwrap().status, 400, "{path}");
        let key = post(&daemon, path, "x").with("Idempotency-Key", &"k".repeat(300)).send(&daemon).await;
        assert_eq!((key.status, key.code().as_str()), (400, "INVALID_PARAMS"), "{path}");
    }
    assert_eq!(post(&daemon, &path, &long[..65_536]).send(&daemon).await.status, 202);
    let near = format!("{}0", &path[..path.len() - 1]);
    let near = if near == path { format!("{}1", &path[..path.len() - 1]) } else { near };
    let mut answers = Vec::new();
    for wrong in ["/webhook/wh_wrong", "/webhook/x", "/webhook/%ff", &near, &format!("{path}0")] {
        let answer = post(&daemon, wrong, "x").send(&daemon).await;
        assert_eq!(answer.status, 404, "{wrong}");
        answers.push(answer.body);
    }
    answers.dedup();
    assert_eq!(answers.len(), 1, "{answers:?}");
    assert_eq!(listed(&daemon, "").await.len(), 1);
}

#[tokio::test]
async fn a_webhook_needs_no_token_but_its_own_and_the_inbox_does() {
    let daemon = Daemon::start().await;
    let path = webhook(&daemon).await;
    let foreign = post(&daemon, &path, "x").set("Host", "evil.example").send(&daemon).await;
    assert_eq!(foreign.status, 403);
    let page = post(&daemon, &path, "x").with("Origin", "https://evil.example").send(&daemon).await;
    assert_eq!(page.status, 403);
    for (method, route) in [
        ("GET", "/events"),
        ("GET", "/events/stream"),
        ("POST", "/events/evt_x/ack"),
        ("GET", "/agents/default/webhook"),
        ("POST", "/agents/default/webhook"),
    ] {
        let answer = Call::new(&daemon, method, route).without("Authorization").send(&daemon).await;
        assert_eq!(answer.status, 401, "{method} {route}");
    }
    assert!(listed(&daemon, "").await.is_empty());
}

#[tokio::test]
async fn a_rotated_address_is_dead_and_a_retry_is_the_same_event() {
    let daemon = Daemon::start().await;
    let old = webhook(&daemon).await;
    let rotated = Call::new(&daemon, "POST", "/agents/default/webhook").send(&daemon).await;
    assert_eq!(rotated.status, 200);
    assert_eq!(post(&daemon, &old, "x").send(&daemon).await.status, 404);
    let new = webhook(&daemon).await;
    let retry = post(&daemon, &new, "x").with("Idempotency-Key", "7");
    let (first, second) = (retry.send(&daemon).await, retry.send(&daemon).await);
    assert_eq!((first.status, first.json()), (202, second.json()));
    let other = post(&daemon, &new, "y").with("Idempotency-Key", "7").send(&daemon).await;
    assert_eq!((other.status, other.code().as_str()), (409, "CONFLICT"));
    assert_eq!(listed(&daemon, "").await.len(), 1);
}

/// A stream of events, read as far as needed.
struct Stream {
    connection: TcpStream,
    text: String,
}

impl Stream {
    async fn open(daemon: &Daemon, last: Option<&str>) -> Self {
        let mut call = Call::new(daemon, "GET", "/events/stream");
        if let Some(last) = last {
            call = call.with("Last-Event-ID", last);
        }
        let mut connection = connect(daemon).await;
        connection.write_all(call.text().as_bytes()).await.unwrap();
        Self { connection, text: String::new() }
    }

    async fn next(&mut self) -> (String, Value) {
        loop {
            if let Some((frame, rest)) = self.text.split_once("\n\n")
                && frame.contains("data:")
            {
                let field = |name: &str| {
                    let line = frame.lines().find_map(|line| line.strip_prefix(name));
                    line.unwrap_or_else(|| panic!("no {name} in {frame}")).trim().to_owned()
                };
                assert_eq!(field("event:"), "event");
                let event = (field("id:"), serde_json::from_str(&field("data:")).unwrap());
                self.text = rest.to_owned();
                return event;
            }
            let mut bytes = [0; 4096];
            let count = self.connection.read(&mut bytes).await.unwrap();
            assert_ne!(count, 0, "the stream ended: {}", self.text);
            self.text.push_str(&String::from_utf8_lossy(&bytes[..count]));
        }
    }
}

#[tokio::test]
async fn a_stream_replays_what_is_not_acknowledged_and_goes_on() {
    let daemon = Daemon::start().await;
    let path = webhook(&daemon).await;
    let mut ids = Vec::new();
    for text in ["one", "two", "three"] {
        let answer = post(&daemon, &path, text).send(&daemon).await.json();
        ids.push(answer["event_id"].as_str().unwrap().to_owned());
    }
    Call::new(&daemon, "POST", &format!("/events/{}/ack", ids[1])).send(&daemon).await;
    let mut stream = Stream::open(&daemon, None).await;
    let (id, event) = stream.next().await;
    assert_eq!((&id, &event["text"], &event["state"]), (&ids[0], &"one".into(), &"delivered".into()));
    assert_eq!(stream.next().await.1["text"], "three");
    let live = post(&daemon, &path, "four").send(&daemon).await.json();
    let (id, event) = stream.next().await;
    assert_eq!((id.as_str(), &event["text"]), (live["event_id"].as_str().unwrap(), &"four".into()));
    let mut again = Stream::open(&daemon, Some(&ids[2])).await;
    assert_eq!(again.next().await.1["text"], "four");
    // The last one is later than any id of this age of the world.
    for never_given_out in ["not-ours", "evt_00000000000000000000000000", "evt_7ZZZZZZZZZZZZZZZZZZZZZZZZZ"] {
        let mut unknown = Stream::open(&daemon, Some(never_given_out)).await;
        assert_eq!(unknown.next().await.1["text"], "one", "{never_given_out}");
    }
    assert_eq!(listed(&daemon, "").await.len(), 3);
    daemon.stop().await;
}
