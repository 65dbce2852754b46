//! Requests that are too large, too deep or too slow: each ends with its own status.

use testkit::Daemon;
use tokio::io::AsyncWriteExt;

use crate::http::{Call, SOON, connect, limited, read, send};

/// Routes with a body, and the type each takes.
const WITH_BODY: [(&str, &str); 8] = [
    ("/exec", "application/json"),
    ("/agents", "application/json"),
    ("/sessions", "application/json"),
    ("/chanflow", "text/plain"),
    ("/mcp", "application/json"),
    // These need none.
    ("/shutdown", "application/json"),
    ("/agents/default/webhook", "application/json"),
    ("/events/evt_x/ack", "application/json"),
];

#[tokio::test]
async fn a_body_declared_too_large_is_refused_before_it_comes() {
    let daemon = Daemon::start().await;
    for (path, content_type) in WITH_BODY {
        for length in ["10485761", "1073741824", "9223372036854775807"] {
            let call = Call::new(&daemon, "POST", path).set("Content-Type", content_type);
            let answer = call.with("Content-Length", length).send(&daemon).await;
            assert_eq!(
                (answer.status, answer.code().as_str()),
                (413, "PAYLOAD_TOO_LARGE"),
                "{path} {length}"
            );
        }
    }
    assert!(daemon.exec("main", "/info").await.ok);
}

#[tokio::test]
async fn a_body_that_grows_too_large_is_refused_on_the_way() {
    let daemon = limited(|limits| limits.body_bytes = 10_000).await;
    for (path, content_type) in WITH_BODY {
        let call = Call::new(&daemon, "POST", path).set("Content-Type", content_type);
        let head = call.with("Transfer-Encoding", "chunked").text();
        let chunk = format!("1000\r\n{}\r\n", " ".repeat(0x1000));
        let answer = send(&daemon, (head + &chunk.repeat(3)).as_bytes()).await.unwrap();
        assert_eq!((answer.status, answer.code().as_str()), (413, "PAYLOAD_TOO_LARGE"), "{path}");
    }
    let fits = Call::exec(&daemon, "main", &format!("/info{}", " ".repeat(9_000)));
    assert_eq!(fits.send(&daemon).await.status, 200);
}

#[tokio::test]
async fn whoever_sends_everything_before_it_reads_is_told_as_well() {
    let daemon = Daemon::start().await;
    // More than the kernel would take in on its own.
    let body = " ".repeat(24 * 1024 * 1024);
    for (path, content_type, status) in [
        ("/exec", "application/json", 413),
        ("/webhook/wh_x", "text/plain", 413),
        ("/exec", "text/plain", 415),
        ("/nothing", "text/plain", 404),
    ] {
        let mut stream = connect(&daemon).await;
        let call = Call::new(&daemon, "POST", path).body(content_type, &body).text();
        stream.write_all(call.as_bytes()).await.unwrap_or_else(|error| panic!("{path}: {error}"));
        assert_eq!(read(&mut stream).await.unwrap().status, status, "{path} {content_type}");
    }
    let mut stream = connect(&daemon).await;
    let call = Call::new(&daemon, "POST", "/exec").without("Authorization").body("application/json", &body);
    stream.write_all(call.text().as_bytes()).await.unwrap();
    assert_eq!(read(&mut stream).await.unwrap().status, 401);
}

#[tokio::test]
async fn headers_that_are_too_large_or_too_many_are_refused() {
    let daemon = Daemon::start().await;
    let large = Call::new(&daemon, "GET", "/describe").with("X-Large", &"x".repeat(1024 * 1024));
    assert_eq!(large.send(&daemon).await.status, 431);
    for (length, status) in [(32_000, 200), (33_000, 431), (40_000, 431)] {
        let call = Call::new(&daemon, "GET", "/describe").with("X-Large", &"x".repeat(length));
        assert_eq!(call.send(&daemon).await.status, status, "{length}");
    }
    let many =
        (0..100).fold(Call::new(&daemon, "GET", "/describe"), |call, n| call.with(&format!("X-{n}"), "1"));
    assert_eq!(many.send(&daemon).await.status, 431);
    let agent = Call::exec(&daemon, "main", "/info").with("X-Agent-Id", &"x".repeat(16 * 1024));
    let answer = agent.send(&daemon).await;
    assert_eq!(answer.json()["code"], "INVALID_PARAMS");
    assert!(answer.body.len() < 2_000, "a long id is not sent back whole");
    let target = format!("/{}", "x".repeat(1024 * 1024));
    let answer = Call::new(&daemon, "GET", &target).send(&daemon).await;
    assert!(matches!(answer.status, 414 | 431), "{}", answer.status);
    assert!(daemon.exec("main", "/info").await.ok);
}

#[tokio::test]
async fn json_that_is_too_deep_or_wrong_is_a_bad_request() {
    let daemon = Daemon::start().await;
    let deep = |open: &str, close: &str| open.repeat(100_000) + &close.repeat(100_000);
    let bodies = [
        deep("[", "]"),
        deep(r#"{"cmd":"#, "}"),
        format!(r#"{{"cmd":{}}}"#, deep("[", "]")),
        format!(r#"{{"id":"x","topic":"x","allow":{}}}"#, deep("[", "]")),
        "[".repeat(100_000),
        "{".into(),
        "null".into(),
        "\"x\"".into(),
        r#"{"cmd":1,"id":1,"topic":1}"#.into(),
        r#"{"cmd":"/info","id":"x","topic":"x","more":1}"#.into(),
        "{\"cmd\":\"/info\",\"cmd\":\"/topics\"}".into(),
        "not json".into(),
    ];
    for path in ["/exec", "/agents", "/sessions"] {
        for body in &bodies {
            let answer = Call::new(&daemon, "POST", path).json(body).send(&daemon).await;
            assert_eq!((answer.status, answer.code().as_str()), (400, "INVALID_PARAMS"), "{path} {body:.60}");
        }
        let call = Call::new(&daemon, "POST", path).set("Content-Type", "application/json");
        assert_eq!(call.send(&daemon).await.status, 400, "{path} without a body");
    }
    let text =
        Call::new(&daemon, "POST", "/chanflow").set("Content-Type", "text/plain").with("Content-Length", "2");
    let mut bytes = text.text().into_bytes();
    bytes.extend(b"\xff\xfe");
    assert_eq!(send(&daemon, &bytes).await.unwrap().status, 400, "text that is no UTF-8");
}

#[tokio::test]
async fn a_body_that_drips_is_given_up() {
    let daemon = limited(|limits| limits.body_time = SOON).await;
    for (path, content_type) in WITH_BODY {
        let call = Call::new(&daemon, "POST", path).set("Content-Type", content_type);
        let mut stream = connect(&daemon).await;
        stream.write_all(call.with("Content-Length", "1000").text().as_bytes()).await.unwrap();
        stream.write_all(b"{").await.unwrap();
        let answer = read(&mut stream).await.unwrap();
        assert_eq!((answer.status, answer.code().as_str()), (408, "REQUEST_TIMEOUT"), "{path}");
    }
}

#[tokio::test]
async fn headers_that_drip_close_the_connection() {
    let daemon = limited(|limits| limits.header_time = SOON).await;
    for start in ["", "G", "GET /health HTTP/1.1\r\nHost: 127", "GET /health HTTP/1.1\r\nX: y\r\n"] {
        let mut stream = connect(&daemon).await;
        stream.write_all(start.as_bytes()).await.unwrap();
        let answer = read(&mut stream).await;
        assert!(answer.is_none_or(|answer| answer.status == 408), "{start:?}");
    }
    let mut stream = connect(&daemon).await;
    let kept = Call::new(&daemon, "GET", "/health").set("Connection", "keep-alive").text();
    stream.write_all(kept.as_bytes()).await.unwrap();
    assert_eq!(read(&mut stream).await.unwrap().status, 200, "an idle connection ends too");
}

#[tokio::test]
async fn what_is_no_http_is_refused_and_harms_nobody() {
    let daemon = Daemon::start().await;
    let host = format!("Host: 127.0.0.1:{}\r\n", daemon.port);
    let requests = [
        "\0\0\0\0\r\n\r\n".to_owned(),
        "GET\r\n\r\n".to_owned(),
        "GET / HTTP/9.9\r\n\r\n".to_owned(),
        format!("GET / HTTP/1.1\r\n{host}Bad Header: x\r\n\r\n"),
        format!("GET / HTTP/1.1\r\n{host}X: a\0b\r\n\r\n"),
        format!("POST /exec HTTP/1.1\r\n{host}Content-Length: -1\r\n\r\n"),
        format!("POST /exec HTTP/1.1\r\n{host}Content-Length: 1\r\nContent-Length: 2\r\n\r\nxx"),
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_owned(),
    ];
    for request in requests {
        if let Some(answer) = send(&daemon, request.as_bytes()).await {
            assert!((400..500).contains(&answer.status) || answer.status == 505, "{request:?}: {answer:?}");
        }
    }
    assert!(daemon.exec("main", "/info").await.ok);
}
