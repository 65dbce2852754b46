//! MCP over HTTP: sessions and the revision without them, and what strangers get.

use runtime::event::Source;
use serde_json::{Value, json};
use testkit::Daemon;

use crate::http::{Answer, Call, limited};

const SESSION: &str = "Mcp-Session-Id";

/// A message as clients send it.
fn post(daemon: &Daemon, message: &Value) -> Call {
    Call::new(daemon, "POST", "/mcp")
        .with("Accept", "application/json, text/event-stream")
        .json(&message.to_string())
}

fn request(id: u32, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

fn greeting() -> Value {
    let client = json!({"name": "test", "version": "1"});
    request(
        0,
        "initialize",
        json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}),
    )
}

fn tool_call(id: u32, topic: &str, cmd: &str) -> Value {
    request(id, "tools/call", json!({"name": "string", "arguments": {"topic": topic, "cmd": cmd}}))
}

/// The message that answers, out of a stream or alone.
fn answer_of(answer: &Answer) -> Value {
    let lines = answer.body.lines().filter_map(|line| line.strip_prefix("data:").map(str::trim));
    let streamed = lines.filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let answered = streamed.into_iter().find(|message| message["id"].is_number());
    answered.or_else(|| serde_json::from_str(&answer.body).ok()).unwrap_or_else(|| panic!("{answer:?}"))
}

/// A session that has been greeted.
async fn greeted(daemon: &Daemon) -> String {
    let greeted = post(daemon, &greeting()).send(daemon).await;
    assert_eq!(greeted.status, 200, "{greeted:?}");
    assert_eq!(answer_of(&greeted)["result"]["protocolVersion"], "2025-11-25");
    let session = greeted.header(SESSION).expect("a session").to_owned();
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(post(daemon, &ready).with(SESSION, &session).send(daemon).await.status, 202);
    session
}

fn text(message: &Value) -> &str {
    message["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{message}"))
}

#[tokio::test]
async fn a_session_runs_commands_until_it_is_ended() {
    let daemon = Daemon::start().await;
    let session = greeted(&daemon).await;
    let ask = |message: Value| post(&daemon, &message).with(SESSION, &session);
    let listed = ask(request(1, "tools/list", json!({}))).send(&daemon).await;
    let tools = answer_of(&listed)["result"]["tools"].clone();
    assert_eq!((tools.as_array().unwrap().len(), &tools[0]["name"]), (1, &json!("string")));
    assert!(tools.to_string().len() < 4096);
    assert!(tools[0]["description"].as_str().unwrap().split_whitespace().count() < 150);
    let info = answer_of(&ask(tool_call(2, "docs", "/info")).send(&daemon).await);
    assert!(text(&info).starts_with("<𝒞=string:docs>\nSession info\n"), "{info}");
    let failed = answer_of(&ask(tool_call(3, "docs", "/open missing.md")).send(&daemon).await);
    assert!(failed["result"]["isError"] == true && text(&failed).contains("ERROR(NOT_FOUND)"), "{failed}");
    let ended = Call::new(&daemon, "DELETE", "/mcp").with(SESSION, &session).send(&daemon).await;
    assert_eq!(ended.status, 204, "{ended:?}");
    assert_eq!(ask(tool_call(4, "docs", "/info")).send(&daemon).await.status, 404);
}

#[tokio::test]
async fn a_request_of_the_stateless_revision_needs_no_session() {
    let daemon = Daemon::start().await;
    let mut message = tool_call(7, "main", "/info");
    message["params"]["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    });
    let call = post(&daemon, &message)
        .with("MCP-Protocol-Version", "2026-07-28")
        .with("Mcp-Method", "tools/call")
        .with("Mcp-Name", "string");
    let answered = call.send(&daemon).await;
    assert_eq!((answered.status, answered.header(SESSION)), (200, None), "{answered:?}");
    assert!(text(&answer_of(&answered)).contains("Session info"), "{answered:?}");
}

#[tokio::test]
async fn a_guessed_session_opens_nothing() {
    let daemon = Daemon::start().await;
    for guess in ["0", "guess", "../../x", "00000000-0000-0000-0000-000000000000", &"a".repeat(2_000)] {
        for message in [greeting(), tool_call(1, "main", "/info")] {
            let refused = post(&daemon, &message).with(SESSION, guess).send(&daemon).await;
            assert_eq!(refused.status, 404, "{guess}: {refused:?}");
        }
        let listening =
            Call::new(&daemon, "GET", "/mcp").with("Accept", "text/event-stream").with(SESSION, guess);
        assert_eq!(listening.send(&daemon).await.status, 404, "{guess}");
        let ended = Call::new(&daemon, "DELETE", "/mcp").with(SESSION, guess).send(&daemon).await;
        assert_eq!((ended.status, ended.code().as_str()), (404, "NOT_FOUND"), "{guess}");
    }
    assert_eq!(daemon.runtime.sessions.count(), 0, "nothing was allocated");
}

#[tokio::test]
async fn an_agent_that_there_is_not_is_refused_before_anything_begins() {
    let daemon = Daemon::start().await;
    let refused = post(&daemon, &greeting()).with("X-Agent-Id", "nobody").send(&daemon).await;
    assert_eq!((refused.status, refused.code().as_str()), (404, "NOT_FOUND"), "{refused:?}");
}

#[tokio::test]
async fn a_long_inbox_is_read_and_listed_page_by_page() {
    let daemon = Daemon::start().await;
    let agent = daemon.runtime.agents.named("default").unwrap();
    let mut posted = Vec::new();
    for number in 0..250 {
        let post = daemon.runtime.events.post(&agent.id, Source::Webhook, number.to_string(), None);
        posted.push(post.await.unwrap().id.to_string());
    }
    let session = greeted(&daemon).await;
    let ask = async |method: &str, params: Value| {
        answer_of(&post(&daemon, &request(1, method, params)).with(SESSION, &session).send(&daemon).await)
    };
    let (mut uri, mut read) = ("string://events".to_owned(), Vec::new());
    loop {
        let answer = ask("resources/read", json!({"uri": uri})).await;
        let text = answer["result"]["contents"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"));
        let page: Value = serde_json::from_str(text).unwrap();
        read.extend(page["events"].as_array().unwrap().iter().map(|event| event["id"].clone()));
        if page["has_more"] == false {
            break;
        }
        uri = format!("string://events?after={}", read.last().unwrap().as_str().unwrap());
    }
    assert_eq!(read, posted);
    let (mut params, mut listed) = (json!({}), Vec::new());
    loop {
        let answer = ask("resources/list", params).await["result"].clone();
        listed.extend(answer["resources"].as_array().unwrap().clone());
        let Some(cursor) = answer.get("nextCursor") else { break };
        params = json!({"cursor": cursor});
    }
    assert_eq!(listed[0]["description"], "more than 100 events wait");
    let uris: Vec<_> = listed[1..].iter().map(|resource| resource["uri"].as_str().unwrap()).collect();
    assert_eq!(uris, posted.iter().map(|id| format!("string://event/{id}")).collect::<Vec<_>>());
    for method in ["resources/list", "resources/templates/list", "tools/list"] {
        let refused = ask(method, json!({"cursor": "bogus"})).await;
        assert_eq!(refused["error"]["code"], -32602, "{method}: {refused}");
    }
    assert!(ask("resources/read", json!({"uri": "string://events?after=bogus"})).await["error"].is_object());
}

#[tokio::test]
async fn two_clients_with_the_same_ids_never_cross() {
    let daemon = Daemon::start().await;
    let (one, other) = (greeted(&daemon).await, greeted(&daemon).await);
    assert_ne!(one, other);
    for round in 0..20 {
        let ask = |session: &str, topic: &str| {
            post(&daemon, &tool_call(round, topic, "/info")).with(SESSION, session)
        };
        let (first, second) = (ask(&one, "one"), ask(&other, "other"));
        let (first, second) = tokio::join!(first.send(&daemon), second.send(&daemon));
        assert!(text(&answer_of(&first)).starts_with("<𝒞=string:one>"), "{first:?}");
        assert!(text(&answer_of(&second)).starts_with("<𝒞=string:other>"), "{second:?}");
    }
}

#[tokio::test]
async fn a_flood_of_sessions_is_capped_and_harms_nobody() {
    let daemon = limited(|limits| limits.mcp_sessions = 8).await;
    let kept = greeted(&daemon).await;
    let mut refused = 0;
    for _ in 0..100 {
        let answered = post(&daemon, &greeting()).send(&daemon).await;
        match answered.status {
            200 => {}
            429 => {
                assert_eq!(answered.code(), "QUEUE_FULL");
                refused += 1;
            }
            other => panic!("{other}: {answered:?}"),
        }
    }
    assert_eq!(refused, 93);
    let info = post(&daemon, &tool_call(1, "main", "/info")).with(SESSION, &kept).send(&daemon).await;
    assert!(text(&answer_of(&info)).contains("Session info"), "{info:?}");
    assert!(daemon.exec("main", "/info").await.ok);
    Call::new(&daemon, "DELETE", "/mcp").with(SESSION, &kept).send(&daemon).await;
    assert_eq!(post(&daemon, &greeting()).send(&daemon).await.status, 200, "there is room again");
}

#[tokio::test]
async fn strangers_and_web_pages_are_refused() {
    let daemon = Daemon::start().await;
    let call = || post(&daemon, &greeting());
    assert_eq!(call().without("Authorization").send(&daemon).await.status, 401);
    assert_eq!(call().set("Host", "evil.example").send(&daemon).await.status, 403);
    for origin in ["http://evil.example", "null", "http://localhost:9999", "http://localhost.evil.com"] {
        assert_eq!(call().with("Origin", origin).send(&daemon).await.status, 403, "{origin}");
    }
    let plain = Call::new(&daemon, "POST", "/mcp").body("text/plain", &greeting().to_string());
    assert_eq!(plain.with("Accept", "application/json, text/event-stream").send(&daemon).await.status, 415);
}

#[tokio::test]
async fn what_is_no_message_is_refused_like_everywhere() {
    let daemon = Daemon::start().await;
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    for body in ["", "{", "not json", "{\"a\": 1}", &deep] {
        let call = Call::new(&daemon, "POST", "/mcp").json(body);
        let answer = call.with("Accept", "application/json, text/event-stream").send(&daemon).await;
        assert_eq!((answer.status, answer.code().as_str()), (400, "INVALID_PARAMS"), "{answer:?}");
    }
    let unaccepting = Call::new(&daemon, "POST", "/mcp").json(&greeting().to_string()).send(&daemon).await;
    assert_eq!((unaccepting.status, unaccepting.code().as_str()), (406, "NOT_ACCEPTABLE"));
}

#[tokio::test]
async fn parameters_that_a_method_does_not_take_are_no_unknown_method() {
    let daemon = Daemon::start().await;
    let session = greeted(&daemon).await;
    for (method, params, code) in [
        ("tools/call", json!({"name": "string", "arguments": "x"}), -32602),
        ("resources/read", json!({}), -32602),
        ("resources/list", json!({"cursor": 5}), -32602),
        ("no/such", json!({}), -32601),
    ] {
        let asked = post(&daemon, &request(1, method, params)).with(SESSION, &session);
        let answered = answer_of(&asked.send(&daemon).await);
        assert_eq!(answered["error"]["code"], code, "{method}: {answered}");
    }
}

#[tokio::test]
async fn a_request_that_is_not_understood_is_told_so_by_its_id() {
    let daemon = Daemon::start().await;
    let session = greeted(&daemon).await;
    let incomplete = json!({"protocolVersion": "2025-11-25", "capabilities": {}});
    for (session, message, code, said) in [
        (None, request(7, "initialize", json!({})), -32602, "missing field `protocolVersion`"),
        (None, request(7, "initialize", incomplete), -32602, r#""clientInfo": {"name": "#),
        (None, request(7, "initialize", json!([])), -32602, "The params of initialize must be an object."),
        (Some(&session), request(7, "ping", json!([])), -32602, "The params of ping must be an object."),
        (Some(&session), json!({"id": 7, "method": "ping"}), -32600, "\"jsonrpc\" must be \"2.0\"."),
    ] {
        let asked = post(&daemon, &message);
        let asked = session.iter().fold(asked, |asked, session| asked.with(SESSION, session));
        let answered = asked.send(&daemon).await;
        let (json, error) = (answered.json(), &answered.json()["error"]);
        assert_eq!((answered.status, &json["id"], &error["code"]), (400, &json!(7), &json!(code)), "{json}");
        assert!(error["message"].as_str().unwrap().contains(said), "{json}");
    }
    let lost = post(&daemon, &request(7, "tools/call", json!({}))).send(&daemon).await;
    assert!(lost.status == 400 && lost.body.contains("Session ID is required"), "{lost:?}");
}

#[tokio::test]
async fn a_session_belongs_to_the_agent_that_opened_it() {
    let daemon = Daemon::start().await;
    assert!(daemon.exec("agent", "/add codex").await.ok);
    let own = greeted(&daemon).await;
    let others = post(&daemon, &greeting()).with("X-Agent-Id", "codex").send(&daemon).await;
    let others = others.header(SESSION).expect("a session").to_owned();
    let ask = |session: &str, agent: &[&str]| {
        let subscribe = post(&daemon, &request(1, "resources/subscribe", json!({"uri": "string://events"})));
        agent.iter().fold(subscribe.with(SESSION, session), |call, agent| call.with("X-Agent-Id", agent))
    };
    for (session, agent) in [(&own, &["codex"][..]), (&others, &["default"]), (&others, &[])] {
        let refused = ask(session, agent).send(&daemon).await;
        assert_eq!((refused.status, refused.code().as_str()), (403, "FORBIDDEN"), "{agent:?}: {refused:?}");
    }
    for (session, agent) in [(&own, &[][..]), (&own, &["default"]), (&others, &["codex"])] {
        let subscribed = answer_of(&ask(session, agent).send(&daemon).await);
        assert!(subscribed["result"].is_object(), "{agent:?}: {subscribed}");
    }
    for method in ["GET", "DELETE"] {
        let foreign =
            Call::new(&daemon, method, "/mcp").with("Accept", "text/event-stream").with(SESSION, &others);
        let refused = foreign.send(&daemon).await;
        assert_eq!(refused.status, 403, "{method}: {refused:?}");
    }
    let end = Call::new(&daemon, "DELETE", "/mcp").with(SESSION, &others).with("X-Agent-Id", "codex");
    assert_eq!(end.send(&daemon).await.status, 204);
}

#[tokio::test]
async fn an_agent_cannot_change_what_it_may_touch() {
    let daemon = Daemon::start().await;
    let session = greeted(&daemon).await;
    for cmd in ["/boundary none", "/allow /tmp", "/add evil", "/use default"] {
        let refused = post(&daemon, &tool_call(1, "agent", cmd)).with(SESSION, &session).send(&daemon).await;
        assert!(text(&answer_of(&refused)).contains("ERROR(NOT_ALLOWED)"), "{cmd}: {refused:?}");
    }
}

#[tokio::test]
async fn installed_tools_are_listed_when_asked_for() {
    let daemon = Daemon::start().await;
    let manifest = json!({
        "name": "greet",
        "description": "says hello",
        "input_schema": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
        "execution": {"type": "script", "entrypoint": "run", "script": "export function run(input) { return `hello ${input.name}`; }"},
    });
    // JSON is YAML.
    daemon.home.write("tools/greet.tool.yaml", manifest.to_string());
    let listed = Call::new(&daemon, "GET", "/tools").send(&daemon).await.json();
    assert_eq!(listed["tools"][0]["input_schema"], manifest["input_schema"]);
    let session = greeted(&daemon).await;
    let list = request(1, "tools/list", json!({}));
    let without = answer_of(&post(&daemon, &list).with(SESSION, &session).send(&daemon).await);
    assert_eq!(without["result"]["tools"].as_array().unwrap().len(), 1, "{without}");
    let asked = Call::new(&daemon, "POST", "/mcp?tools=1")
        .with("Accept", "application/json, text/event-stream")
        .with(SESSION, &session)
        .json(&list.to_string());
    let with = answer_of(&asked.send(&daemon).await);
    assert_eq!(with["result"]["tools"][1]["name"], "greet", "{with}");
    assert_eq!(with["result"]["tools"][1]["inputSchema"]["required"], json!(["name"]), "{with}");
}
