//! Watching a shell: told once when it happens, without asking.

use std::time::Duration;

use shell::{Seen, Status, Until};

use crate::support::Fixture;

fn match_of(text: &str) -> Until {
    Until::Match(text.to_owned())
}

#[tokio::test]
async fn the_end_of_a_command_is_told_with_its_status() {
    let fixture = Fixture::new().await;
    let watch = fixture.shell.watch(Until::Exit).await.unwrap();
    fixture.finish("(exit 7)").await;
    let command = "(exit 7)".to_owned();
    assert_eq!(watch.seen().await, Some(Seen::Finished { command, status: Status::Code(7) }));
}

#[tokio::test]
async fn a_text_is_told_while_the_command_still_runs() {
    let fixture = Fixture::new().await;
    let watch = fixture.shell.watch(match_of("ready on")).await.unwrap();
    let other = fixture.shell.watch(match_of("never")).await.unwrap();
    // Printed by a program that goes on, in pieces, and without a line end.
    fixture.shell.run("printf 'not yet\nready '; printf 'on 8080'; read x", Duration::ZERO).await.unwrap();
    assert_eq!(watch.seen().await, Some(Seen::Matched("ready on 8080".into())));
    fixture.shell.interrupt().await.unwrap();
    fixture.shell.close().await;
    assert_eq!(other.seen().await, None);
}

#[tokio::test]
async fn a_text_that_came_before_the_watch_and_after_the_last_turn_is_told() {
    let fixture = Fixture::new().await;
    let first = fixture.shell.watch(match_of("ready")).await.unwrap();
    fixture.finish("mkfifo gate").await;
    fixture.shell.run("cat gate; echo ready; read x", Duration::ZERO).await.unwrap();
    // From outside, so that no turn of ours may return what is printed then.
    let gate = fixture.path().join("gate");
    tokio::task::spawn_blocking(move || std::fs::write(gate, "")).await.unwrap().unwrap();
    assert!(first.seen().await.is_some());
    let late = fixture.shell.watch(match_of("ready")).await.unwrap();
    assert_eq!(late.seen().await, Some(Seen::Matched("ready".into())));
}

#[tokio::test]
async fn a_text_is_found_in_a_flood() {
    let fixture = Fixture::new().await;
    let watch = fixture.shell.watch(match_of("needle 4711")).await.unwrap();
    fixture.finish("seq 1 100000; echo 'a needle 4711 here'; seq 1 100000").await;
    assert_eq!(watch.seen().await, Some(Seen::Matched("a needle 4711 here".into())));
}

#[tokio::test]
async fn the_end_of_the_shell_ends_every_watch() {
    let fixture = Fixture::new().await;
    let exit = fixture.shell.watch(Until::Exit).await.unwrap();
    let text = fixture.shell.watch(match_of("never")).await.unwrap();
    fixture.run("exit 3").await;
    assert_eq!(exit.seen().await, Some(Seen::Died(Status::Code(3))));
    assert_eq!(text.seen().await, Some(Seen::Died(Status::Code(3))));
    let late = fixture.shell.watch(Until::Exit).await.unwrap();
    assert_eq!(late.seen().await, Some(Seen::Died(Status::Code(3))));
}
