//! Text that reaches a program which does not read it: it is run as in a terminal, or said.

use std::time::Duration;

use shell::{Error, Outcome, Turn, Until};

use crate::support::{Fixture, LONG, code, finished, text, waits_for_input};

/// A shell in which a program holds at `fifo` until it is let go.
async fn with_fifo() -> Fixture {
    let fixture = Fixture::new().await;
    fixture.finish("mkfifo fifo").await;
    fixture
}

/// Starts a program that says `up` when it is there, and does not wait for it.
async fn start(fixture: &Fixture, payload: &str) {
    let up = fixture.shell.watch(Until::Match("up".into())).await.unwrap();
    let turn = fixture.shell.run(payload, Duration::ZERO).await.unwrap();
    assert!(matches!(turn.outcome, Outcome::Running(_)), "{turn:?}");
    up.seen().await.unwrap();
    // What it has printed so far has been returned now.
    fixture.shell.wait(Duration::ZERO).await.unwrap();
}

/// Sends text, and lets what holds at the fifo go on once the text has arrived.
async fn send_then_let_go(fixture: &Fixture, sent: &str) -> shell::Result<Turn> {
    let let_go = async {
        // Requests are answered in order.
        fixture.shell.info().await.unwrap();
        let fifo = fixture.path().join("fifo");
        tokio::task::spawn_blocking(|| std::fs::write(fifo, "go\n")).await.unwrap().unwrap();
    };
    let (turn, ()) = tokio::join!(fixture.shell.send(sent, LONG), let_go);
    turn
}

#[tokio::test]
async fn text_after_end_of_file_is_run_once_the_program_has_ended() {
    let fixture = with_fifo().await;
    waits_for_input(&fixture.run("cat; read x <fifo; echo over; (exit 3)").await);
    fixture.shell.eof().await.unwrap();
    let turn = send_then_let_go(&fixture, "echo alive; echo $?").await.unwrap();
    assert_eq!(finished(&turn), (0, "alive\n0\n".into()));
    let [earlier] = turn.untold.earlier.as_slice() else { panic!("{turn:?}") };
    assert_eq!((earlier.status.code(), earlier.output.head.as_str()), (3, "over\n"));
    fixture.alive().await;
}

#[tokio::test]
async fn text_after_an_interrupt_is_run_once_the_program_has_ended() {
    let fixture = with_fifo().await;
    start(&fixture, "bash -c 'trap \"read x <fifo; exit 3\" INT; echo up; sleep 1000 & wait'").await;
    fixture.shell.interrupt().await.unwrap();
    let turn = send_then_let_go(&fixture, "echo alive").await.unwrap();
    assert_eq!(finished(&turn), (0, "alive\n".into()));
    assert_eq!(turn.untold.earlier[0].status.code(), 3, "{turn:?}");
    fixture.alive().await;
}

#[tokio::test]
async fn text_after_a_kill_is_run_once_the_program_has_ended() {
    let fixture = Fixture::new().await;
    start(&fixture, "bash -c 'trap \"\" INT TERM; echo up; while :; do sleep 1000; done'").await;
    fixture.shell.kill().await.unwrap();
    let turn = fixture.shell.send("echo alive", LONG).await.unwrap();
    assert_eq!(finished(&turn), (0, "alive\n".into()));
    assert_eq!(turn.untold.earlier[0].status.code(), 137, "{turn:?}");
    fixture.alive().await;
}

#[tokio::test]
async fn a_program_that_goes_on_after_an_interrupt_gets_the_text() {
    let fixture = Fixture::new().await;
    waits_for_input(&fixture.run("sh -c 'trap \"\" INT; read x; echo \"[$x]\"'").await);
    fixture.shell.interrupt().await.unwrap();
    let turn = fixture.shell.send("go on", LONG).await.unwrap();
    assert_eq!(finished(&turn), (0, "go on\n[go on]\n".into()));
    assert!(turn.untold.earlier.is_empty(), "{turn:?}");
    waits_for_input(&fixture.run("cat; cat").await);
    fixture.shell.eof().await.unwrap();
    let turn = fixture.shell.send("second", LONG).await.unwrap();
    waits_for_input(&turn);
    assert_eq!(text(&turn), "second\nsecond\n");
    fixture.shell.eof().await.unwrap();
    fixture.shell.wait(LONG).await.unwrap();
    fixture.alive().await;
}

#[tokio::test]
async fn text_for_a_program_that_reads_nothing_is_run_when_it_has_ended() {
    let fixture = with_fifo().await;
    start(&fixture, "echo up; read x <fifo; echo done").await;
    let turn = send_then_let_go(&fixture, "echo typed").await.unwrap();
    assert_eq!(finished(&turn), (0, "typed\n".into()));
    // The terminal shows it where it was typed, as any terminal does.
    assert_eq!(turn.untold.earlier[0].output.head, "echo typed\ndone\n");
    assert_eq!(turn.untold.unread, None);
    fixture.alive().await;
}

#[tokio::test]
async fn text_that_nobody_waits_with_is_not_run_but_said() {
    let fixture = with_fifo().await;
    start(&fixture, "echo up; read x <fifo; echo done").await;
    let mut live = fixture.shell.subscribe();
    for line in ["touch ~/run", "echo two"] {
        let turn = fixture.shell.send(line, Duration::ZERO).await.unwrap();
        assert!(matches!(turn.outcome, Outcome::Running(_)), "{turn:?}");
    }
    std::fs::write(fixture.path().join("fifo"), "go\n").unwrap();
    while !matches!(live.recv().await.unwrap(), shell::Live::Finished(_)) {}
    let turn = fixture.run("echo alive; ls").await;
    assert_eq!(finished(&turn), (0, "alive\nfifo\n".into()));
    assert_eq!(turn.untold.unread.as_deref(), Some("touch ~/run\necho two"));
    assert_eq!(fixture.run("true").await.untold.unread, None);
}

#[tokio::test]
async fn text_that_the_terminal_has_edited_is_not_run_but_said_as_it_is_then() {
    let fixture = with_fifo().await;
    for (sent, unread) in [
        ("touch wronh\x7fg", Some("touch wrong")),
        ("touch wrong\x15touch right", Some("touch right")),
        ("touch one two\x17three", Some("touch one three")),
        ("touch \x16\x15", Some("touch \x15")),
        ("touch\x04 rest", Some("touch rest")),
        ("touch naïve ü\x7f\x7fé\ntouch two", Some("touch naïveé\ntouch two")),
        ("touch nothing\x15", None),
    ] {
        start(&fixture, "echo up; read x <fifo; echo done").await;
        let turn = send_then_let_go(&fixture, sent).await.unwrap();
        assert!(code(&turn) == 0 && text(&turn).ends_with("done\n"), "{sent:?}: {turn:?}");
        assert_eq!(turn.untold.unread.as_deref(), unread, "{sent:?}");
        fixture.check("ls", 0, "fifo\n").await;
    }
}

#[tokio::test]
async fn text_behind_other_unread_text_is_run_alone() {
    let fixture = with_fifo().await;
    start(&fixture, "echo up; read x <fifo; echo done").await;
    fixture.shell.send("touch ~/run", Duration::ZERO).await.unwrap();
    let turn = send_then_let_go(&fixture, "echo typed; ls").await.unwrap();
    assert_eq!(finished(&turn), (0, "typed\nfifo\n".into()));
    assert_eq!(turn.untold.unread.as_deref(), Some("touch ~/run"));
}

#[tokio::test]
async fn text_that_the_terminal_has_no_room_for_is_not_run_but_said() {
    let fixture = with_fifo().await;
    start(&fixture, "echo up; read x <fifo; echo done").await;
    let long: String = (0..2000).map(|n| format!("echo line number {n} of a long text\n")).collect();
    let turn = send_then_let_go(&fixture, long.trim_end()).await.unwrap();
    let unread = turn.untold.unread.unwrap();
    assert!(unread.starts_with("echo line number 0 of") && unread.ends_with("1999 of a long text"));
    fixture.alive().await;
}

#[tokio::test]
async fn what_is_left_of_an_input_is_not_run_but_said() {
    let fixture = with_fifo().await;
    waits_for_input(&fixture.run("read x; read y <fifo; echo \"[$x]\"").await);
    let turn = send_then_let_go(&fixture, "one\ntouch run").await.unwrap();
    assert!(code(&turn) == 0 && text(&turn).ends_with("[one]\n"), "{turn:?}");
    assert_eq!(turn.untold.unread.as_deref(), Some("touch run"));
    fixture.check("ls", 0, "fifo\n").await;
}

#[tokio::test]
async fn a_password_that_was_not_read_is_neither_run_nor_said() {
    let fixture = with_fifo().await;
    start(&fixture, "stty -echo; echo up; read x <fifo; stty echo").await;
    let turn = send_then_let_go(&fixture, "echo hunter2").await.unwrap();
    assert_eq!(finished(&turn), (0, String::new()));
    assert_eq!(turn.untold.unread, None);
    fixture.alive().await;
}

#[tokio::test]
async fn text_that_waits_for_a_program_in_the_place_of_bash_is_left_to_a_fresh_shell() {
    let fixture = with_fifo().await;
    waits_for_input(&fixture.run("exec sh -c 'cat; read x <fifo; echo over; exit 4'").await);
    fixture.shell.eof().await.unwrap();
    let Err(Error::Gone(death)) = send_then_let_go(&fixture, "echo alive").await else { panic!("not gone") };
    assert_eq!(death.status.code(), 4);
    let [earlier] = death.untold.earlier.as_slice() else { panic!("{death:?}") };
    assert_eq!((earlier.status.code(), earlier.output.head.as_str()), (4, "over\n"));
}

#[tokio::test]
async fn a_line_too_long_for_the_program_is_refused_and_may_be_a_command() {
    let fixture = Fixture::new().await;
    let long = format!("echo {} | wc -c", "x".repeat(5000));
    waits_for_input(&fixture.run("cat").await);
    fixture.shell.eof().await.unwrap();
    assert_eq!(finished(&fixture.shell.send(&long, LONG).await.unwrap()), (0, "5001\n".into()));
    waits_for_input(&fixture.run("cat; cat").await);
    fixture.shell.eof().await.unwrap();
    let refused = fixture.shell.send(&long, LONG).await;
    assert!(matches!(refused, Err(Error::LineTooLong { .. })), "{refused:?}");
    fixture.shell.eof().await.unwrap();
    fixture.shell.wait(LONG).await.unwrap();
    fixture.alive().await;
}
