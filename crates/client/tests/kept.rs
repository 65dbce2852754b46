//! Kept connections against a scripted daemon: how many there are, and what becomes of a request that meets the end
//! of one.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::path::PathBuf;

use client::{Client, Error};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};
use wire::ExecRequest;

const REPLY: &str = r#"{"ok":true,"topic":"main","topic_type":"tab","content":"Session info"}"#;

struct Scene {
    listener: UnixListener,
    client: Client,
    _folder: TempDir,
}

fn scene() -> Scene {
    let folder = tempfile::tempdir().unwrap();
    let socket: PathBuf = folder.path().join("string.sock");
    let listener = UnixListener::bind(&socket).unwrap();
    Scene { listener, client: Client::unix(socket).keeping(), _folder: folder }
}

impl Scene {
    async fn accept(&self) -> UnixStream {
        self.listener.accept().await.unwrap().0
    }

    /// The connection of a first call, which is over.
    async fn begin(&self) -> UnixStream {
        let (first, stream) = tokio::join!(info(&self.client), async {
            let mut stream = self.accept().await;
            answer(&mut stream).await;
            stream
        });
        first.unwrap();
        stream
    }

    /// Whether somebody waits to be accepted.
    async fn is_called(&self) -> bool {
        tokio::select! {
            biased;
            _ = self.listener.accept() => true,
            () = tokio::task::yield_now() => false,
        }
    }
}

async fn info(client: &Client) -> Result<String, Error> {
    let request = ExecRequest { topic: "main".into(), cmd: "/info".into(), ..Default::default() };
    client.exec(&request).await.map(|answer| answer.reply.content)
}

async fn read(stream: &mut UnixStream) {
    let mut request = Vec::new();
    while !request.ends_with(b"}") {
        assert_ne!(stream.read_buf(&mut request).await.unwrap(), 0, "the request ended early");
    }
}

async fn answer(stream: &mut UnixStream) {
    read(stream).await;
    let reply = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{REPLY}", REPLY.len());
    stream.write_all(reply.as_bytes()).await.unwrap();
}

#[tokio::test]
async fn one_connection_serves_call_after_call() {
    let scene = scene();
    let mut stream = scene.begin().await;
    for _ in 0..3 {
        let (reply, ()) = tokio::join!(info(&scene.client), answer(&mut stream));
        assert_eq!(reply.unwrap(), "Session info");
    }
    assert!(!scene.is_called().await);
}

#[tokio::test]
async fn calls_at_once_have_a_connection_each() {
    let scene = scene();
    let (one, two, ()) = tokio::join!(info(&scene.client), info(&scene.client), async {
        let (mut one, mut two) = (scene.accept().await, scene.accept().await);
        answer(&mut two).await;
        answer(&mut one).await;
    });
    one.unwrap();
    two.unwrap();
}

#[tokio::test]
async fn a_connection_that_was_closed_meanwhile_is_replaced() {
    let scene = scene();
    drop(scene.begin().await);
    let (second, ()) = tokio::join!(info(&scene.client), async {
        answer(&mut scene.accept().await).await;
    });
    assert_eq!(second.unwrap(), "Session info");
}

#[tokio::test]
async fn a_request_that_nobody_read_is_sent_again_and_one_that_may_have_run_is_not() {
    let scene = scene();
    let stream = scene.begin().await;
    let (unread, mut stream) = tokio::join!(info(&scene.client), async {
        stream.readable().await.unwrap();
        drop(stream);
        let mut stream = scene.accept().await;
        answer(&mut stream).await;
        stream
    });
    assert_eq!(unread.unwrap(), "Session info");
    let (lost, ()) = tokio::join!(info(&scene.client), async {
        read(&mut stream).await;
        drop(stream);
    });
    assert!(matches!(lost.unwrap_err(), Error::Broken(_)));
    assert!(!scene.is_called().await, "it may have run");
}

#[tokio::test]
async fn a_caller_that_goes_away_closes_its_connection() {
    let scene = scene();
    let (client, call) = (scene.client.clone(), async |client: Client| info(&client).await);
    let call = tokio::spawn(async move { call(client).await });
    let mut stream = scene.accept().await;
    read(&mut stream).await;
    call.abort();
    assert_eq!(stream.read(&mut [0; 8]).await.unwrap(), 0, "the daemon sees that nobody waits");
}
