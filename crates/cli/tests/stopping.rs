//! What is left of a command that was stopped.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use runtime::activity::{Person, What};
use runtime::sink::Discard;
use testkit::World;

/// Waits until somebody reads the pipe `name` in the home, which the command makes.
async fn met(world: &World, name: &str) {
    let pipe = world.home.path().join(name);
    let meeting = async {
        while !pipe.exists() {
            tokio::task::yield_now().await;
        }
        tokio::task::spawn_blocking(move || fs::write(pipe, "")).await.unwrap().unwrap();
    };
    tokio::time::timeout(Duration::from_secs(60), meeting).await.unwrap();
}

#[tokio::test]
async fn a_stopped_command_shows_what_it_has_printed() {
    let world = World::with_program(env!("CARGO_BIN_EXE_string")).await;
    let running = world
        .spawn(world.request("main", "/exec echo go; mkfifo here; cat here; trap '' TERM INT; sleep 1000"));
    met(&world, "here").await;
    world.ok("main", "/interrupt").await;
    let reply = running.await.unwrap();
    let (first, body) = reply.content.split_once("\n---\n").unwrap();
    assert!(first.starts_with("ERROR(INTERRUPTED): Stopped: /exec echo go;"), "{first}");
    assert_eq!(body, "go");
    assert!(world.ok("main", "/exec echo alive").await.ends_with("alive"));
}

#[tokio::test]
async fn an_interrupted_shell_command_without_output_says_so() {
    let world = World::with_program(env!("CARGO_BIN_EXE_string")).await;
    let running = world.spawn(world.request("bash:a", "mkfifo here; cat here; sleep 1000"));
    met(&world, "here").await;
    world.ok("bash:a", "//interrupt").await;
    assert_eq!(running.await.unwrap().content, "ERROR(EXIT_130): cwd: ~/\n---\n(no output)");
}

#[tokio::test]
async fn text_behind_an_act_on_a_shell_never_overtakes_it() {
    let world = World::with_program(env!("CARGO_BIN_EXE_string")).await;
    for act in ["//interrupt", "//eof", "//kill"].repeat(10) {
        assert!(world.ok("bash:a", "cat").await.starts_with("exit: running"), "{act}");
        let [act, text] = [act, "echo $((6*7))"].map(|payload| {
            let request = world.request("bash:a", payload);
            world.runtime.enqueue(request, Arc::new(Discard), Default::default())
        });
        // The text is run first.
        let (text, act) = tokio::join!(text.run(), act.run());
        assert!(act.ok(), "{}", act.content);
        assert!(text.content.starts_with("exit: 0") && text.content.ends_with("\n42"), "{}", text.content);
    }
}

#[tokio::test]
async fn a_shell_that_is_closed_meanwhile_gives_its_caller_what_was_printed() {
    let world = World::with_program(env!("CARGO_BIN_EXE_string")).await;
    for (name, topic, close) in [("one", "bash", "/kill one"), ("two", "main", "/session close bash:two")] {
        let command = format!("echo before; mkfifo {name}; cat {name}; sleep 1000");
        let running = world.spawn(world.request(&format!("bash:{name}"), &command));
        met(&world, name).await;
        world.ok(topic, close).await;
        let reply = running.await.unwrap().content;
        assert_eq!(
            reply,
            "ERROR(INTERRUPTED): The shell was closed | cwd: ~/\n  Any input starts a fresh one.\n---\nbefore",
            "{close}"
        );
        assert!(world.ok(&format!("bash:{name}"), "echo alive").await.ends_with("alive"));
    }
}

#[tokio::test]
async fn a_shell_that_is_taken_away_meanwhile_says_why_and_what_was_printed() {
    let world = World::with_program(env!("CARGO_BIN_EXE_string")).await;
    let running = world.spawn(world.request("bash:a", "echo before; mkfifo here; cat here; sleep 1000"));
    met(&world, "here").await;
    world.ok("agent", "/boundary off").await;
    let reply = running.await.unwrap().content;
    assert!(reply.starts_with("ERROR(NOT_ALLOWED): The shell was ended: a person has changed"), "{reply}");
    assert!(reply.ends_with("\n---\nbefore"), "{reply}");
}

#[tokio::test]
async fn a_command_whose_agent_is_removed_says_so() {
    let world = World::with_program(env!("CARGO_BIN_EXE_string")).await;
    world.ok("agent", "/add codex").await;
    let running = world.spawn(world.request_as("codex", "main", "/exec mkfifo here; cat here; sleep 1000"));
    met(&world, ".string/agents/codex/here").await;
    world.ok("agent", "/rm codex").await;
    let reply = running.await.unwrap().content;
    assert_eq!(reply, "ERROR(NOT_ALLOWED): Ended: agent codex was removed.");
}

/// Runs a command in a shell and goes away while it runs; what follows `then` runs after that.
async fn leave_behind(world: &World, topic: &str, name: &str, then: &str) {
    let running =
        world.spawn(world.request(topic, &format!("mkfifo go-{name} {name}; cat {name} go-{name}; {then}")));
    met(world, name).await;
    running.abort();
    assert!(running.await.unwrap_err().is_cancelled());
    met(world, &format!("go-{name}")).await;
}

#[tokio::test]
async fn what_nobody_heard_is_told_to_whoever_comes_next() {
    let world = World::with_program(env!("CARGO_BIN_EXE_string")).await;
    leave_behind(&world, "bash:a", "one", "echo RESULT; false").await;
    assert_eq!(
        world.ok("bash:a", "echo next").await,
        "exit: 0 | cwd: ~/\n---\n(the command before has ended: exit 1; whoever waited for this had gone)\nRESULT\nnext"
    );
    assert_eq!(world.ok("bash:a", "echo once").await, "exit: 0 | cwd: ~/\n---\nonce");
    leave_behind(&world, "bash:a", "two", "echo dying; exit 5").await;
    assert_eq!(
        world.ok("bash:a", "echo next").await,
        "exit: 0 | cwd: ~/\n---\n(the shell has ended with status 5; whoever waited for this had gone)\ndying\nnext"
    );
    leave_behind(&world, "bash:a", "three", "echo first").await;
    leave_behind(&world, "bash:a", "four", "echo second").await;
    let reply = world.ok("bash:a", "//wait 1s").await;
    let expected = "exit: none | cwd: ~/\n---\n\
                    (the command before has ended: exit 0; whoever waited for this had gone)\n\
                    (the command before has ended: exit 0; whoever waited for this had gone)\nfirst\nsecond";
    assert_eq!(reply, expected);
}

#[tokio::test]
async fn what_waits_for_a_topic_of_a_removed_agent_is_told_so() {
    let world = World::with_program(env!("CARGO_BIN_EXE_string")).await;
    world.ok("agent", "/add x").await;
    let running = world.spawn(world.request_as("x", "a", "/exec sleep 1000"));
    let topics = world.runtime.sessions.of(&runtime::agent::Id::parse("x").unwrap());
    while !topics.list().iter().any(|session| session.running().is_some()) {
        tokio::task::yield_now().await;
    }
    let waiting = world.spawn(world.request_as("x", "a", "/exec echo never"));
    // The other tasks of this thread have had their turn after it.
    for _ in 0..10 {
        tokio::task::yield_now().await;
    }
    world.ok("agent", "/rm x").await;
    assert!(!running.await.unwrap().ok());
    let told = waiting.await.unwrap().content;
    assert!(told.starts_with("ERROR(NOT_FOUND): The agent of a was removed."), "{told}");
}

#[tokio::test]
async fn what_a_person_typed_ahead_is_on_record_however_slow_the_terminal_is() {
    let world = World::with_program(env!("CARGO_BIN_EXE_string")).await;
    world.ok("bash:a", "mkfifo here").await;
    let person = runtime::Origin::Process { pid: std::process::id() };
    let topic = runtime::topic::Topic::parse("bash:a").unwrap();
    let attached = world.runtime.attach(person, "default", topic, (80, 24)).await.unwrap();
    attached.keys(b"cat here\r".to_vec()).await;
    attached.keys(b"touch one\rtouch two\r".to_vec()).await;
    // Nothing is read from the terminal.
    met(&world, "here").await;
    let two = world.home.path().join("two");
    let ran = async {
        while !two.exists() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), ran).await.unwrap();
    let mut activity = world.runtime.activity.watch();
    drop(attached);
    let is_over = |what| matches!(what, What::Person { did: Person::Detached, .. });
    while !is_over(activity.recv().await.unwrap().what) {}
    let log = world.close().read(".string/log/audit.jsonl");
    for command in ["cat here", "touch one", "touch two"] {
        assert_eq!(log.matches(&format!("(typed by a person) {command}")).count(), 1, "{command}: {log}");
    }
}
