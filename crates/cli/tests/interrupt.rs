//! Ctrl-C, and daemons of other versions: the binary against a daemon that is told what to say.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod support;

use std::process::{Command, Stdio};

use rustix::process::Signal;
use support::{World, fake, kill, read};

#[test]
fn ctrl_c_interrupts_the_command_and_waits_for_its_reply() {
    let world = World::new();
    let requests = fake::listen(&world);
    let child = world.spawn(&["main", "/slow"]);
    let command = requests.recv().unwrap();
    assert!(command.body.contains("/slow"));
    kill(child.id(), Signal::INT);
    let interrupt = requests.recv().unwrap();
    let (_, rest) = command.body.split_once(r#""request_id":""#).unwrap();
    let (id, _) = rest.split_once('"').unwrap();
    assert_eq!(interrupt.line, format!("DELETE /exec/{id}"));
    interrupt.answer("202 Accepted", "", "");
    command.reply("", "ERROR(INTERRUPTED): Stopped.");
    let run = read(child.wait_with_output().unwrap());
    assert_eq!(run.code, Some(1));
    assert_eq!(run.out, "<𝒞=string:main>\nERROR(INTERRUPTED): Stopped.\n</𝒞>\n");
}

#[test]
fn a_second_ctrl_c_leaves_at_once() {
    let world = World::new();
    let requests = fake::listen(&world);
    let child = world.spawn(&["main", "/slow"]);
    let _command = requests.recv().unwrap();
    kill(child.id(), Signal::INT);
    let _interrupt = requests.recv().unwrap();
    kill(child.id(), Signal::INT);
    let run = read(child.wait_with_output().unwrap());
    assert_eq!((run.code, run.out.as_str()), (Some(130), ""));
}

#[test]
fn a_busy_older_daemon_answers_and_the_caller_is_told() {
    let world = World::new();
    let requests = fake::listen(&world);
    let child = world.spawn(&["--raw", "/info"]);
    requests.recv().unwrap().reply("x-string-outdated: 0.0.1\r\n", "Session info");
    let run = read(child.wait_with_output().unwrap());
    assert_eq!((run.code, run.out.as_str()), (Some(0), "Session info\n"));
    assert!(run.err.contains("older"), "{}", run.err);
}

#[test]
fn an_idle_older_daemon_is_replaced_and_the_command_sent_again() {
    let world = World::new();
    let requests = fake::listen(&world);
    // Stands for the older daemon's process.
    let mut older = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
    let child = world.spawn(&["main", "/info"]);
    let outdated = r#"{"error":{"code":"OUTDATED","message":"older","hints":[]}}"#;
    requests.recv().unwrap().answer("426 Upgrade Required", "", outdated);
    let health = requests.recv().unwrap();
    assert_eq!(health.line, "GET /health");
    health.answer("426 Upgrade Required", "", outdated);
    let shutdown = requests.recv().unwrap();
    assert_eq!(shutdown.line, "POST /shutdown");
    std::fs::remove_file(world.root().join("run/string.sock")).unwrap();
    shutdown.answer("200 OK", "", &format!(r#"{{"ok":true,"pid":{}}}"#, older.id()));
    drop(older.stdin.take());
    older.wait().unwrap();
    let run = read(child.wait_with_output().unwrap());
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.out.starts_with("<𝒞=string:main>\nSession info\n"), "{}", run.out);
    assert!(run.err.contains("older than this program; restarting it"), "{}", run.err);
    assert_eq!(world.daemons(), [world.daemon()]);
}

#[test]
fn a_refusal_is_printed_like_a_reply() {
    let world = World::new();
    let requests = fake::listen(&world);
    let child = world.spawn(&["file:notes", "/info"]);
    let full = r#"{"error":{"code":"QUEUE_FULL","message":"Too many wait.","hints":["Try later."]}}"#;
    requests.recv().unwrap().answer("429 Too Many Requests", "", full);
    let run = read(child.wait_with_output().unwrap());
    assert_eq!((run.code, run.err.as_str()), (Some(1), ""));
    assert_eq!(run.out, "<𝒞=string:notes>\nERROR(QUEUE_FULL): Too many wait.\n  Try later.\n</𝒞>\n");
}

#[test]
fn a_daemon_that_dies_during_the_command_is_said_so() {
    let world = World::new();
    let requests = fake::listen(&world);
    let child = world.spawn(&["main", "/info"]);
    drop(requests.recv().unwrap());
    let run = read(child.wait_with_output().unwrap());
    assert_eq!((run.code, run.out.as_str()), (Some(3), ""));
    assert!(run.err.contains("went away"), "{}", run.err);
}
