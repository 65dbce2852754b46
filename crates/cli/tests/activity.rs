//! `GET /activity/stream`: shells, topics and tasks, for those who watch.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod support;

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;

use serde_json::{Value, json};
use support::World;

/// What the stream tells while something is done, beside commands and their replies: its kind, where, and what became
/// of it.
fn told_while(world: &World, act: impl FnOnce()) -> Vec<String> {
    let mut watching = UnixStream::connect(world.root().join("run/string.sock")).unwrap();
    watching.write_all(b"GET /activity/stream HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let mut lines = BufReader::new(watching).lines().map(Result::unwrap);
    lines.find(String::is_empty).unwrap();
    act();
    world.run(&["end", "/info"]);
    let events = lines.filter_map(|line| {
        let event: Value = serde_json::from_str(line.strip_prefix("data: ")?).unwrap();
        assert_eq!(event["agent"], "default", "{event}");
        Some(event)
    });
    let until_end = events.take_while(|event| event["topic"] != "end");
    let others = until_end.filter(|event| event["kind"] != "command" && event["kind"] != "reply");
    others.map(|event| shown(&event)).collect()
}

fn shown(event: &Value) -> String {
    let fields = ["kind", "topic", "task", "tool", "did", "outcome"];
    fields.iter().filter_map(|field| event[*field].as_str()).collect::<Vec<_>>().join(" ")
}

#[test]
fn shells_are_told_from_their_start_to_their_end() {
    let world = World::new();
    world.run(&["/info"]);
    let told = told_while(&world, || {
        world.run(&["bash:ended", "echo hi"]);
        world.run(&["bash:ended", "exit 3"]);
        world.run(&["bash", "spawn", "killed"]);
        world.run(&["bash", "kill", "killed"]);
        world.run(&["bash:closed", "true"]);
        world.run(&["main", "/session close bash:closed"]);
    });
    let expected = [
        "shell bash:ended started",
        "shell bash:ended ended",
        "shell bash:killed started",
        "shell bash:killed ended",
        "shell bash:closed started",
        "shell bash:closed ended",
        "closed bash:closed",
    ];
    assert_eq!(told, expected);
}

#[test]
fn tasks_are_told_with_their_outcome() {
    let world = World::new();
    let script = "export function run(input) { if (input.fail) throw new Error('no'); return 'yes'; }";
    let manifest = json!({
        "name": "try", "description": "Tries.", "input_schema": {"type": "object"},
        "execution": {"type": "script", "script": script, "entrypoint": "run"},
    });
    std::fs::create_dir(world.home().join("tools")).unwrap();
    // JSON is YAML.
    std::fs::write(world.home().join("tools/try.tool.yaml"), manifest.to_string()).unwrap();
    world.run(&["/info"]);
    let told = told_while(&world, || {
        world.run(&["docs", "/tool:try --task job-1"]);
        world.run(&["docs", "/tool:try --task job-1\n{\"fail\": true}"]);
    });
    let expected =
        ["running", "ok", "running", "failed"].map(|outcome| format!("task docs job-1 try {outcome}"));
    assert_eq!(told, expected);
}
