//! `GET /activity/stream`: shells, tasks, topics and the inbox, for those who watch.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod support;

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;

use serde_json::{Value, json};
use support::World;

/// What is told from now on, beside commands and their replies: its kind, where, and what became of it.
fn watch(world: &World) -> impl Iterator<Item = String> + use<> {
    let mut watching = UnixStream::connect(world.root().join("run/string.sock")).unwrap();
    watching.write_all(b"GET /activity/stream HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let mut lines = BufReader::new(watching).lines().map(Result::unwrap);
    lines.find(String::is_empty).unwrap();
    lines.filter_map(|line| {
        let told: Value = serde_json::from_str(line.strip_prefix("data: ")?).unwrap();
        assert_eq!(told["agent"], "default", "{told}");
        let fields = ["kind", "topic", "task", "tool", "did", "outcome", "state", "count"];
        let shown = |field: &&str| match &told[*field] {
            Value::Null => None,
            Value::String(text) => Some(text.clone()),
            other => Some(other.to_string()),
        };
        let line: Vec<String> = fields.iter().filter_map(shown).collect();
        (!["command", "reply"].contains(&line[0].as_str())).then(|| line.join(" "))
    })
}

#[test]
fn shells_are_told_from_their_start_to_their_end() {
    let world = World::new();
    world.run(&["/info"]);
    let mut told = watch(&world);
    let mut expect = |lines: &[&str]| lines.iter().for_each(|line| assert_eq!(told.next().unwrap(), *line));
    world.run(&["bash:a", "echo hi"]);
    expect(&["shell bash:a started"]);
    world.run(&["bash:a", "exit 3"]);
    expect(&["shell bash:a ended"]);
    world.run(&["bash", "spawn", "a"]);
    world.run(&["bash", "kill", "a"]);
    expect(&["shell bash:a started", "shell bash:a ended"]);
    world.run(&["bash:b", "true"]);
    world.run(&["main", "/session close bash:b"]);
    expect(&["shell bash:b started", "shell bash:b ended", "closed bash:b"]);
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
    let mut told = watch(&world);
    world.run(&["docs", "/tool:try --task job-1"]);
    world.run(&["docs", "/tool:try --task job-1\n{\"fail\": true}"]);
    for outcome in ["running", "ok", "running", "failed"] {
        assert_eq!(told.next().unwrap(), format!("task docs job-1 try {outcome}"));
    }
}
