//! The client against a scripted daemon: each connection gets one prepared answer, byte for byte.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::path::{Path, PathBuf};

use client::{AgentId, Client, Daemon, Error, Event};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixListener;
use tokio::task::JoinHandle;
use wire::{Activity, ExecRequest, REQUEST_MAX};

const REPLY: &str = r#"{"ok":true,"topic":"main","topic_type":"tab","content":"Session info"}"#;

struct Fake {
    socket: PathBuf,
    /// The requests, once all answers are given.
    requests: JoinHandle<Vec<String>>,
    _folder: TempDir,
}

/// Answers one connection per given text.
fn fake(answers: &[String]) -> Fake {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("string.sock");
    Fake { requests: serve(&socket, answers), socket, _folder: folder }
}

fn serve(socket: &Path, answers: &[String]) -> JoinHandle<Vec<String>> {
    let listener = UnixListener::bind(socket).unwrap();
    let answers = answers.to_vec();
    tokio::spawn(async move {
        let mut requests = Vec::new();
        for answer in answers {
            let (stream, _) = listener.accept().await.unwrap();
            requests.push(talk(stream, &answer).await);
        }
        requests
    })
}

async fn talk(mut stream: impl AsyncReadExt + AsyncWriteExt + Unpin, answer: &str) -> String {
    let mut request = Vec::new();
    while !complete(&request) {
        assert_ne!(stream.read_buf(&mut request).await.unwrap(), 0, "the request ended early");
    }
    stream.write_all(answer.as_bytes()).await.unwrap();
    String::from_utf8(request).unwrap()
}

fn complete(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request);
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    body.len() >= length.map_or(0, |length| length.parse().unwrap())
}

fn http(status: &str, headers: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\n{headers}content-length: {}\r\n\r\n{body}", body.len())
}

/// A stream whose pieces arrive one by one, whole or without its end.
fn chunked(pieces: &[&str], end: &str) -> String {
    let chunks: String = pieces.iter().map(|piece| format!("{:x}\r\n{piece}\r\n", piece.len())).collect();
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n{chunks}{end}"
    )
}

fn info() -> ExecRequest {
    ExecRequest { topic: "main".into(), cmd: "/info".into(), ..Default::default() }
}

async fn all(client: &Client) -> Result<Vec<Event>, Error> {
    let mut execution = client.stream(&info()).await?;
    let mut events = Vec::new();
    while let Some(event) = execution.next().await? {
        events.push(event);
    }
    Ok(events)
}

#[tokio::test]
async fn a_command_travels_with_agent_and_version() {
    let fake = fake(&[http("200 OK", "", REPLY)]);
    let client = Client::unix(&fake.socket).agent(AgentId::parse("codex").unwrap());
    let answer = client.exec(&info()).await.unwrap();
    assert_eq!((answer.reply.content.as_str(), answer.daemon), ("Session info", Daemon::Current));
    let request = fake.requests.await.unwrap().remove(0);
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("POST /exec HTTP/1.1\r\n"), "{head}");
    for line in [
        "host: localhost",
        "accept: application/json",
        "content-type: application/json",
        "x-agent-id: codex",
        concat!("x-string-version: ", env!("CARGO_PKG_VERSION")),
    ] {
        assert!(head.lines().any(|found| found == line), "{line} is missing in {head}");
    }
    assert_eq!(serde_json::from_str::<ExecRequest>(body).unwrap(), info());
}

#[tokio::test]
async fn a_streamed_reply_comes_whole_from_split_pieces() {
    let pieces = [
        "event: he",
        "ad\ndata: {\"ok\":null,\"topic\":\"main\"}\n\nevent: output\ndata: \"a\\nb\"\n",
        "\nevent: later\ndata: 1\n\n: beat\n\nevent: progress\ndata: \"50 %\"\n\nevent: content\ndata: \"Se",
        "ssion info\"\n\nevent: done\ndata: {\"ok\":true,\"topic\":\"main\"}\n\n",
    ];
    let fake = fake(&[chunked(&pieces, "0\r\n\r\n")]);
    let events = all(&Client::unix(&fake.socket)).await.unwrap();
    let [
        Event::Head(head),
        Event::Output(output),
        Event::Progress(progress),
        Event::Content(content),
        Event::Done(done),
    ] = events.as_slice()
    else {
        panic!("{events:?}")
    };
    assert_eq!((head.ok, done.ok), (None, true));
    assert_eq!((output.as_str(), progress.as_str(), content.as_str()), ("a\nb", "50 %", "Session info"));
}

#[tokio::test]
async fn a_stream_that_ends_early_is_an_error() {
    let head = ["event: head\ndata: {\"ok\":true,\"topic\":\"main\"}\n\n"];
    let fake = fake(&[chunked(&head, "0\r\n\r\n"), chunked(&head, "")]);
    let client = Client::unix(&fake.socket);
    let ended = all(&client).await.unwrap_err();
    assert!(matches!(ended, Error::Incomplete), "{ended:?}");
    let cut = all(&client).await.unwrap_err();
    assert!(matches!(cut, Error::Broken(_)), "{cut:?}");
}

#[tokio::test]
async fn a_daemon_that_hangs_up_is_not_one_that_is_missing() {
    let fake = fake(&[String::new()]);
    let error = Client::unix(&fake.socket).exec(&info()).await.unwrap_err();
    assert!(matches!(error, Error::Broken(_)), "{error:?}");
}

#[tokio::test]
async fn a_daemon_that_closes_without_reading_is_as_good_as_missing() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("string.sock");
    let listener = UnixListener::bind(&socket).unwrap();
    let call = tokio::spawn(async move { Client::unix(&socket).exec(&info()).await });
    let (stream, _) = listener.accept().await.unwrap();
    stream.readable().await.unwrap();
    drop(stream);
    let error = call.await.unwrap().unwrap_err();
    assert!(matches!(error, Error::NotReachable { .. }), "{error:?}");
}

#[tokio::test]
async fn errors_of_the_daemon_keep_code_message_and_hints() {
    let body = r#"{"error":{"code":"QUEUE_FULL","message":"Too many wait.","hints":["Try later."]}}"#;
    let fake = fake(&[
        http("429 Too Many Requests", "", body),
        http("431 Request Header Fields Too Large", "", ""),
        http("500 Internal Server Error", "", "panicked\nat x"),
    ]);
    let client = Client::unix(&fake.socket);
    let mut found = Vec::new();
    for _ in 0..3 {
        match client.exec(&info()).await.unwrap_err() {
            Error::Refused { status, error } => found.push((status, error.code, error.message, error.hints)),
            other => panic!("{other:?}"),
        }
    }
    let row = |status, code: &str, message: &str, hints: &[&str]| {
        (status, code.to_owned(), message.to_owned(), hints.iter().map(|hint| (*hint).to_owned()).collect())
    };
    assert_eq!(
        found,
        [
            row(429, "QUEUE_FULL", "Too many wait.", &["Try later."]),
            row(431, "INTERNAL_ERROR", "The daemon answered 431 Request Header Fields Too Large.", &[]),
            row(500, "INTERNAL_ERROR", "The daemon answered 500 Internal Server Error: panicked", &[]),
        ]
    );
}

#[tokio::test]
async fn an_older_daemon_is_told_apart_idle_and_busy() {
    let body = r#"{"error":{"code":"OUTDATED","message":"older","hints":[]}}"#;
    let fake = fake(&[
        http("426 Upgrade Required", "", body),
        http("200 OK", "x-string-outdated: 0.0.1\r\n", REPLY),
    ]);
    let client = Client::unix(&fake.socket);
    let idle = client.exec(&info()).await.unwrap_err();
    assert!(matches!(idle, Error::Outdated), "{idle:?}");
    assert_eq!(client.exec(&info()).await.unwrap().daemon, Daemon::Outdated);
}

#[tokio::test]
async fn a_reply_that_is_not_json_is_unreadable() {
    let fake = fake(&[http("200 OK", "", "hello")]);
    let error = Client::unix(&fake.socket).exec(&info()).await.unwrap_err();
    assert!(matches!(error, Error::Unreadable(_)), "{error:?}");
}

#[tokio::test]
async fn a_request_that_is_too_large_is_not_sent() {
    let fake = fake(&[]);
    let error = Client::unix(&fake.socket).chanflow("x".repeat(REQUEST_MAX + 1), None).await.unwrap_err();
    assert!(matches!(error, Error::TooLarge), "{error:?}");
}

#[tokio::test]
async fn nobody_listening_is_not_reachable() {
    let folder = tempfile::tempdir().unwrap();
    let stale = folder.path().join("stale.sock");
    drop(std::os::unix::net::UnixListener::bind(&stale).unwrap());
    for path in
        [stale, folder.path().join("none.sock"), folder.path().join("x".repeat(120)).join("string.sock")]
    {
        let error = Client::unix(&path).health().await.unwrap_err();
        assert!(matches!(error, Error::NotReachable { .. }), "{error:?}");
    }
}

#[tokio::test]
async fn a_root_too_long_for_a_socket_path_works() {
    let folder = tempfile::tempdir().unwrap();
    let deep = folder.path().join("d".repeat(100)).join("e".repeat(100));
    std::fs::create_dir_all(&deep).unwrap();
    // Bound through a short name, as the daemon does it.
    let short = folder.path().join("short");
    std::os::unix::fs::symlink(&deep, &short).unwrap();
    let requests = serve(&short.join("string.sock"), &[http("200 OK", "", REPLY)]);
    let answer = Client::unix(deep.join("string.sock")).exec(&info()).await.unwrap();
    assert_eq!(answer.reply.topic, "main");
    assert_eq!(requests.await.unwrap().len(), 1);
}

#[tokio::test]
async fn chanflow_is_text_in_and_text_out() {
    let fake = fake(&[http("200 OK", "", "<𝒞=string:a>\nok\n</𝒞>\n")]);
    let text = Client::unix(&fake.socket).chanflow("<𝒞=string:a>/info</𝒞>", Some("/ä b")).await.unwrap();
    assert_eq!(text, "<𝒞=string:a>\nok\n</𝒞>\n");
    let request = fake.requests.await.unwrap().remove(0);
    assert!(request.starts_with("POST /chanflow?cwd=%2F%C3%A4%20b HTTP/1.1\r\n"), "{request}");
    assert!(request.ends_with("\r\n\r\n<𝒞=string:a>/info</𝒞>"), "{request}");
}

#[tokio::test]
async fn activity_is_typed_and_ends_with_the_daemon() {
    let events = [
        "event: command\ndata: {\"kind\":\"command\",\"time\":\"t\",\"agent\":\"a\",\"topic\":\"main\",\"command\":\"/info\"}\n\n",
        "event: missed\ndata: {\"kind\":\"missed\",\"count\":3}\n\n",
    ];
    let fake = fake(&[chunked(&events, "0\r\n\r\n")]);
    let mut activities = Client::unix(&fake.socket).activity().await.unwrap();
    assert!(matches!(activities.next().await.unwrap(), Some(Activity::Command { .. })));
    assert_eq!(activities.next().await.unwrap(), Some(Activity::Missed { count: 3 }));
    assert_eq!(activities.next().await.unwrap(), None);
}
