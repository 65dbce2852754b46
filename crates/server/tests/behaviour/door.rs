//! The door over TCP: foreign hosts, foreign origins, wrong types and wrong tokens, on every route.

use testkit::Daemon;

use crate::http::{Call, every_route, send};

#[tokio::test]
async fn a_foreign_host_is_refused_on_every_route() {
    let daemon = Daemon::start().await;
    let port = daemon.port;
    let hosts = [
        "evil.example".to_owned(),
        format!("evil.example:{port}"),
        format!("127.0.0.1.evil.example:{port}"),
        format!("localhost.evil.example:{port}"),
        format!("0.0.0.0:{port}"),
        format!("[::]:{port}"),
        format!("127.1:{port}"),
        format!("x@127.0.0.1:{port}"),
        "127.0.0.1".to_owned(),
        format!("127.0.0.1:{}", port.wrapping_add(1)),
        format!("127.0.0.1:{port}0"),
        String::new(),
    ];
    for route in every_route(&daemon).await {
        for host in &hosts {
            let answer = Call::to(&daemon, &route).set("Host", host).send(&daemon).await;
            assert_eq!(answer.status, 403, "{route:?} Host: {host}");
        }
    }
}

#[tokio::test]
async fn a_missing_or_second_host_is_refused_on_every_route() {
    let daemon = Daemon::start().await;
    let ours = format!("127.0.0.1:{}", daemon.port);
    for route in every_route(&daemon).await {
        let call = Call::to(&daemon, &route);
        let missing = call.clone().without("Host").send(&daemon).await;
        assert_eq!(missing.status, 403, "{route:?}");
        for second in ["evil.example", ours.as_str()] {
            let twice = call.clone().with("Host", second).send(&daemon).await;
            assert_eq!(twice.status, 403, "{route:?} {second}");
        }
        let old = call.without("Host").text().replacen("HTTP/1.1", "HTTP/1.0", 1);
        assert_eq!(send(&daemon, old.as_bytes()).await.unwrap().status, 403, "{route:?} HTTP/1.0");
    }
}

#[tokio::test]
async fn a_request_line_that_names_another_host_is_refused_on_every_route() {
    let daemon = Daemon::start().await;
    for route in every_route(&daemon).await {
        for host in ["evil.example".to_owned(), format!("evil.example:{}", daemon.port)] {
            let target = format!("http://{host}{}", route.path);
            let answer = Call::new(&daemon, &route.method, &target).send(&daemon).await;
            assert_eq!(answer.status, 403, "{route:?} {target}");
        }
    }
    let own = format!("http://127.0.0.1:{}/describe", daemon.port);
    assert_eq!(Call::new(&daemon, "GET", &own).send(&daemon).await.status, 200);
}

#[tokio::test]
async fn our_own_names_are_let_in() {
    let daemon = Daemon::start().await;
    for name in ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"] {
        let host = format!("{name}:{}", daemon.port);
        let answer = Call::new(&daemon, "GET", "/describe").set("Host", &host).send(&daemon).await;
        assert_eq!(answer.status, 200, "{host}");
    }
}

#[tokio::test]
async fn a_foreign_origin_is_refused_on_every_route() {
    let daemon = Daemon::start().await;
    let port = daemon.port;
    let origins = [
        "https://x".to_owned(),
        "null".to_owned(),
        String::new(),
        "http://localhost.evil.com".to_owned(),
        format!("http://localhost.evil.com:{port}"),
        "http://localhost".to_owned(),
        "http://localhost:9".to_owned(),
        format!("https://localhost:{port}"),
        format!("http://localhost:{port}/"),
        format!("http://localhost:{port}0"),
        format!("http://LOCALHOST:{port}"),
        format!("http://127.0.0.1:{port}, https://x"),
        "file://".to_owned(),
    ];
    for route in every_route(&daemon).await {
        for origin in &origins {
            let answer = Call::to(&daemon, &route).with("Origin", origin).send(&daemon).await;
            assert_eq!(answer.status, 403, "{route:?} Origin: {origin}");
        }
        let own = format!("http://localhost:{port}");
        let answer =
            Call::to(&daemon, &route).with("Origin", &own).with("Origin", "null").send(&daemon).await;
        assert_eq!(answer.status, 403, "{route:?} two origins");
    }
    for name in ["localhost", "127.0.0.1", "[::1]"] {
        let own = format!("http://{name}:{port}");
        let answer = Call::new(&daemon, "GET", "/describe").with("Origin", &own).send(&daemon).await;
        assert_eq!(answer.status, 200, "{own}");
    }
}

#[tokio::test]
async fn a_preflight_is_never_answered_with_permission() {
    let daemon = Daemon::start().await;
    for route in every_route(&daemon).await {
        for origin in
            [format!("http://localhost:{}", daemon.port), "https://evil.example".into(), "null".into()]
        {
            for call in [Call::new(&daemon, "OPTIONS", &route.path), Call::to(&daemon, &route)] {
                let asked = call
                    .set("Authorization", "Bearer x")
                    .with("Origin", &origin)
                    .with("Access-Control-Request-Method", &route.method)
                    .with("Access-Control-Request-Headers", "authorization, content-type");
                let answer = asked.send(&daemon).await;
                let allowing = answer
                    .headers
                    .iter()
                    .any(|(name, _)| name.to_ascii_lowercase().starts_with("access-control-"));
                assert!(!allowing, "{route:?} {origin}: {answer:?}");
            }
        }
    }
    let own = format!("http://localhost:{}", daemon.port);
    let allowed = Call::new(&daemon, "GET", "/describe").with("Origin", &own).send(&daemon).await;
    assert_eq!(allowed.header("access-control-allow-origin"), None);
}

#[tokio::test]
async fn bodies_of_other_types_are_refused() {
    let daemon = Daemon::start().await;
    let json = [
        ("/exec", r#"{"cmd":"/info"}"#),
        ("/agents", r#"{"id":"x"}"#),
        ("/sessions", r#"{"topic":"x"}"#),
        ("/mcp", "{}"),
        // These need no body.
        ("/shutdown", "{}"),
        ("/agents/default/webhook", "{}"),
        ("/events/evt_x/ack", "{}"),
    ];
    let others = [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "text/json",
        "application/jsonx",
        "application/json5",
        "",
    ];
    for (path, body) in json {
        for content_type in others {
            let answer = Call::new(&daemon, "POST", path).body(content_type, body).send(&daemon).await;
            assert_eq!(
                (answer.status, answer.code().as_str()),
                (415, "UNSUPPORTED_MEDIA_TYPE"),
                "{path} {content_type}"
            );
        }
        let call = Call::new(&daemon, "POST", path).json(body);
        assert_eq!(call.clone().without("Content-Type").send(&daemon).await.status, 415, "{path}");
        let twice = call.clone().with("Content-Type", "text/plain").send(&daemon).await;
        assert_eq!(twice.status, 415, "{path} two types");
    }
    for content_type in ["application/json", "application/x-www-form-urlencoded", ""] {
        let answer = Call::new(&daemon, "POST", "/chanflow").body(content_type, "text").send(&daemon).await;
        assert_eq!(answer.status, 415, "/chanflow {content_type}");
    }
    let charset = Call::exec(&daemon, "main", "/info").set("Content-Type", "application/JSON; charset=utf-8");
    assert_eq!(charset.send(&daemon).await.status, 200);
    assert_eq!(daemon.exec("main", "/topics").await.content.lines().last(), Some("1 topic open."));
}

#[tokio::test]
async fn without_the_token_every_route_says_the_same() {
    let daemon = Daemon::start().await;
    let token = daemon.token.clone();
    let mut off = token.clone();
    off.replace_range(..1, if token.starts_with('0') { "1" } else { "0" });
    let wrong = [
        None,
        Some(String::new()),
        Some("Bearer".to_owned()),
        Some("Bearer ".to_owned()),
        Some(format!("Bearer {}", &token[1..])),
        Some(format!("Bearer {}", &token[..63])),
        Some(format!("Bearer {}", &token[..1])),
        Some(format!("Bearer {token}0")),
        Some(format!("Bearer {off}")),
        Some(format!("Bearer {}", token.to_uppercase())),
        Some(format!("Bearer  {token}")),
        Some(format!("Basic {token}")),
        Some(token.clone()),
    ];
    for route in every_route(&daemon).await {
        // These are open to all; a webhook's address is its own secret.
        if route.path == "/health" || route.path.starts_with("/webhook/") {
            continue;
        }
        let call = Call::to(&daemon, &route).without("Authorization");
        let first = call.send(&daemon).await;
        for given in &wrong {
            let call = given.iter().fold(call.clone(), |call, value| call.with("Authorization", value));
            let answer = call.send(&daemon).await;
            assert_eq!(answer.status, 401, "{route:?} {given:?}");
            assert_eq!(answer.body, first.body, "{route:?} {given:?}");
        }
        let twice = call.with("Authorization", &format!("Bearer {token}")).with("Authorization", "Bearer x");
        assert_eq!(twice.send(&daemon).await.status, 401, "{route:?} two tokens");
    }
    let answer = Call::new(&daemon, "GET", "/health").without("Authorization").send(&daemon).await;
    assert_eq!(answer.status, 200, "health is open to all");
    let bearer = Call::new(&daemon, "GET", "/describe").set("Authorization", &format!("bearer {token}"));
    assert_eq!(bearer.send(&daemon).await.status, 200);
}

#[tokio::test]
async fn a_header_that_names_one_thing_stands_once() {
    let daemon = Daemon::start().await;
    let exec = Call::exec(&daemon, "main", "/info");
    let webhook = Call::new(&daemon, "POST", "/webhook/x").body("text/plain", "x");
    for (call, name) in [(&exec, "X-Agent-Id"), (&webhook, "Idempotency-Key")] {
        let twice = call.clone().with(name, "default").with(name, "other").send(&daemon).await;
        assert_eq!((twice.status, twice.code().as_str()), (400, "INVALID_PARAMS"), "{name}");
        assert_ne!(call.clone().with(name, "default").send(&daemon).await.status, 400, "{name}");
    }
}
