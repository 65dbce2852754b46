//! The routes beside `/exec` and `/chanflow`: agents, sessions, and what the daemon says about itself.

use serde_json::{Value, json};
use testkit::Daemon;

use crate::http::{Call, Route, documented_routes, every_route};

#[tokio::test]
async fn health_and_describe_tell_what_there_is() {
    let daemon = Daemon::start().await;
    let version = env!("CARGO_PKG_VERSION");
    let health = Call::new(&daemon, "GET", "/health").without("Authorization").send(&daemon).await;
    assert_eq!(health.json(), json!({"ok": true, "version": version}));
    let describe = Call::new(&daemon, "GET", "/describe").send(&daemon).await.json();
    assert_eq!((&describe["name"], &describe["version"]), (&json!("string"), &json!(version)));
    assert_eq!(describe["topic_types"], json!(["tab", "app", "bash", "hub"]));
    assert_eq!(describe["hubs"], json!(["app", "bash", "tool", "event", "system", "agent"]));
    let limits = &describe["limits"];
    assert_eq!((&limits["request_bytes"], &limits["reply_bytes"]), (&json!(10_485_760), &json!(65_536)));
    assert_eq!((&limits["waiting_commands"], &limits["waiting_seconds"]), (&json!(16), &json!(60)));
    let commands: Vec<_> =
        describe["commands"].as_array().unwrap().iter().map(|command| &command["usage"]).collect();
    let table: Vec<_> = runtime::command::table::commands().map(|spec| spec.usage).collect();
    assert_eq!(commands, table);
}

#[tokio::test]
async fn every_documented_route_exists_and_every_other_is_refused_in_one_shape() {
    let daemon = Daemon::start().await;
    let documented = documented_routes(&daemon).await;
    for route in every_route(&daemon).await {
        if route.path == "/shutdown" {
            continue;
        }
        let answer = Call::to(&daemon, &route).send(&daemon).await;
        let known =
            documented.contains(&route) || ["/openapi.json", "/health"].contains(&route.path.as_str());
        // A route that exists may still say that there is no such agent, topic or event.
        let refused = ["No such route", "does not take"].iter().any(|text| answer.body.contains(text));
        let missing = matches!(answer.status, 404 | 405) && refused;
        if route.method == "HEAD" {
            continue;
        }
        assert_eq!(missing, !known || route.method == "TRACE", "{route:?}: {answer:?}");
        if missing {
            assert!(["NOT_FOUND", "METHOD_NOT_ALLOWED"].contains(&answer.code().as_str()), "{answer:?}");
        }
    }
}

#[tokio::test]
async fn names_in_a_path_are_checked() {
    let daemon = Daemon::start().await;
    for name in ["%ff", "..%2f..", "%00", "a%20b", "a.b"] {
        let answer = Call::new(&daemon, "DELETE", &format!("/sessions/{name}")).send(&daemon).await;
        assert_eq!(answer.status, 400, "{name}: {answer:?}");
        assert!(["INVALID_TARGET", "INVALID_PARAMS"].contains(&answer.code().as_str()), "{answer:?}");
        let agent = Call::new(&daemon, "GET", "/sessions").with("X-Agent-Id", name).send(&daemon).await;
        assert_eq!((agent.status, agent.code().as_str()), (400, "INVALID_PARAMS"), "{name}");
    }
    let answer = Call::new(&daemon, "DELETE", "/agents/%ff").send(&daemon).await;
    assert_eq!((answer.status, answer.code().as_str()), (400, "INVALID_PARAMS"));
}

#[tokio::test]
async fn agents_are_listed_and_never_changed_over_the_port() {
    let daemon = Daemon::start().await;
    let list = Call::new(&daemon, "GET", "/agents").send(&daemon).await.json();
    let home = daemon.home.path();
    let expected = json!({"agents": [{"id": "default", "home": home, "allow": [], "boundary": "workspace"}]});
    assert_eq!(list, expected);
    let add = Call::new(&daemon, "POST", "/agents").json(r#"{"id":"codex"}"#).send(&daemon).await;
    assert_eq!((add.status, add.code().as_str()), (403, "NOT_ALLOWED"));
    let remove = Call::new(&daemon, "DELETE", "/agents/default").send(&daemon).await;
    assert_eq!((remove.status, remove.code().as_str()), (403, "NOT_ALLOWED"));
    assert_eq!(Call::new(&daemon, "GET", "/agents").send(&daemon).await.json(), expected);
}

#[tokio::test]
async fn agents_are_added_and_removed_over_the_socket() {
    let daemon = Daemon::start().await;
    let post = async |body: Value| socket(&daemon, "POST", "/agents", &body).await;
    let (status, added) = post(json!({"id": "codex", "boundary": "isolated"})).await;
    let home = daemon.home.path().join(".string/agents/codex");
    assert_eq!(
        (status, added),
        (201, json!({"id": "codex", "home": home, "allow": [], "boundary": "isolated"}))
    );
    let refused = [
        (json!({"id": "codex"}), 409, "CONFLICT"),
        (json!({"id": "../x"}), 400, "INVALID_PARAMS"),
        (json!({"id": "x", "boundary": "wide"}), 400, "INVALID_PARAMS"),
        (json!({"id": "x", "home": "relative"}), 400, "INVALID_PARAMS"),
        (json!({"id": "x", "home": daemon.home.root().join("run")}), 400, "INVALID_PARAMS"),
        (json!({"id": "x", "home": daemon.home.path().join("a/../.string/run")}), 400, "INVALID_PARAMS"),
        (json!({"id": "x", "home": "/tmp/a\0b"}), 400, "INVALID_PARAMS"),
        (json!({"id": "x", "allow": [daemon.home.root()]}), 400, "INVALID_PARAMS"),
        (json!({"id": "x", "allow": ["/nowhere"]}), 400, "INVALID_PARAMS"),
    ];
    for (body, status, code) in refused {
        let (given, answer) = post(body.clone()).await;
        assert_eq!((given, &answer["error"]["code"]), (status, &json!(code)), "{body}");
    }
    let (status, added) = post(json!({"id": "tilde", "home": "~/tilde", "allow": ["~"]})).await;
    let home = daemon.home.path().join("tilde");
    assert_eq!(
        (status, &added["home"], &added["allow"]),
        (201, &json!(home), &json!([daemon.home.path()])),
        "{added}"
    );
    for (id, expected) in [("codex", 204), ("codex", 404), ("default", 403), ("a.b", 400)] {
        let (status, _) = socket(&daemon, "DELETE", &format!("/agents/{id}"), &Value::Null).await;
        assert_eq!(status, expected, "{id}");
    }
}

#[tokio::test]
async fn sessions_are_listed_created_and_removed() {
    let daemon = Daemon::start().await;
    let call = |method: &str, path: &str| Call::new(&daemon, method, path);
    assert_eq!(call("GET", "/sessions").send(&daemon).await.json(), json!({"sessions": []}));
    for _ in 0..2 {
        let created = call("POST", "/sessions").json(r#"{"topic":"file:notes"}"#).send(&daemon).await;
        assert_eq!(created.status, 201);
        assert_eq!(created.json(), json!({"topic": "notes", "type": "tab", "detail": "(no document)"}));
    }
    let last = call("DELETE", "/sessions/notes").send(&daemon).await;
    assert_eq!((last.status, last.code().as_str()), (409, "LAST_TOPIC"));
    daemon.exec("bash:dev", "/info").await;
    let list = call("GET", "/sessions").send(&daemon).await.json();
    assert_eq!(list["sessions"][1], json!({"topic": "bash:dev", "type": "bash", "detail": "(no shell)"}));
    assert_eq!(call("DELETE", "/sessions/bash:dev").send(&daemon).await.status, 204);
    let gone = call("DELETE", "/sessions/bash:dev").send(&daemon).await;
    assert_eq!((gone.status, gone.code().as_str()), (404, "NOT_FOUND"));
    let malformed = call("POST", "/sessions").json(r#"{"topic":"a b"}"#).send(&daemon).await;
    assert_eq!((malformed.status, malformed.code().as_str()), (400, "INVALID_TARGET"));
    let nobody = call("GET", "/sessions").with("X-Agent-Id", "nobody").send(&daemon).await;
    assert_eq!((nobody.status, nobody.code().as_str()), (404, "NOT_FOUND"));
}

#[tokio::test]
async fn a_terminal_is_for_a_person_over_the_socket_only() {
    let daemon = Daemon::start().await;
    daemon.exec("bash:dev", "/info").await;
    let path = "/sessions/bash:dev/terminal?columns=80&rows=24";
    let plain = Call::new(&daemon, "GET", path).send(&daemon).await;
    assert_eq!((plain.status, plain.code().as_str()), (400, "INVALID_PARAMS"));
    let upgrade =
        Call::new(&daemon, "GET", path).with("Connection", "Upgrade").with("Upgrade", "string-terminal");
    let answer = upgrade.send(&daemon).await;
    assert_eq!((answer.status, answer.code().as_str()), (403, "NOT_ALLOWED"));
    let gone = daemon.client().attach("bash:dev", 80, 24).await.unwrap_err().to_string();
    assert_eq!(gone, "No shell runs in bash:dev of agent default.");
    let agent = daemon.client().for_agent().attach("bash:dev", 80, 24).await.unwrap_err().to_string();
    assert_eq!(agent, "Only a person can attach to a shell.");
}

#[tokio::test]
async fn streams_are_given_over_the_socket_only() {
    let daemon = Daemon::start().await;
    let call = || Call::new(&daemon, "GET", "/mcp/stdio");
    let upgrade = call().with("Connection", "Upgrade").with("Upgrade", "string-stdio");
    let answer = upgrade.send(&daemon).await;
    assert_eq!((answer.status, answer.code().as_str()), (403, "FORBIDDEN"));
    let (status, body) = socket(&daemon, "GET", "/mcp/stdio", &Value::Null).await;
    assert_eq!((status, &body["error"]["code"]), (400, &json!("INVALID_PARAMS")));
}

/// One request over the socket, by hand: status and JSON body.
async fn socket(daemon: &Daemon, method: &str, path: &str, body: &Value) -> (u16, Value) {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let route = Route { method: method.into(), path: path.into() };
    let call = Call::to(daemon, &route).without("Authorization").json(&body.to_string());
    let mut stream =
        tokio::net::UnixStream::connect(daemon.home.root().join("run/string.sock")).await.unwrap();
    stream.write_all(call.text().as_bytes()).await.unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, serde_json::from_str(body).unwrap_or_default())
}
