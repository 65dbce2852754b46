//! Watches of shells through the real binary, where there are shells to watch.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod support;

use rustix::process::Signal;
use serde_json::Value;

use support::{World, kill, wait, watch};

/// The first lines of the events that wait.
fn told(world: &World) -> Vec<String> {
    let events: Vec<Value> = serde_json::from_str(&world.run(&["event", "list", "--json"]).out).unwrap();
    events.iter().map(|event| event["preview"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_shell_wakes_the_agent() {
    let world = World::new();
    world.run(&["bash:dev", "true"]);
    for what in ["exit", "match 'ready on'", "match never"] {
        assert_eq!(world.run(&["main", &format!("/watch bash:dev {what}")]).code, Some(0), "{what}");
    }
    world.run(&["bash:dev", "echo server ready on 80; (exit 3)"]);
    // The shell is told of before it is gone, so its end comes last.
    world.run(&["bash", "kill", "dev"]);
    let told = told_until(&world, 3);
    assert!(told.contains(&"bash:dev shows: server ready on 80 …".to_owned()), "{told:?}");
    let ended = "bash:dev has ended a command with status 3: echo server ready on 80; (exit 3) …";
    assert!(told.contains(&ended.to_owned()), "{told:?}");
    assert!(
        told.contains(&"The shell of bash:dev was closed before \"never\" was seen.".to_owned()),
        "{told:?}"
    );
}

#[test]
fn a_shell_that_is_lost_with_its_daemon_is_told() {
    let world = World::new();
    world.run(&["bash:dev", "true"]);
    world.run(&["main", "/watch bash:dev exit"]);
    let daemon = world.daemon();
    let ended = watch(daemon);
    kill(daemon, Signal::KILL);
    wait(&ended);
    let lost = "The shell of bash:dev is lost: the daemon has ended since. Any input starts a fr";
    assert!(told(&world)[0].starts_with(lost), "{:?}", told(&world));
    // An orderly stop is no different, and nothing is told twice.
    world.run(&["bash:dev", "true"]);
    world.run(&["main", "/watch bash:dev match never"]);
    world.run(&["--daemon", "stop"]);
    assert_eq!(told(&world).len(), 2);
    world.run(&["--daemon", "stop"]);
    assert_eq!(told(&world).len(), 2);
}

/// The events, once there are so many. Each arrives through the stream, so nothing is asked again and again.
fn told_until(world: &World, count: usize) -> Vec<String> {
    use std::io::{BufRead, BufReader, Write};
    let socket = world.root().join("run/string.sock");
    let mut stream = std::os::unix::net::UnixStream::connect(socket).unwrap();
    stream.write_all(b"GET /events/stream HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let lines = BufReader::new(stream).lines().map(Result::unwrap);
    lines.filter(|line| line.starts_with("data:")).take(count).for_each(drop);
    told(world)
}
