//! `string system logs -f`: whatever is logged shows up, until nobody reads.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod support;

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use rustix::process::Signal;

use support::{World, kill};

#[test]
fn a_log_is_followed_over_its_rotation_and_without_secrets() {
    let world = World::new();
    let dir = world.root().join("log");
    std::fs::create_dir_all(&dir).unwrap();
    std::fs::write(world.root().join("config.json"), r#"{"env": {"KEY": "sk-secret"}}"#).unwrap();
    let path = dir.join("daemon.log");
    std::fs::write(&path, "one\ntwo\n").unwrap();
    let mut child =
        world.string(&["system", "logs", "-f", "-n", "1"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert_eq!(lines.next().unwrap(), "two");
    let append = |text: &str| {
        let mut file = std::fs::OpenOptions::new().create(true).append(true).open(&path).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    };
    append("three\nfour with sk-");
    assert_eq!(lines.next().unwrap(), "three");
    append("secret\n");
    assert_eq!(lines.next().unwrap(), "four with $KEY");
    std::fs::rename(&path, dir.join("daemon.log.1")).unwrap();
    append("five\n");
    assert_eq!(lines.next().unwrap(), "five");
    // Not SIGINT, which programs in the background of a script ignore.
    kill(child.id(), Signal::TERM);
    assert_eq!(lines.next(), None);
    child.wait().unwrap();
    assert!(world.daemons().is_empty(), "a log can be read without a daemon");
}

#[test]
fn a_reader_that_has_seen_enough_ends_it() {
    let world = World::new();
    let dir = world.root().join("log");
    std::fs::create_dir_all(&dir).unwrap();
    std::fs::write(dir.join("audit.jsonl"), "{}\n").unwrap();
    let mut child =
        world.string(&["system", "logs", "-f", "--audit"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    output.read_line(&mut line).unwrap();
    assert_eq!(line, "{}\n");
    drop(output);
    std::fs::write(dir.join("audit.jsonl"), "{}\n{\"more\": 1}\n").unwrap();
    assert!(child.wait().unwrap().success());
}
