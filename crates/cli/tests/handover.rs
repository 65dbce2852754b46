//! `string --mcp` gives its client to the daemon, and goes on when the daemon is gone.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod support;

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::Stdio;

use rustix::process::Signal;
use serde_json::{Value, json};

use support::mcp::{Client, call, text};
use support::{World, kill, wait, watch};

/// Ends the daemon as a crash does.
fn kill_daemon(world: &World) -> u32 {
    let daemon = world.daemon();
    let ended = watch(daemon);
    kill(daemon, Signal::KILL);
    wait(&ended);
    daemon
}

/// Runs a command that goes on until it is stopped, and waits until it has begun.
fn begin_endless(client: &mut Client, id: u32) {
    let mut endless = call("bash:dev", "echo has begun; sleep 1000");
    endless["_meta"] = json!({"progressToken": "p"});
    client.request(id, "tools/call", endless);
    let progress = client.wait_for(|message| message["method"] == "notifications/progress");
    client.wait_for_progress(&progress, "has begun");
}

fn greeting(id: u32) -> Value {
    let params = json!({
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"},
    });
    json!({"jsonrpc": "2.0", "id": id, "method": "initialize", "params": params})
}

fn request(id: u32, topic: &str, cmd: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": call(topic, cmd)})
}

#[test]
fn a_daemon_that_died_is_started_again() {
    let world = World::new();
    let mut client = Client::greet(&world);
    client.call(1, "main", "/info");
    let daemon = kill_daemon(&world);
    assert!(text(&client.call(2, "main", "/info")).contains("Session info"));
    assert_ne!(world.daemon(), daemon);
}

#[test]
fn what_a_daemon_took_with_it_is_answered_and_the_rest_goes_on() {
    let world = World::new();
    let mut client = Client::greet(&world);
    assert!(
        client.ask(1, "resources/subscribe", json!({"uri": "string://topic/docs"}))["result"].is_object()
    );
    assert!(client.ask(2, "resources/subscribe", json!({"uri": "string://events"}))["result"].is_object());
    assert!(client.ask(3, "resources/unsubscribe", json!({"uri": "string://events"}))["result"].is_object());
    begin_endless(&mut client, 4);
    kill_daemon(&world);
    let lost = client.wait_for(|message| message["id"] == 4)["result"].clone();
    assert_eq!(lost["isError"], true);
    assert!(text(&lost).contains("ERROR(LOAD_ERROR): The daemon did not answer"), "{lost}");
    // The new daemon knows what the client told the old one, and nobody is told twice.
    assert!(text(&client.call(5, "docs", "/info")).contains("Session info"));
    let updated = client.wait_for(|message| message["method"] == "notifications/resources/updated");
    assert_eq!(updated["params"]["uri"], "string://topic/docs");
    let rest = client.finish();
    assert!(rest.iter().all(|message| message.get("id").is_none()), "{rest:?}");
}

#[test]
fn half_a_message_is_finished_by_another_daemon() {
    let world = World::new();
    let mut client = Client::greet(&world);
    let long = "A long text. ".repeat(2_000);
    let message = request(2, "main", &format!("/write long.md\n{long}")).to_string();
    let (first, second) = message.split_at(message.len() - 9_000);
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    // What follows the ping is read with it, or soon after.
    write!(client.input.as_mut().unwrap(), "{ping}\n{first}").unwrap();
    client.wait_for(|message| message["id"] == 1);
    kill_daemon(&world);
    writeln!(client.input.as_mut().unwrap(), "{second}").unwrap();
    let answer = client.wait_for(|message| message["id"] == 2);
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    assert!(fs::read_to_string(world.home().join("long.md")).unwrap().contains(&long));
}

#[test]
fn a_daemon_that_stops_answers_first_and_is_not_started_for_nothing() {
    let world = World::new();
    let mut client = Client::greet(&world);
    begin_endless(&mut client, 1);
    assert_eq!(world.run(&["--daemon", "stop"]).code, Some(0));
    client.wait_for(|message| message["id"] == 1);
    assert_eq!(world.daemons(), [0; 0]);
    assert!(text(&client.call(2, "main", "/info")).contains("Session info"));
    assert!(client.finish().is_empty());
}

/// The next change that the client is told of.
fn updated(client: &mut Client) -> Value {
    let updated = client.wait_for(|message| message["method"] == "notifications/resources/updated");
    updated["params"]["uri"].clone()
}

#[test]
fn a_client_that_only_waits_for_changes_is_told_of_them_after_a_daemon_died() {
    let world = World::new();
    let mut client = Client::greet(&world);
    for (id, uri) in [(1, "string://topic/docs"), (2, "string://events")] {
        assert!(client.ask(id, "resources/subscribe", json!({"uri": uri}))["result"].is_object());
    }
    let daemon = kill_daemon(&world);
    // Each may have changed meanwhile, and nobody said so.
    let mut told = [updated(&mut client), updated(&mut client)];
    told.sort_by_key(Value::to_string);
    assert_eq!(told, ["string://events", "string://topic/docs"]);
    assert_ne!(world.daemon(), daemon);
    world.run(&["docs", "/info"]);
    assert_eq!(updated(&mut client), "string://topic/docs");
    assert!(client.ask(3, "ping", json!({}))["result"].is_object());
}

#[test]
fn a_daemon_that_was_stopped_stays_so_until_somebody_wants_it() {
    let world = World::new();
    let mut client = Client::greet(&world);
    assert!(
        client.ask(1, "resources/subscribe", json!({"uri": "string://topic/docs"}))["result"].is_object()
    );
    assert_eq!(world.run(&["--daemon", "stop"]).code, Some(0));
    assert_eq!(world.daemons(), [0; 0]);
    world.run(&["main", "/info"]);
    assert_eq!(updated(&mut client), "string://topic/docs");
    world.run(&["docs", "/info"]);
    assert_eq!(updated(&mut client), "string://topic/docs");
    // One that says something wants it.
    assert_eq!(world.run(&["--daemon", "stop"]).code, Some(0));
    assert!(client.ask(2, "ping", json!({}))["result"].is_object());
}

#[test]
fn a_front_that_is_killed_takes_its_commands_with_it() {
    let world = World::new();
    let mut client = Client::greet(&world);
    begin_endless(&mut client, 1);
    client.child.kill().unwrap();
    assert!(world.run(&["bash:dev", "echo free again"]).out.contains("free again"));
    // Its streams are closed too, although the client still holds the other ends.
    while client.next().is_some() {}
}

#[test]
fn a_daemon_that_cannot_start_is_told_of() {
    let world = World::new();
    // Where its files belong is one already.
    fs::write(world.root(), "in the way").unwrap();
    let mut client = Client::start(&world, &["--mcp"]);
    client.send(&greeting(0));
    let refused = client.wait_for(|message| message["id"] == 0);
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(message.contains("The daemon did not answer") && message.contains(".string"), "{message}");
    fs::remove_file(world.root()).unwrap();
    client.send(&greeting(1));
    assert!(client.wait_for(|message| message["id"] == 1)["result"].is_object());
    assert!(text(&client.call(2, "main", "/info")).contains("Session info"));
    assert!(client.finish().is_empty());
}

#[test]
fn nothing_is_lost_on_a_client_that_reads_late() {
    let world = World::new();
    fs::write(world.home().join("long.md"), "A line of a long document.\n".repeat(2_000)).unwrap();
    let mut client = Client::greet(&world);
    for id in 1..=40 {
        client.send(&request(id, &format!("t{id}"), "/open long.md"));
    }
    let rest = client.finish();
    for id in 1..=40 {
        let answer = rest.iter().find(|message| message["id"] == id).unwrap();
        assert!(text(&answer["result"]).contains("A line of a long document."), "{id}");
    }
}

#[test]
fn files_are_as_good_as_pipes() {
    let world = World::new();
    let (input, output) = (world.home().join("in.jsonl"), world.home().join("out.jsonl"));
    fs::write(&input, format!("{}\n{}", greeting(0), request(1, "main", "/info"))).unwrap();
    let mut command = world.string(&["--mcp"]);
    command.stdin(File::open(&input).unwrap()).stdout(File::create(&output).unwrap());
    assert!(command.status().unwrap().success());
    let answers: Vec<Value> = fs::read_to_string(&output)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let ids: Vec<&Value> = answers.iter().map(|answer| &answer["id"]).collect();
    assert_eq!(ids, [0, 1]);
    assert!(text(&answers[1]["result"]).contains("Session info"));
}

#[test]
fn sockets_are_as_good_as_pipes() {
    let world = World::new();
    let (ours, theirs) = UnixStream::pair().unwrap();
    let mut command = world.string(&["--mcp"]);
    command
        .stdin(Stdio::from(OwnedFd::from(theirs.try_clone().unwrap())))
        .stdout(Stdio::from(OwnedFd::from(theirs)));
    let mut child = command.spawn().unwrap();
    // What it gave to the child is closed on this side.
    drop(command);
    writeln!(&ours, "{}", greeting(0)).unwrap();
    writeln!(&ours, "{}", request(1, "main", "/info")).unwrap();
    ours.shutdown(std::net::Shutdown::Write).unwrap();
    let answers: Vec<String> = BufReader::new(ours).lines().map(Result::unwrap).collect();
    assert_eq!(answers.len(), 2, "{answers:?}");
    assert!(answers[1].contains("Session info"), "{answers:?}");
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_client_that_says_nothing_needs_no_daemon() {
    let world = World::new();
    let run = world.run(&["--mcp"]);
    assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (Some(0), "", ""));
    assert_eq!(world.daemons(), [0; 0]);
}

#[test]
fn durable_writes_work_alone_and_together() {
    let world = World::new();
    let mut client = Client::greet(&world);
    let put = |id: u32| format!("/state put profile key{id} {id}");
    assert_eq!(client.call(1, "system", &put(1))["isError"], false);
    let together: String = (2..=9).map(|id| format!("{}\n", request(id, "system", &put(id)))).collect();
    client.input.as_mut().unwrap().write_all(together.as_bytes()).unwrap();
    for id in 2..=9 {
        let answer = client.wait_for(|message| message["id"] == id);
        assert_eq!(answer["result"]["isError"], false, "{answer}");
    }
    let listed = client.call(10, "system", "/state ls profile");
    assert!((1..=9).all(|id| text(&listed).contains(&format!("key{id}"))), "{listed}");
}

#[test]
fn half_an_answer_does_not_swallow_the_next() {
    let world = World::new();
    fs::write(world.home().join("long.md"), "A line of a long document.\n".repeat(2_000)).unwrap();
    let mut client = Client::greet(&world);
    for id in 1..=5 {
        client.send(&request(id, &format!("t{id}"), "/open long.md"));
    }
    // The pipe is full: it holds some of the answers, and the beginning of another.
    let capacity = rustix::pipe::fcntl_getpipe_size(client.output.get_ref()).unwrap() as u64;
    while rustix::io::ioctl_fionread(client.output.get_ref()).unwrap() + 4096 <= capacity {
        std::thread::yield_now();
    }
    kill_daemon(&world);
    let (mut answered, mut cut) = (Vec::new(), 0);
    while answered.len() < 5 {
        let mut line = String::new();
        client.output.read_line(&mut line).unwrap();
        match serde_json::from_str::<Value>(&line) {
            Ok(message) => answered.push(message["id"].as_u64().unwrap()),
            Err(_) => cut += 1,
        }
    }
    answered.sort_unstable();
    assert_eq!((answered, cut), (vec![1, 2, 3, 4, 5], 1));
    assert!(text(&client.call(6, "main", "/info")).contains("Session info"));
}

#[test]
fn an_id_that_is_used_twice_keeps_nobody_waiting() {
    let world = World::new();
    let mut client = Client::greet(&world);
    let twice = format!("{}\n{}\n", request(5, "a", "/info"), request(5, "b", "/info"));
    client.input.as_mut().unwrap().write_all(twice.as_bytes()).unwrap();
    let rest = client.finish();
    assert!(rest.iter().any(|message| message["id"] == 5), "{rest:?}");
}

#[test]
fn a_client_without_a_greeting_goes_on_with_whatever_it_likes() {
    let world = World::new();
    let mut client = Client::start(&world, &["--mcp"]);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
    });
    let mut info = call("main", "/info");
    info["_meta"] = meta.clone();
    assert!(client.ask(1, "tools/call", info.clone())["result"].is_object());
    let filter = json!({"resourceSubscriptions": ["string://topic/main"]});
    client.request(2, "subscriptions/listen", json!({"notifications": filter, "_meta": meta}));
    client.wait_for(|message| message["method"] == "notifications/subscriptions/acknowledged");
    kill_daemon(&world);
    assert!(client.wait_for(|message| message["id"] == 2)["error"].is_object());
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}}));
    assert!(text(&client.ask(3, "tools/call", info)["result"]).contains("Session info"));
    assert!(client.finish().iter().all(|message| message["id"] != 3));
}
