//! `/fs` by the rules of HTTP: ranges, conditions, and files larger than anything that is held in memory.

use std::io::Write;

use serde_json::json;
use testkit::Daemon;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::http::{Answer, Call, connect};

const TEN: &str = "0123456789";

async fn token(daemon: &Daemon) -> String {
    let terms = json!({"path": "~/box", "verbs": ["get", "put", "delete"], "quota_bytes": 1u64 << 32});
    let minted =
        Call::new(daemon, "POST", "/capabilities").json(&terms.to_string()).send(daemon).await.json();
    minted["token"].as_str().unwrap().to_owned()
}

fn call(daemon: &Daemon, token: &str, method: &str, name: &str) -> Call {
    let target = format!("/fs/~/box/{name}");
    Call::new(daemon, method, &target).set("Authorization", &format!("Bearer {token}"))
}

/// A file as it is described once nothing can change it unseen any more.
async fn settled(daemon: &Daemon, token: &str, name: &str) -> Answer {
    loop {
        let answer = call(daemon, token, "HEAD", name).send(daemon).await;
        if !answer.header("etag").unwrap().starts_with("W/") {
            return answer;
        }
    }
}

async fn etag(daemon: &Daemon, token: &str, name: &str) -> String {
    settled(daemon, token, name).await.header("etag").unwrap().to_owned()
}

#[tokio::test]
async fn a_part_of_a_file_is_sent_alone() {
    let daemon = Daemon::start().await;
    daemon.home.write("box/ten", TEN);
    daemon.home.write("box/empty", "");
    let token = token(&daemon).await;
    let ranged = async |name: &str, range: &str| {
        call(&daemon, &token, "GET", name).with("Range", range).send(&daemon).await
    };
    for (range, body, content_range) in [
        ("bytes=2-4", "234", "bytes 2-4/10"),
        ("bytes=-1", "9", "bytes 9-9/10"),
        ("bytes=8-99", "89", "bytes 8-9/10"),
    ] {
        let answer = ranged("ten", range).await;
        assert_eq!((answer.status, answer.body.as_str()), (206, body), "{range}");
        assert_eq!(answer.header("content-range"), Some(content_range));
        assert_eq!(answer.header("content-length"), Some(body.len().to_string().as_str()));
    }
    for range in ["bytes=0-1,3-4", "bytes=4-2", "lines=1-2", "nonsense"] {
        let answer = ranged("ten", range).await;
        assert_eq!((answer.status, answer.body.as_str()), (200, TEN), "{range}");
    }
    for (name, range, size) in [("ten", "bytes=10-", "bytes */10"), ("empty", "bytes=0-0", "bytes */0")] {
        let answer = ranged(name, range).await;
        assert_eq!((answer.status, answer.header("content-range")), (416, Some(size)), "{range}");
        assert_eq!(answer.code(), "INVALID_PARAMS");
    }
    let etag = etag(&daemon, &token, "ten").await;
    for (if_range, status) in
        [(etag.as_str(), 206), ("\"other\"", 200), ("Thu, 01 Jan 1970 00:00:00 GMT", 200)]
    {
        let answer =
            call(&daemon, &token, "GET", "ten").with("Range", "bytes=0-0").with("If-Range", if_range);
        assert_eq!(answer.send(&daemon).await.status, status, "{if_range}");
    }
}

#[tokio::test]
async fn what_the_caller_has_is_not_sent_again() {
    let daemon = Daemon::start().await;
    daemon.home.write("box/ten", TEN);
    let token = token(&daemon).await;
    let with = async |method: &str, name: &str, value: &str| -> Answer {
        call(&daemon, &token, method, "ten").with(name, value).send(&daemon).await
    };
    let first = settled(&daemon, &token, "ten").await;
    let (etag, date) = (first.header("etag").unwrap(), first.header("last-modified").unwrap());
    let (weak, list) = (format!("W/{etag}"), format!("\"a\", {etag}"));
    let long_ago = "Thu, 01 Jan 1970 00:00:00 GMT";
    let table = [
        ("If-None-Match", etag, 304),
        ("If-None-Match", &weak, 304),
        ("If-None-Match", &list, 304),
        ("If-None-Match", "*", 304),
        ("If-None-Match", "\"other\"", 200),
        ("If-Modified-Since", date, 304),
        ("If-Modified-Since", long_ago, 200),
        ("If-Modified-Since", "yesterday", 200),
        ("If-Match", etag, 200),
        ("If-Match", "*", 200),
        ("If-Match", &weak, 412),
        ("If-Match", "\"other\"", 412),
        ("If-Unmodified-Since", date, 200),
        ("If-Unmodified-Since", long_ago, 412),
    ];
    for (name, value, status) in table {
        for method in ["GET", "HEAD"] {
            let answer = with(method, name, value).await;
            assert_eq!(answer.status, status, "{method} {name}: {value}");
            if status == 304 {
                assert_eq!((answer.header("etag"), answer.body.as_str()), (Some(etag), ""));
            }
        }
    }
    let both = call(&daemon, &token, "GET", "ten")
        .with("If-None-Match", "\"other\"")
        .with("If-Modified-Since", date);
    assert_eq!(both.send(&daemon).await.status, 200, "a tag counts before a date");
}

#[tokio::test]
async fn only_what_the_caller_expects_is_replaced_or_removed() {
    let daemon = Daemon::start().await;
    daemon.home.write("box/ten", TEN);
    let token = token(&daemon).await;
    let put = async |name: &str, header: (&str, &str)| {
        let call = call(&daemon, &token, "PUT", name).with(header.0, header.1);
        call.body("text/plain", "new").send(&daemon).await
    };
    assert_eq!(put("ten", ("If-None-Match", "*")).await.status, 412);
    assert_eq!(put("ten", ("If-Match", "\"other\"")).await.status, 412);
    assert_eq!(put("none", ("If-Match", "*")).await.status, 412);
    assert_eq!(daemon.home.read("box/ten"), TEN);
    assert!(!daemon.home.exists("box/none"));
    assert_eq!(put("none", ("If-None-Match", "*")).await.status, 201);
    let old = etag(&daemon, &token, "ten").await;
    let put_again = put("ten", ("If-Match", &old)).await;
    assert_eq!((put_again.status, daemon.home.read("box/ten")), (204, "new".into()));
    assert_eq!(put("ten", ("If-Match", &old)).await.status, 412, "it is another file now");
    let fresh = put_again.header("etag").unwrap();
    assert!(fresh.starts_with("W/"), "it may be another file soon: {fresh}");
    assert_eq!(put("ten", ("If-Match", fresh)).await.status, 412);
    let remove = async |etag: &str| {
        call(&daemon, &token, "DELETE", "ten").with("If-Match", etag).send(&daemon).await.status
    };
    assert_eq!(remove(&old).await, 412);
    assert_eq!(remove(&etag(&daemon, &token, "ten").await).await, 204);
    assert_eq!(put("ten", ("Content-Range", "bytes 0-2/3")).await.status, 400);
    let left: Vec<_> = std::fs::read_dir(daemon.home.path().join("box")).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[tokio::test]
async fn a_write_that_hides_its_time_is_seen() {
    let daemon = Daemon::start().await;
    let path = daemon.home.write("box/ten", TEN);
    let token = token(&daemon).await;
    let before = etag(&daemon, &token, "ten").await;
    let modified = path.metadata().unwrap().modified().unwrap();
    let mut file = std::fs::File::options().write(true).open(&path).unwrap();
    file.write_all(b"9876543210").unwrap();
    file.set_modified(modified).unwrap();
    let put = call(&daemon, &token, "PUT", "ten").with("If-Match", &before).body("text/plain", "new");
    assert_eq!(put.send(&daemon).await.status, 412);
    assert_ne!(etag(&daemon, &token, "ten").await, before);
}

#[tokio::test]
async fn of_writers_who_expect_the_same_one_wins() {
    let daemon = Daemon::start().await;
    daemon.home.write("box/ten", TEN);
    let token = token(&daemon).await;
    for _ in 0..10 {
        let etag = etag(&daemon, &token, "ten").await;
        let puts = (0..8).map(|number| {
            let call = call(&daemon, &token, "PUT", "ten")
                .with("If-Match", &etag)
                .body("text/plain", &format!("{number}"));
            let daemon = &daemon;
            async move { call.send(daemon).await.status }
        });
        let statuses = futures::future::join_all(puts).await;
        assert_eq!(statuses.iter().filter(|status| **status == 204).count(), 1, "{statuses:?}");
        assert!(statuses.iter().all(|status| [204, 412].contains(status)), "{statuses:?}");
    }
}

/// The most memory that this process had at once.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
}

#[tokio::test]
async fn a_large_file_passes_through_without_being_held() {
    const SIZE: u64 = 256 * 1024 * 1024;
    let daemon = Daemon::start().await;
    let token = token(&daemon).await;
    let mut file = std::fs::File::create(daemon.home.write("box/large", "")).unwrap();
    file.write_all(b"begin").unwrap();
    file.set_len(SIZE).unwrap();
    let before = peak();
    let mut reader = connect(&daemon).await;
    reader.write_all(call(&daemon, &token, "GET", "large").text().as_bytes()).await.unwrap();
    let mut writer = connect(&daemon).await;
    let head = call(&daemon, &token, "PUT", "copy").with("Content-Length", &SIZE.to_string()).text();
    writer.write_all(head.as_bytes()).await.unwrap();
    let mut buffer = vec![0; 64 * 1024];
    let mut body_begins = Vec::new();
    while !body_begins.windows(4).any(|four| four == b"\r\n\r\n") {
        body_begins.push(reader.read_u8().await.unwrap());
    }
    let mut left = SIZE;
    while left > 0 {
        let count = reader.read(&mut buffer).await.unwrap();
        assert_ne!(count, 0, "{left} bytes are missing");
        writer.write_all(&buffer[..count]).await.unwrap();
        left -= count as u64;
    }
    let mut answer = String::new();
    writer.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
    let copy = daemon.home.path().join("box/copy");
    assert_eq!(copy.metadata().unwrap().len(), SIZE);
    assert!(peak() - before < 64 * 1024 * 1024, "{} MB more", (peak() - before) >> 20);
}
