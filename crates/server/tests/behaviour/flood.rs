//! Floods: connections have a cap, readers that never read hold little, and others are not harmed.

use runtime::event::Source;
use testkit::Daemon;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpSocket, TcpStream};
use wire::Activity;

use crate::http::{Call, connect, limited, read};

/// A connection that watches, and therefore stays.
async fn watcher(mut stream: TcpStream, daemon: &Daemon) -> TcpStream {
    stream.write_all(Call::new(daemon, "GET", "/activity/stream").text().as_bytes()).await.unwrap();
    let mut first = [0; 12];
    stream.read_exact(&mut first).await.unwrap();
    assert_eq!(&first, b"HTTP/1.1 200");
    stream
}

/// A connection that has asked for something.
async fn sent(daemon: &Daemon, call: &Call) -> TcpStream {
    let mut stream = connect(daemon).await;
    stream.write_all(call.text().as_bytes()).await.unwrap();
    stream
}

/// A connection whose side takes next to nothing.
async fn narrow(daemon: &Daemon) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    socket.connect(([127, 0, 0, 1], daemon.port).into()).await.unwrap()
}

#[tokio::test]
async fn connections_over_the_cap_wait_until_one_ends() {
    let daemon = limited(|limits| limits.connections = 4).await;
    let mut held = Vec::new();
    for _ in 0..4 {
        held.push(watcher(connect(&daemon).await, &daemon).await);
    }
    let mut waiting = connect(&daemon).await;
    waiting.write_all(Call::new(&daemon, "GET", "/health").text().as_bytes()).await.unwrap();
    for _ in 0..20 {
        assert!(daemon.exec("main", "/info").await.ok, "the socket has places of its own");
    }
    assert_eq!(waiting.try_read(&mut [0; 1]).unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
    drop(held.pop());
    assert_eq!(read(&mut waiting).await.unwrap().status, 200);
}

#[tokio::test]
async fn streams_over_their_cap_are_refused_and_others_find_a_place() {
    let daemon = limited(|limits| limits.streams = 3).await;
    let mut held = Vec::new();
    for _ in 0..3 {
        held.push(watcher(connect(&daemon).await, &daemon).await);
    }
    let listen = |call: Call| {
        call.with("Accept", "application/json, text/event-stream")
            .with("Mcp-Method", "subscriptions/listen")
            .json("{}")
    };
    for refused in [
        Call::new(&daemon, "GET", "/activity/stream"),
        Call::new(&daemon, "GET", "/events/stream"),
        Call::new(&daemon, "GET", "/mcp"),
        listen(Call::new(&daemon, "POST", "/mcp")),
    ] {
        let answer = read(&mut sent(&daemon, &refused).await).await.unwrap();
        assert_eq!((answer.status, answer.code().as_str()), (429, "QUEUE_FULL"), "{refused:?}: {answer:?}");
    }
    assert_eq!(Call::new(&daemon, "GET", "/health").send(&daemon).await.status, 200);
    let watching = daemon.client().activity().await;
    assert!(watching.is_ok(), "the socket has places of its own");
    held.pop();
    // The daemon sees that it has ended when it sees it.
    while Call::new(&daemon, "GET", "/events/stream").send(&daemon).await.status != 200 {}
}

#[test]
fn a_thousand_streams_leave_connections_for_others() {
    let limits = server::Limits::default();
    assert!(limits.streams >= 1_000 && limits.streams + 500 <= limits.connections, "{limits:?}");
}

#[tokio::test]
async fn a_full_socket_leaves_the_port_alone() {
    let daemon = limited(|limits| limits.connections = 2).await;
    let watching = [daemon.client().activity().await.unwrap(), daemon.client().activity().await.unwrap()];
    let answer = Call::new(&daemon, "GET", "/describe").send(&daemon).await;
    assert_eq!(answer.status, 200);
    drop(watching);
    assert!(daemon.exec("main", "/info").await.ok);
}

#[tokio::test]
async fn watchers_that_never_read_miss_events_and_harm_nobody() {
    let daemon = Daemon::start().await;
    let mut deaf = Vec::new();
    for _ in 0..8 {
        deaf.push(watcher(narrow(&daemon).await, &daemon).await);
    }
    // Long lines fill the buffers of the kernel sooner; what is shown of them is short all the same.
    let long = format!("/open {}", "x".repeat(10_000));
    for _ in 0..8_000 {
        let request = runtime::Request {
            agent: "default".into(),
            topic: "main".into(),
            payload: long.clone(),
            cwd: None,
            task: None,
            origin: runtime::Origin::Network,
        };
        daemon.runtime.exec(request, std::sync::Arc::new(runtime::sink::Discard)).await;
    }
    let mut watching = daemon.client().activity().await.unwrap();
    assert!(daemon.exec("main", "/info").await.ok);
    assert!(
        matches!(watching.next().await.unwrap(), Some(Activity::Command { command, .. }) if command == "/info")
    );
    let mut heard = String::new();
    let mut stream = deaf.pop().unwrap();
    while !heard.contains("event: missed") {
        let mut bytes = [0; 65536];
        let count = stream.read(&mut bytes).await.unwrap();
        assert_ne!(count, 0, "the stream goes on");
        heard = heard.split_off(heard.floor_char_boundary(heard.len().saturating_sub(100)));
        heard.push_str(&String::from_utf8_lossy(&bytes[..count]));
    }
}

#[tokio::test]
async fn readers_of_events_that_never_read_harm_nobody() {
    let daemon = Daemon::start().await;
    let agent = daemon.runtime.agents.named("default").unwrap();
    let post = |text: String| daemon.runtime.events.post(&agent.id, Source::Webhook, text, None);
    post("first".into()).await.unwrap();
    let mut deaf = Vec::new();
    for _ in 0..8 {
        let mut stream = narrow(&daemon).await;
        let call = Call::new(&daemon, "GET", "/events/stream");
        stream.write_all(call.text().as_bytes()).await.unwrap();
        deaf.push(stream);
    }
    for _ in 0..60 {
        post("x".repeat(16 * 1024)).await.unwrap();
    }
    assert!(daemon.exec("event", "/events").await.ok);
    let mut reading = connect(&daemon).await;
    let call = Call::new(&daemon, "GET", "/events/stream");
    reading.write_all(call.text().as_bytes()).await.unwrap();
    let mut lines = BufReader::new(reading).lines();
    // Every event of the backlog arrives, whatever the others do.
    let mut seen = 0;
    while seen < 61 {
        let line = lines.next_line().await.unwrap().expect("the stream goes on");
        seen += usize::from(line.starts_with("id: "));
    }
}

#[tokio::test]
async fn topics_over_the_cap_are_refused_and_those_open_go_on() {
    let daemon = Daemon::start().await;
    let agent = daemon.runtime.agents.named("default").unwrap();
    let topics = daemon.runtime.sessions.of(&agent.id);
    assert!(daemon.exec("main", "/info").await.ok);
    let open = |number: usize| topics.enter(&runtime::topic::Topic::parse(&format!("t{number}")).unwrap());
    let opened = (0..runtime::session::TOPICS_MAX + 10).filter(|number| open(*number).is_ok()).count();
    assert_eq!(opened, runtime::session::TOPICS_MAX - 1);
    let refused = daemon.exec("one-more", "/info").await;
    assert_eq!((refused.ok, refused.code.as_deref()), (false, Some("TOO_MANY_TOPICS")));
    assert!(refused.content.contains("/session close"), "{}", refused.content);
    let created = Call::new(&daemon, "POST", "/sessions").json(r#"{"topic":"one-more"}"#).send(&daemon).await;
    assert_eq!((created.status, created.code().as_str()), (429, "TOO_MANY_TOPICS"));
    let reply = daemon.exec("main", "/topics").await;
    assert!(reply.ok && reply.content.len() <= runtime::reply::REPLY_MAX, "{}", reply.content.len());
    let error = daemon.exec("main", "/session close none").await;
    assert!(error.content.len() < 2_000 && error.content.contains("more"), "{}", error.content);
    assert!(daemon.exec("main", "/session close t7").await.ok);
    assert!(daemon.exec("one-more", "/info").await.ok, "there is room again");
}
