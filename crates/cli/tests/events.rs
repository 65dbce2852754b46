//! Events through the real binary: what was answered with 202 survives kill -9.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod support;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::mpsc::channel;

use rustix::process::Signal;

use support::{World, kill, wait, watch};

const WRITERS: usize = 4;
/// Answers to wait for before the daemon is killed, so that it dies in the midst of posts.
const ANSWERS: usize = 40;

/// Posts until the daemon is gone, and says which texts were taken.
fn post_until_the_end(port: u16, path: &str, writer: usize, taken: impl Fn(String)) {
    for number in 0.. {
        let text = format!("writer {writer} number {number}.");
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{text}",
            text.len()
        );
        let mut answer = String::new();
        let Ok(mut stream) = TcpStream::connect(("127.0.0.1", port)) else { return };
        if stream.write_all(request.as_bytes()).is_err() {
            return;
        }
        // A cut answer is none: what counts is what the sender has heard.
        let _ = stream.read_to_string(&mut answer);
        match answer.starts_with("HTTP/1.1 202") && answer.contains("event_id") {
            true => taken(text),
            false => return,
        }
    }
}

#[test]
fn what_was_answered_survives_kill_9() {
    let world = World::new();
    let shown = world.run(&["--raw", "event", "webhook", "show"]).out;
    let (address, path) = shown.trim().strip_prefix("http://127.0.0.1:").unwrap().split_once('/').unwrap();
    let (port, path) = (address.parse().unwrap(), format!("/{path}"));
    let (sender, taken) = channel();
    let mut kept = Vec::new();
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (sender, path) = (sender.clone(), &path);
            scope.spawn(move || post_until_the_end(port, path, writer, |text| sender.send(text).unwrap()));
        }
        drop(sender);
        kept.extend(taken.iter().take(ANSWERS));
        let daemon = world.daemon();
        let ended = watch(daemon);
        kill(daemon, Signal::KILL);
        wait(&ended);
        kept.extend(taken.iter());
    });
    let listed = listed(&world);
    assert!(kept.len() >= ANSWERS);
    for text in &kept {
        assert_eq!(listed.iter().filter(|line| *line == text).count(), 1, "{text} is missing");
    }
}

/// The first lines of all events, page by page.
fn listed(world: &World) -> Vec<String> {
    let (mut texts, mut after) = (Vec::new(), String::new());
    loop {
        let mut words = vec!["event", "list", "--json"];
        if !after.is_empty() {
            words.extend(["--after", &after]);
        }
        let run = world.run(&words);
        let page: Vec<serde_json::Value> = serde_json::from_str(&run.out).unwrap();
        let Some(last) = page.last() else { return texts };
        texts.extend(page.iter().map(|event| event["preview"].as_str().unwrap().to_owned()));
        after = last["id"].as_str().unwrap().to_owned();
    }
}
