//! Programs that run, wait for input, and are interrupted.

use std::time::Duration;

use shell::{Error, Input, Outcome};

use crate::support::{Fixture, LONG, code, finished, has, text, waits_for_input};

/// Short enough for a test, for commands that are known not to end by themselves.
const SHORT: Duration = Duration::from_millis(300);

#[tokio::test]
async fn read_waits_and_takes_the_next_text() {
    let fixture = Fixture::new().await;
    let turn = fixture.run("read -p 'name? ' name; echo \"hi $name\"").await;
    waits_for_input(&turn);
    assert_eq!(text(&turn), "name? ");
    assert_eq!(finished(&fixture.input("World").await), (0, "World\nhi World\n".into()));
    fixture.alive().await;
    waits_for_input(&fixture.run("read -s secret; echo; echo \"got $secret\"").await);
    let (_, output) = finished(&fixture.input("hidden").await);
    assert!(output.ends_with("got hidden\n"), "{output}");
    fixture.alive().await;
    waits_for_input(&fixture.run("read -n 1 key; echo; echo \"key $key\"").await);
    let turn = fixture.shell.input(Input::Keys("y".into()), LONG).await.unwrap();
    assert!(text(&turn).ends_with("key y\n"), "{turn:?}");
    fixture.alive().await;
}

#[tokio::test]
async fn cat_reads_until_end_of_file() {
    let fixture = Fixture::new().await;
    waits_for_input(&fixture.run("cat").await);
    let turn = fixture.input("one").await;
    waits_for_input(&turn);
    assert_eq!(text(&turn), "one\none\n");
    let turn = fixture.input("two\nthree").await;
    waits_for_input(&turn);
    fixture.shell.eof().await.unwrap();
    let turn = fixture.shell.wait(LONG).await.unwrap();
    assert_eq!(code(&turn), 0);
    fixture.alive().await;
}

#[tokio::test]
async fn long_input_arrives_whole_or_is_refused() {
    let fixture = Fixture::new().await;
    waits_for_input(&fixture.run("read line; echo ${#line}").await);
    let refused = fixture.shell.input(Input::Line("x".repeat(5000)), LONG).await;
    assert!(matches!(refused, Err(Error::LineTooLong { length: 5000, .. })), "{refused:?}");
    let turn = fixture.input(&"x".repeat(4094)).await;
    assert!(text(&turn).ends_with("\n4094\n"), "{turn:?}");
    fixture.alive().await;
    waits_for_input(&fixture.run("stty -echo; head -n 20000 | wc -c; stty echo").await);
    let lines = vec!["0123456789".repeat(5); 20_000].join("\n");
    let turn = fixture.input(&lines).await;
    assert_eq!(finished(&turn), (0, format!("{}\n", 51 * 20_000)));
    fixture.alive().await;
}

#[tokio::test]
async fn python_waits_in_its_input_and_in_its_own_prompt() {
    if !has("python3") {
        return;
    }
    let fixture = Fixture::new().await;
    let turn = fixture.run("python3 -c 'n=input(\"name? \"); print(\"hello\", n)'").await;
    waits_for_input(&turn);
    assert_eq!(text(&turn), "name? ");
    let turn = fixture.input("World").await;
    assert!(text(&turn).ends_with("hello World\n"), "{turn:?}");
    fixture.alive().await;
    let turn = fixture.run("python3 -q").await;
    waits_for_input(&turn);
    let turn = fixture.input("print(6 * 7)").await;
    waits_for_input(&turn);
    assert!(text(&turn).contains("42\n"), "{turn:?}");
    assert_eq!(code(&fixture.input("exit(3)").await), 3);
    fixture.alive().await;
    for wait in ["p=select.poll(); p.register(0, select.POLLIN); p.poll()", "select.select([0], [], [])"] {
        waits_for_input(&fixture.run(&format!("python3 -c 'import select; {wait}; print(input())'")).await);
        assert!(text(&fixture.input("polled").await).ends_with("polled\n"));
        fixture.alive().await;
    }
    let turn = fixture.run("python3 -c 'import getpass; print(len(getpass.getpass()))'").await;
    waits_for_input(&turn);
    let turn = fixture.input("12345").await;
    assert!(text(&turn).ends_with("5\n") && !text(&turn).contains("12345"), "{turn:?}");
    fixture.alive().await;
}

#[tokio::test]
async fn node_waits_in_its_prompt() {
    if !has("node") {
        return;
    }
    let fixture = Fixture::new().await;
    waits_for_input(&fixture.run("NODE_NO_READLINE=1 node -i").await);
    let turn = fixture.input("6*7").await;
    waits_for_input(&turn);
    assert!(text(&turn).contains("42"), "{turn:?}");
    fixture.shell.eof().await.unwrap();
    assert_eq!(code(&fixture.shell.wait(LONG).await.unwrap()), 0);
    fixture.alive().await;
}

#[tokio::test]
async fn a_pager_prints_by_default_and_takes_keys_when_started_all_the_same() {
    if !has("git") || !has("less") {
        return;
    }
    let fixture = Fixture::new().await;
    let quiet = "echo $PAGER $GIT_PAGER $MANPAGER $GIT_EDITOR $GIT_TERMINAL_PROMPT $DEBIAN_FRONTEND";
    fixture.check(quiet, 0, "cat cat cat true 0 noninteractive\n").await;
    let setup = "git init -q . && git config user.email a@b && git config user.name a && \
                 for i in $(seq 100); do git commit -q --allow-empty -m \"commit $i\"; done";
    fixture.check(setup, 0, "").await;
    let (status, log) = fixture.finish("git log --oneline").await;
    assert_eq!((status, log.lines().count()), (0, 100));
    let (status, amended) =
        fixture.finish("git commit -q --allow-empty --amend; git log -1 --format=%s").await;
    assert!(status == 0 && amended.ends_with("commit 100\n"), "{amended}");
    fixture.alive().await;
    let turn = fixture.run("seq 1000 | TERM=xterm less").await;
    waits_for_input(&turn);
    let screen = fixture.shell.screen().await.unwrap();
    assert!(screen.starts_with("1\n2\n3\n"), "{screen}");
    let turn = fixture.shell.input(Input::Keys(" ".into()), LONG).await.unwrap();
    waits_for_input(&turn);
    assert!(fixture.shell.screen().await.unwrap().contains("\n60\n"));
    let turn = fixture.shell.input(Input::Keys("q".into()), LONG).await.unwrap();
    assert_eq!(finished(&turn), (0, String::new()));
    fixture.alive().await;
}

#[tokio::test]
async fn a_full_screen_editor_does_not_wreck_the_session() {
    if !has("vim") {
        return;
    }
    let fixture = Fixture::new().await;
    let turn = fixture.run("printf 'first\\nsecond\\n' >f; TERM=xterm vim -u NONE f").await;
    waits_for_input(&turn);
    assert!(fixture.shell.screen().await.unwrap().starts_with("first\nsecond\n~"));
    let turn = fixture.shell.input(Input::Keys("dd:wq\n".into()), LONG).await.unwrap();
    assert_eq!(code(&turn), 0);
    fixture.check("cat f", 0, "second\n").await;
}

#[tokio::test]
async fn ssh_like_prompts_on_dev_tty_count() {
    let fixture = Fixture::new().await;
    let turn = fixture
        .run("sh -c 'printf \"password: \" >/dev/tty; read x </dev/tty; echo \"[$x]\"' </dev/null")
        .await;
    waits_for_input(&turn);
    let turn = fixture.input("pw").await;
    assert!(text(&turn).ends_with("[pw]\n"), "{turn:?}");
    fixture.alive().await;
}

#[tokio::test]
async fn a_long_command_is_running_and_not_failed() {
    let fixture = Fixture::new().await;
    let turn = fixture.shell.run("echo started; sleep 1000", SHORT).await.unwrap();
    let Outcome::Running(running) = &turn.outcome else { panic!("{turn:?}") };
    assert!(!running.waiting_for_input && running.pid > 0);
    assert_eq!(text(&turn), "started\n");
    let info = fixture.shell.info().await.unwrap();
    let command = info.running.unwrap();
    assert_eq!((command.payload.as_str(), command.pid), ("echo started; sleep 1000", running.pid));
    assert!(command.running_for >= SHORT);
    let busy = fixture.shell.run("echo no", SHORT).await;
    assert!(matches!(busy, Err(Error::Busy)), "{busy:?}");
    let turn = fixture.shell.wait(Duration::from_millis(1)).await.unwrap();
    assert!(matches!(turn.outcome, Outcome::Running(_)) && turn.output.is_empty(), "{turn:?}");
    fixture.shell.interrupt().await.unwrap();
    assert_eq!(finished(&fixture.shell.wait(LONG).await.unwrap()), (130, String::new()));
    fixture.alive().await;
}

#[tokio::test]
async fn what_ended_with_nobody_waiting_is_told_with_the_next_turn() {
    let fixture = Fixture::new().await;
    let turn = fixture.shell.run("echo first; read x <fifo; echo second; (exit 9)", SHORT);
    fixture.shell.run("mkfifo fifo", LONG).await.unwrap();
    assert!(matches!(turn.await.unwrap().outcome, Outcome::Running(_)));
    let mut live = fixture.shell.subscribe();
    std::fs::write(fixture.path().join("fifo"), "go\n").unwrap();
    while !matches!(live.recv().await.unwrap(), shell::Live::Finished(_)) {}
    let turn = fixture.run("echo third").await;
    assert_eq!(finished(&turn), (0, "third\n".into()));
    let earlier = &turn.untold.earlier[0];
    assert_eq!((earlier.status.code(), earlier.output.head.as_str()), (9, "second\n"));
}

#[tokio::test]
async fn a_caller_that_leaves_loses_no_output() {
    let fixture = Fixture::new().await;
    fixture.finish("mkfifo fifo").await;
    let mut live = fixture.shell.subscribe();
    tokio::select! {
        turn = fixture.run("echo first; read x <fifo; echo second") => panic!("{turn:?}"),
        event = live.recv() => assert_eq!(event.unwrap(), shell::Live::Text("first\n".into())),
    }
    std::fs::write(fixture.path().join("fifo"), "go\n").unwrap();
    while !matches!(live.recv().await.unwrap(), shell::Live::Finished(_)) {}
    assert_eq!(finished(&fixture.shell.wait(LONG).await.unwrap()), (0, "first\nsecond\n".into()));
    fixture.alive().await;
}

#[tokio::test]
async fn what_ended_is_told_once_when_waited_for() {
    let fixture = Fixture::new().await;
    fixture.finish("mkfifo fifo").await;
    assert!(matches!(
        fixture.shell.run("read x <fifo; (exit 9)", SHORT).await.unwrap().outcome,
        Outcome::Running(_)
    ));
    std::fs::write(fixture.path().join("fifo"), "go\n").unwrap();
    assert_eq!(code(&fixture.shell.wait(LONG).await.unwrap()), 9);
    assert_eq!(fixture.shell.wait(LONG).await.unwrap().outcome, Outcome::Idle);
    fixture.alive().await;
}

#[tokio::test]
async fn a_stopped_job_ends_the_turn_and_can_go_on() {
    let fixture = Fixture::new().await;
    waits_for_input(&fixture.run("cat").await);
    let turn = fixture.shell.input(Input::Keys("\u{1a}".into()), LONG).await.unwrap();
    assert_eq!(code(&turn), 148);
    assert!(text(&turn).contains("Stopped"), "{turn:?}");
    fixture.alive().await;
    waits_for_input(&fixture.run("fg").await);
    fixture.shell.eof().await.unwrap();
    assert_eq!(code(&fixture.shell.wait(LONG).await.unwrap()), 0);
    fixture.alive().await;
}

#[tokio::test]
async fn text_goes_where_a_terminal_would_send_it() {
    let fixture = Fixture::new().await;
    waits_for_input(&fixture.shell.send("read x", LONG).await.unwrap());
    assert_eq!(code(&fixture.shell.send("value", LONG).await.unwrap()), 0);
    assert_eq!(text(&fixture.shell.send("echo $x", LONG).await.unwrap()), "value\n");
    let nothing = fixture.shell.input(Input::Line("x".into()), LONG).await;
    assert!(matches!(nothing, Err(Error::NothingRuns)), "{nothing:?}");
}

#[tokio::test]
async fn input_left_over_is_not_read_by_the_next_program() {
    let fixture = Fixture::new().await;
    waits_for_input(&fixture.run("read x").await);
    fixture.input("one\nstray\nstray").await;
    fixture.alive().await;
    waits_for_input(&fixture.run("read y; echo \"[$y]\"").await);
    assert!(text(&fixture.input("two").await).ends_with("[two]\n"));
}
