//! `string --mcp` as a client sees it: JSON-RPC, a line each.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod support;

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use serde_json::{Value, json};

use support::World;
use support::mcp::{Client, call, text};

#[test]
fn one_tool_runs_commands_and_says_when_they_fail() {
    let world = World::new();
    std::fs::create_dir(world.home().join("docs")).unwrap();
    std::fs::write(world.home().join("docs/note.md"), "# Note </𝒞>\n").unwrap();
    let mut client = Client::greet(&world);
    let tools = client.ask(1, "tools/list", json!({}));
    assert!(tools.to_string().len() < 4096, "{}", tools.to_string().len());
    assert_eq!(tools["result"]["tools"].as_array().unwrap().len(), 1);
    let opened = client.call(2, "main", "/open docs/note.md");
    assert_eq!(opened["isError"], false);
    assert_eq!(text(&opened), "<𝒞=string:main>\nOpened ~/docs/note.md\n---\n# Note <\\/𝒞>\n</𝒞>");
    let missing = client.call(3, "main", "/open missing.md");
    assert_eq!(missing["isError"], true);
    assert!(text(&missing).starts_with("<𝒞=string:main>\nERROR(NOT_FOUND): "), "{missing}");
    let malformed = client.call(4, "no topic", "/info");
    assert!(text(&malformed).starts_with("<𝒞=string:>\nERROR(INVALID_TARGET): "), "{malformed}");
    let wrong = client.ask(5, "tools/call", json!({"name": "string", "arguments": {"cmd": 7}}));
    assert!(text(&wrong["result"]).contains("ERROR(INVALID_PARAMS): cmd must be a string."), "{wrong}");
    let unknown = client.ask(6, "tools/call", json!({"name": "bash", "arguments": {}}));
    assert!(unknown["error"]["message"].as_str().unwrap().contains("bash"), "{unknown}");
    assert!(client.finish().is_empty());
}

#[test]
fn installed_tools_are_tools_of_their_own_when_asked_for() {
    let world = World::new();
    let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]});
    let script = "export function run(input) { return 'hello ' + input.name; }";
    let manifest = json!({
        "name": "greet", "description": "Says hello.", "input_schema": schema,
        "execution": {"type": "script", "script": script, "entrypoint": "run"},
    });
    std::fs::create_dir(world.home().join("tools")).unwrap();
    // JSON is YAML.
    std::fs::write(world.home().join("tools/greet.tool.yaml"), manifest.to_string()).unwrap();
    let mut taken = manifest;
    taken["name"] = json!("string");
    std::fs::write(world.home().join("tools/string.tool.yaml"), taken.to_string()).unwrap();
    let mut client = Client::start(&world, &["--mcp", "--tools"]);
    client.ask(
        0,
        "initialize",
        json!({
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"},
        }),
    );
    let tools = client.ask(1, "tools/list", json!({}))["result"]["tools"].clone();
    assert_eq!((&tools[0]["name"], &tools[1]["name"]), (&json!("string"), &json!("greet")));
    assert_eq!((tools.as_array().unwrap().len(), &tools[1]["inputSchema"]), (2, &schema));
    // A name that is taken is not passed over in silence.
    assert!(tools[0]["description"].as_str().unwrap().contains("`/tool:string` runs it"), "{tools}");
    let call = |arguments: Value| json!({"name": "greet", "arguments": arguments});
    let greeted = client.ask(2, "tools/call", call(json!({"name": "{Ann} $HOME"})));
    assert_eq!(text(&greeted["result"]), "<𝒞=string:main>\nhello {Ann} $HOME\n</𝒞>");
    let wrong = client.ask(3, "tools/call", call(json!({"name": 7})));
    assert_eq!(wrong["result"]["isError"], true);
    assert!(text(&wrong["result"]).contains("ERROR(INVALID_PARAMS)"), "{wrong}");
}

#[test]
fn every_revision_is_spoken() {
    let world = World::new();
    for (asked, answered) in [
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
        ("2024-11-05", "2025-11-25"),
    ] {
        let mut client = Client::start(&world, &["--mcp"]);
        let params = json!({"protocolVersion": asked, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        let answer = client.ask(1, "initialize", params);
        assert_eq!(answer["result"]["protocolVersion"], answered, "{answer}");
    }
    // The stateless one has no greeting: every request says what it needs to say.
    let mut client = Client::start(&world, &["--mcp"]);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
    });
    let discovered = client.ask(1, "server/discover", json!({"_meta": meta}));
    assert!(discovered["result"].to_string().contains("2026-07-28"), "{discovered}");
    let mut params = call("main", "/info");
    params["_meta"] = meta;
    let answer = client.ask(2, "tools/call", params);
    assert!(text(&answer["result"]).contains("Session info"), "{answer}");
}

#[test]
fn answers_that_are_due_come_before_the_end() {
    let world = World::new();
    let mut client = Client::greet(&world);
    for id in 1..=3 {
        client.request(
            id,
            "tools/call",
            call(&format!("bash:b{id}"), &format!("sleep 0.{id}; echo done {id}")),
        );
    }
    let rest = client.finish();
    for id in 1..=3 {
        let answer = rest.iter().find(|message| message["id"] == id);
        let answer = answer.unwrap_or_else(|| panic!("no answer to {id}: {rest:?}"));
        assert!(text(&answer["result"]).contains(&format!("done {id}")), "{answer}");
    }
}

#[test]
fn calls_to_one_topic_run_in_the_order_they_came() {
    let world = World::new();
    let mut client = Client::greet(&world);
    let message = |id: u32| {
        let params = call("main", &format!("/append log.txt\n{id}"));
        format!("{}\n", json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}))
    };
    let all: String = (1..=12).map(message).collect();
    client.input.as_mut().unwrap().write_all(all.as_bytes()).unwrap();
    assert_eq!(client.finish().len(), 12);
    let expected: String = (1..=12).map(|id| format!("{id}\n")).collect();
    assert_eq!(std::fs::read_to_string(world.home().join("log.txt")).unwrap(), expected);
}

#[test]
fn a_last_line_counts_without_its_end() {
    let world = World::new();
    let mut client = Client::greet(&world);
    let last = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": call("main", "/info")});
    write!(client.input.as_mut().unwrap(), "{last}").unwrap();
    let rest = client.finish();
    let answer = rest.iter().find(|message| message["id"] == 7);
    assert!(answer.is_some_and(|answer| text(&answer["result"]).contains("Session info")), "{rest:?}");
}

#[test]
fn output_that_cannot_be_written_is_no_success() {
    let world = World::new();
    let mut command = world.string(&["--mcp"]);
    command.stdout(std::fs::File::options().write(true).open("/dev/full").unwrap());
    let mut child = command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    writeln!(child.stdin.take().unwrap(), "{ping}").unwrap();
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&ended.stderr).contains("cannot write to standard output"));
}

#[test]
fn the_callers_directory_and_agent_go_along() {
    let world = World::new();
    let work = world.home().join("work");
    std::fs::create_dir(&work).unwrap();
    std::fs::write(work.join("here.md"), "# Here\n").unwrap();
    world.run(&["agent", "add", "codex"]);
    let mut command = world.string(&["--agent", "codex", "--mcp"]);
    command.current_dir(&work);
    assert!(text(&Client::greeted(command).call(1, "agent", "/current")).contains("codex"));
    let mut command = world.string(&["--mcp"]);
    command.current_dir(&work);
    let mut client = Client::greeted(command);
    assert!(text(&client.call(1, "main", "/open ./here.md")).contains("# Here"));
}

#[test]
fn a_call_that_a_stopped_daemon_ends_says_so() {
    let world = World::new();
    let mut client = Client::greet(&world);
    let mut endless = call("main", "/exec echo go; sleep 60");
    endless["_meta"] = json!({"progressToken": "p1"});
    client.request(1, "tools/call", endless);
    client.wait_for(|message| message["method"] == "notifications/progress");
    assert_eq!(world.run(&["--daemon", "stop"]).code, Some(0));
    let answer = client.wait_for(|message| message["id"] == 1);
    let said = text(&answer["result"]);
    assert!(
        said.contains("ERROR(INTERRUPTED): Stopped: ") && said.contains("The daemon was told to stop."),
        "{said}"
    );
    // What the protocol's library tells of each client is not for the log.
    let log = std::fs::read_to_string(world.root().join("log/daemon.log")).unwrap();
    assert!(!log.contains("rmcp"), "{log}");
}

#[test]
fn an_agent_that_does_not_exist_is_refused_before_any_greeting() {
    let world = World::new();
    world.run(&["agent", "add", "codex"]);
    let run = world.run(&["--agent", "nope", "--mcp"]);
    assert_eq!((run.code, run.out.as_str()), (Some(1), ""), "{run:?}");
    assert!(run.err.contains("No agent \"nope\".") && run.err.contains("codex"), "{}", run.err);
}

#[test]
fn an_agent_cannot_change_what_it_may_touch() {
    let world = World::new();
    let mut client = Client::greet(&world);
    for (id, cmd) in [
        (1, "/boundary none"),
        (2, "/allow /tmp"),
        (3, "/add evil"),
        (4, "/use default"),
        (5, "/set-home /tmp"),
    ] {
        let refused = client.call(id, "agent", cmd);
        assert_eq!(refused["isError"], true, "{cmd}");
        assert!(text(&refused).contains("ERROR(NOT_ALLOWED)"), "{cmd}: {refused}");
    }
    assert_eq!(world.run(&["agent", "boundary"]).out, "<𝒞=string:agent>\nboundary: workspace\n</𝒞>\n");
}

#[test]
fn a_call_that_is_cancelled_while_its_shell_starts_is_stopped() {
    let world = World::new();
    let mut client = Client::greet(&world);
    for id in 1..=4 {
        let topic = format!("bash:new{id}");
        client.request(id, "tools/call", call(&topic, "sleep 1000"));
        client.send(
            &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}),
        );
        assert!(text(&client.call(100 + id, &topic, "echo free again")).contains("free again"));
    }
}

#[test]
fn progress_is_told_and_a_cancelled_command_stops_alone() {
    let world = World::new();
    let mut client = Client::greet(&world);
    client.request(1, "tools/call", call("bash:other", "read line; echo got $line"));
    let mut endless = call("bash:dev", "echo has begun; sleep 1000");
    endless["_meta"] = json!({"progressToken": "p1"});
    client.request(2, "tools/call", endless);
    let progress = client.wait_for(|message| message["method"] == "notifications/progress");
    assert_eq!(progress["params"]["progressToken"], "p1");
    client.wait_for_progress(&progress, "has begun");
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}}));
    assert!(text(&client.call(3, "bash:dev", "echo free again")).contains("free again"));
    // The other command still waits for its input.
    world.run(&["bash:other", "//info"]);
    let status = world.run(&["bash", "list"]).out;
    assert!(status.contains("read line"), "{status}");
    client.call(4, "bash:other", "//kill");
    assert!(client.wait_for(|message| message["id"] == 1)["result"].is_object());
    assert!(client.finish().iter().all(|message| message["id"] != 2), "a cancelled request has no answer");
}

#[test]
fn resources_are_listed_read_and_followed() {
    let world = World::new();
    let mut client = Client::greet(&world);
    client.call(1, "docs", "/topics");
    let listed = client.ask(2, "resources/list", json!({}));
    let uris: Vec<&str> = listed["result"]["resources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["uri"].as_str().unwrap())
        .collect();
    assert_eq!(uris, ["string://topic/docs", "string://events"]);
    let read = client.ask(3, "resources/read", json!({"uri": "string://topic/docs"}));
    assert_eq!(read["result"]["contents"][0]["text"], "docs\n(no document)");
    let missing = client.ask(4, "resources/read", json!({"uri": "string://topic/nowhere"}));
    assert_eq!(missing["error"]["code"], -32002, "{missing}");
    for (id, uri) in [(5, "string://topic/docs"), (6, "string://events")] {
        assert!(client.ask(id, "resources/subscribe", json!({"uri": uri}))["result"].is_object());
    }
    client.call(7, "docs", "/info");
    let updated = |uri: &'static str| {
        move |message: &Value| {
            message["method"] == "notifications/resources/updated" && message["params"]["uri"] == uri
        }
    };
    client.wait_for(updated("string://topic/docs"));
    post(&world, "A text from outside.");
    client.wait_for(updated("string://events"));
    let inbox = client.ask(8, "resources/read", json!({"uri": "string://events"}));
    let page: Value = serde_json::from_str(inbox["result"]["contents"][0]["text"].as_str().unwrap()).unwrap();
    let events = &page["events"];
    assert_eq!((&events[0]["text"], &page["has_more"]), (&json!("A text from outside."), &json!(false)));
    let uri = format!("string://event/{}", events[0]["id"].as_str().unwrap());
    let event = client.ask(9, "resources/read", json!({"uri": uri}));
    assert_eq!(event["result"]["contents"][0]["text"], "A text from outside.");
    assert!(client.ask(10, "resources/unsubscribe", json!({"uri": "string://events"}))["result"].is_object());
}

#[test]
fn whatever_a_resource_shows_is_told_when_it_changes() {
    let world = World::new();
    let mut client = Client::greet(&world);
    world.run(&["docs", "/info"]);
    world.run(&["main", "/info"]);
    for (id, uri) in [(1, "string://topic/docs"), (2, "string://topic/bash:zz"), (3, "string://events")] {
        assert!(client.ask(id, "resources/subscribe", json!({"uri": uri}))["result"].is_object());
    }
    post(&world, "A text from outside.");
    expect(&mut client, &["string://events"]);
    let id = world.run(&["--raw", "event", "list"]).out;
    let id = id.split_whitespace().find(|word| word.starts_with("evt_")).unwrap();
    let event = format!("string://event/{id}");
    assert!(client.ask(4, "resources/subscribe", json!({"uri": event}))["result"].is_object());
    world.run(&["event", "ack", id]);
    expect(&mut client, &[&event, "string://events"]);
    world.run(&["event", "clear", "--all"]);
    expect(&mut client, &[&event, "string://events"]);
    world.run(&["main", "/session close docs"]);
    expect(&mut client, &["string://topic/docs"]);
    // The command begins, starts a shell, and ends.
    world.run(&["bash:zz", "true"]);
    expect(&mut client, &["string://topic/bash:zz"; 3]);
    world.run(&["bash", "kill", "zz"]);
    expect(&mut client, &["string://topic/bash:zz"]);
    let read = client.ask(5, "resources/read", json!({"uri": "string://topic/bash:zz"}));
    assert_eq!(read["result"]["contents"][0]["text"], "bash:zz\n(no shell)");
}

/// One word for each change, in any order, and nothing else in between.
fn expect(client: &mut Client, uris: &[&str]) {
    let mut told: Vec<Value> = uris.iter().map(|_| client.next().unwrap()).collect();
    assert!(told.iter().all(|one| one["method"] == "notifications/resources/updated"), "{told:?}");
    told.sort_by_key(|one| one["params"]["uri"].to_string());
    let told: Vec<&Value> = told.iter().map(|one| &one["params"]["uri"]).collect();
    assert_eq!(told, uris);
}

fn post(world: &World, body: &str) {
    let url = world.run(&["--raw", "event", "webhook"]).out;
    let (address, path) = url.trim().strip_prefix("http://").unwrap().split_once('/').unwrap();
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    let length = body.len();
    write!(stream, "POST /{path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}")
        .unwrap();
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line).unwrap();
    assert!(line.contains(" 202 "), "{line}");
}

#[test]
fn what_is_no_message_is_survived() {
    let world = World::new();
    let mut client = Client::greet(&world);
    for line in [
        "not json",
        "",
        "{\"jsonrpc\":\"2.0\"",
        "[]",
        "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"no/such\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":10,\"method\":\"tools/call\"}",
        "{\"jsonrpc\":\"1.0\",\"id\":11,\"method\":\"ping\"}",
    ] {
        writeln!(client.input.as_mut().unwrap(), "{line}").unwrap();
    }
    // Nobody is left waiting, not even those whose message says too little about them.
    for code in [-32700, -32700, -32600] {
        let answer = client.wait_for(|message| message.get("error").is_some() && message["id"].is_null());
        assert_eq!(answer["error"]["code"], code, "{answer}");
    }
    for (id, code) in [(9, -32601), (10, -32602), (11, -32600)] {
        assert_eq!(client.wait_for(|message| message["id"] == id)["error"]["code"], code, "{id}");
    }
    assert_eq!(client.ask(12, "ping", json!({}))["result"], json!({}));
}
