//! `POST /exec`: one command, answered as JSON or as events.

use std::sync::Arc;

use futures::future::BoxFuture;
use futures::{FutureExt, poll};
use runtime::session::{Turn, WAITING_MAX};
use runtime::sink::Discard;
use runtime::topic::Topic;
use runtime::{Origin, Reply, Request};
use serde_json::{Value, json};
use testkit::Daemon;

use crate::http::Call;

async fn occupy(daemon: &Daemon, topic: &str) -> Turn {
    let agent = daemon.runtime.agents.named("default").unwrap();
    let session = daemon.runtime.sessions.of(&agent.id).enter(&Topic::parse(topic).unwrap()).unwrap();
    let mut turn = Turn::take(session).await.unwrap();
    turn.begin("/slow");
    turn
}

/// As many commands as may wait, each in its place.
async fn fill<'a>(daemon: &'a Daemon, topic: &str) -> Vec<BoxFuture<'a, Reply>> {
    let mut waiting = Vec::new();
    for _ in 0..WAITING_MAX {
        let request = Request {
            agent: "default".into(),
            topic: topic.into(),
            payload: "/info".into(),
            cwd: None,
            task: None,
            origin: Origin::Network,
        };
        let mut command = daemon.runtime.exec(request, Arc::new(Discard)).boxed();
        // Everything up to the wait for the turn happens in the first poll.
        assert!(poll!(&mut command).is_pending());
        waiting.push(command);
    }
    waiting
}

fn streamed(daemon: &Daemon, body: &Value) -> Call {
    Call::new(daemon, "POST", "/exec").json(&body.to_string())
}

#[tokio::test]
async fn json_is_one_object_with_everything() {
    let daemon = Daemon::start().await;
    daemon.home.write("a.md", "---\ntitle: T\n---\n# A\n\n## Part\ntext\n");
    let body = json!({"topic": " main ", "cmd": "/open a.md#part", "request_id": "r-1"});
    let call = Call::new(&daemon, "POST", "/exec").with("Accept", "application/json").json(&body.to_string());
    let answer = call.send(&daemon).await;
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert_eq!(
        answer.json(),
        json!({
            "ok": true,
            "topic": "main",
            "topic_type": "tab",
            "meta": {"uri": "~/a.md", "title": "T", "current_block": "part"},
            "request_id": "r-1",
            "content": "Opened ~/a.md#part\n---\n## Part\ntext",
        })
    );
}

#[tokio::test]
async fn a_topic_may_be_null_and_a_body_is_an_object() {
    let daemon = Daemon::start().await;
    let call = |body: &str| Call::new(&daemon, "POST", "/exec").with("Accept", "application/json").json(body);
    let info = call(r#"{"topic": null, "cmd": "/info"}"#).send(&daemon).await;
    assert_eq!((info.status, &info.json()["topic"]), (200, &json!("main")));
    for other in [r#" ["main", "/info"]"#, "null", "7", "\"/info\""] {
        let answer = call(other).send(&daemon).await;
        assert_eq!((answer.status, answer.code().as_str()), (400, "INVALID_PARAMS"), "{other}");
        assert_eq!(answer.json()["error"]["message"], "The body must be a JSON object.", "{other}");
    }
}

#[tokio::test]
async fn a_failed_command_is_a_200() {
    let daemon = Daemon::start().await;
    let table = [
        ("main", "/open gone.md", "NOT_FOUND", "main"),
        ("main", "hello", "COMMAND_UNSUPPORTED", "main"),
        ("my topic", "/info", "INVALID_TARGET", ""),
        ("file:notes", "/topics x", "INVALID_PARAMS", "notes"),
    ];
    for (topic, cmd, code, answered) in table {
        let answer = Call::exec(&daemon, topic, cmd).send(&daemon).await;
        assert_eq!(answer.status, 200, "{cmd}");
        let reply = answer.json();
        assert_eq!(
            (&reply["ok"], &reply["code"], &reply["topic"]),
            (&json!(false), &json!(code), &json!(answered))
        );
        assert!(reply["content"].as_str().unwrap().starts_with(&format!("ERROR({code}): ")), "{reply}");
    }
}

#[tokio::test]
async fn a_stream_has_head_content_and_done_in_this_order() {
    let daemon = Daemon::start().await;
    let answer = streamed(&daemon, &json!({"cmd": "/info", "request_id": "r-2"})).send(&daemon).await;
    assert_eq!(answer.header("content-type"), Some("text/event-stream"));
    let content = "Session info\n---\ncwd:       ~/\nfile:      (none open)";
    let done = json!({"ok": true, "topic": "main", "topic_type": "tab", "meta": {}});
    let mut head = done.clone();
    head["request_id"] = json!("r-2");
    let expected =
        [("head".to_owned(), head), ("content".to_owned(), json!(content)), ("done".to_owned(), done)];
    assert_eq!(answer.events(), expected);
}

#[tokio::test]
async fn a_stream_tells_of_failure_in_head_and_done() {
    let daemon = Daemon::start().await;
    let answer = streamed(&daemon, &json!({"topic": "a b", "cmd": "/info"})).send(&daemon).await;
    assert_eq!(answer.status, 200);
    let events = answer.events();
    let names: Vec<_> = events.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["head", "content", "done"]);
    for (_, data) in [&events[0], &events[2]] {
        assert_eq!((&data["ok"], &data["code"]), (&json!(false), &json!("INVALID_TARGET")));
        assert_eq!(data["topic"], "");
    }
    assert!(events[1].1.as_str().unwrap().starts_with("ERROR(INVALID_TARGET): "));
}

#[tokio::test]
async fn accept_decides_between_json_and_a_stream() {
    let daemon = Daemon::start().await;
    let table = [
        ("application/json", "application/json"),
        ("APPLICATION/Json", "application/json"),
        ("application/json, text/event-stream", "text/event-stream"),
        ("text/event-stream", "text/event-stream"),
        ("*/*", "text/event-stream"),
    ];
    for (accept, expected) in table {
        let call = streamed(&daemon, &json!({"cmd": "/info"})).with("Accept", accept);
        assert_eq!(call.send(&daemon).await.header("content-type"), Some(expected), "{accept}");
    }
}

#[tokio::test]
async fn the_canonical_topic_answers_over_http_too() {
    let daemon = Daemon::start().await;
    let reply = Call::exec(&daemon, "main", "/open system").send(&daemon).await.json();
    assert_eq!((&reply["topic"], &reply["topic_type"]), (&json!("system"), &json!("hub")));
}

#[tokio::test]
async fn the_header_names_the_agent() {
    let daemon = Daemon::start().await;
    assert!(daemon.exec("agent", "/add codex").await.ok);
    let current = Call::exec(&daemon, "agent", "/current");
    assert_eq!(current.clone().send(&daemon).await.json()["content"], "default");
    let as_agent = async |id: &str| current.clone().with("X-Agent-Id", id).send(&daemon).await.json();
    assert_eq!(as_agent("codex").await["content"], "codex");
    assert_eq!(as_agent("nobody").await["code"], "NOT_FOUND");
    assert_eq!(as_agent("../x").await["code"], "INVALID_PARAMS");
}

#[tokio::test]
async fn a_relative_working_directory_counts_for_nothing() {
    let daemon = Daemon::start().await;
    daemon.home.write("docs/a.md", "# A\n");
    let docs = daemon.home.path().join("docs");
    for (cwd, ok) in [(docs.to_str().unwrap(), true), ("docs", false), ("../..", false)] {
        let body = json!({"topic": format!("t{}", cwd.len()), "cmd": "/open ./a.md", "cwd": cwd});
        let call = streamed(&daemon, &body).with("Accept", "application/json");
        assert_eq!(call.send(&daemon).await.json()["ok"], ok, "{cwd}");
    }
}

#[tokio::test]
async fn policy_is_never_changed_over_the_port() {
    let daemon = Daemon::start().await;
    for cmd in ["/add x", "/boundary off", "/allow /", "/use default", "/set-home ~/x", "/rm x"] {
        let reply = Call::exec(&daemon, "agent", cmd).send(&daemon).await.json();
        assert_eq!(reply["code"], "NOT_ALLOWED", "{cmd}");
    }
    assert!(daemon.exec("agent", "/add x").await.ok, "the socket may");
}

#[tokio::test]
async fn a_full_queue_is_a_429() {
    let daemon = Daemon::start().await;
    let turn = occupy(&daemon, "main").await;
    let waiting = fill(&daemon, "main").await;
    let full = Call::exec(&daemon, "main", "/info");
    for call in [full.clone(), full.without("Accept")] {
        let answer = call.send(&daemon).await;
        assert_eq!((answer.status, answer.code().as_str()), (429, "QUEUE_FULL"));
        let error = &answer.json()["error"];
        assert_eq!(error["message"], "16 commands already wait for main.");
        assert_eq!(error["hints"][0], "Running: /slow");
    }
    assert_eq!(
        Call::exec(&daemon, "other", "/info").send(&daemon).await.status,
        200,
        "other topics are free"
    );
    drop(turn);
    for command in waiting {
        assert!(command.await.ok());
    }
}

#[tokio::test]
async fn a_command_that_finds_something_full_has_run_all_the_same() {
    let daemon = Daemon::start().await;
    let watch = |number: usize| format!("/watch state key-{number}");
    let hundred: Vec<String> = (0..100).map(watch).collect();
    for commands in hundred.chunks(10) {
        assert!(daemon.exec("main", &commands.join("\n")).await.ok);
    }
    let answer = Call::exec(&daemon, "main", &watch(100)).send(&daemon).await;
    assert_eq!((answer.status, &answer.json()["code"]), (200, &json!("QUEUE_FULL")));
}

#[tokio::test]
async fn what_ran_before_a_full_queue_is_not_lost() {
    let daemon = Daemon::start().await;
    let _turn = occupy(&daemon, "system").await;
    let _waiting = fill(&daemon, "system").await;
    let answer = Call::exec(&daemon, "main", "/info\n/open system").send(&daemon).await;
    assert_eq!(answer.status, 200);
    let reply = answer.json();
    assert_eq!((&reply["ok"], &reply["code"]), (&json!(false), &json!("QUEUE_FULL")));
    assert!(reply["content"].as_str().unwrap().starts_with("Session info\n"), "{reply}");
}

#[tokio::test]
async fn long_commands_say_how_far_they_have_come() {
    let (daemon, web) = (Daemon::start().await, testkit::Web::start().await);
    let files = json!({"files": [
        {"path": "string.md", "content": "---\ntype: app\n---\n# A\n"},
        {"path": "b.md", "url": "b.md"},
    ]});
    web.page("/app.json", "application/json", files.to_string());
    web.page("/b.md", "text/markdown", "# B\n");
    web.page("/large.md", "text/markdown", "x".repeat(900 * 1024));
    let install = json!({"cmd": format!("/install --as a {}", web.url("/app.json"))});
    let body = streamed(&daemon, &install).send(&daemon).await.body;
    let progress = ["1", "2"].map(|n| format!("event: progress\ndata: \"{n} of 2 files\"\n"));
    assert!(progress.iter().all(|event| body.contains(event)), "{body}");
    let open = json!({"cmd": format!("/open {}", web.url("/large.md"))});
    let body = streamed(&daemon, &open).send(&daemon).await.body;
    assert!(body.contains(" of 900 KB\"\n"), "{body}");
    daemon.stop().await;
}
