//! Shells that end, are lost, or are killed: noticed at once, with the true status.

use std::time::Duration;

use shell::{Cause, Death, Error, Outcome, Shell, Streams, Turn};

use crate::support::{Fixture, LONG, config, text, waits_for_input};

fn death(turn: &Turn) -> &Death {
    match &turn.outcome {
        Outcome::Died(death) => death,
        other => panic!("not dead: {other:?} with {:?}", turn.output),
    }
}

/// The payload ends the shell with this status; the next one is not run, and a fresh shell in the same place is.
/// Returns what was shown.
async fn dies(payload: &str, status: i32, cause: Cause) -> String {
    let fixture = Fixture::new().await;
    fixture.finish("mkdir -p ~/deep; cd ~/deep").await;
    let turn = fixture.run(payload).await;
    let death = death(&turn);
    assert_eq!((death.status.code(), death.cause), (status, cause), "{payload}: {turn:?}");
    assert_eq!(death.directory.path, fixture.path().join("deep"), "{payload}");
    let gone = fixture.shell.run("touch ~/not-run", LONG).await;
    assert!(matches!(gone, Err(Error::Gone(_))), "{payload}: {gone:?}");
    assert!(!fixture.path().join("not-run").exists());
    assert!(fixture.shell.info().await.unwrap().death.is_some());
    let mut again = config(&fixture.path());
    again.directory.clone_from(&death.directory.path);
    let fresh = Shell::start(&fixture.spawner, again).await.unwrap();
    let alive = fresh.run("echo alive; pwd", LONG).await.unwrap();
    assert_eq!(text(&alive), format!("alive\n{}\n", death.directory.path.display()));
    text(&turn)
}

#[tokio::test]
async fn a_shell_that_ends_says_how() {
    dies("exit 3", 3, Cause::Ended).await;
    dies("exit", 0, Cause::Ended).await;
    dies("exec true", 0, Cause::Ended).await;
    dies("exec false", 1, Cause::Ended).await;
    dies("exec sh -c 'exit 5'", 5, Cause::Ended).await;
    dies("kill -9 $$", 137, Cause::Ended).await;
    dies("kill -HUP $$", 129, Cause::Ended).await;
    dies("kill -SEGV $$", 139, Cause::Ended).await;
    dies("set -e; false", 1, Cause::Ended).await;
    dies("set -e\necho a\n(exit 4)\necho b", 4, Cause::Ended).await;
}

#[tokio::test]
async fn logout_is_refused_by_bash_and_term_ignored_as_in_any_interactive_shell() {
    let fixture = Fixture::new().await;
    let (status, output) = fixture.finish("logout").await;
    assert!(status != 0 && output.contains("not login shell"), "{status} {output}");
    fixture.alive().await;
    fixture.finish("kill $$").await;
    fixture.alive().await;
}

#[tokio::test]
async fn the_output_before_the_end_is_kept() {
    let fixture = Fixture::new().await;
    let turn = fixture.run("echo last words; exit 3").await;
    // An interactive bash says `exit` as it leaves.
    assert_eq!(text(&turn).replace("exit\n", ""), "last words\n");
}

#[tokio::test]
async fn set_e_lives_on_while_nothing_fails() {
    let fixture = Fixture::new().await;
    fixture.finish("set -e").await;
    fixture.check("false && true", 1, "").await;
    fixture.check("if false; then :; fi; ! true", 1, "").await;
    fixture.check("false || echo rescued", 0, "rescued\n").await;
    let turn = fixture.run("false; echo not reached").await;
    assert_eq!(death(&turn).status.code(), 1);
}

#[tokio::test]
async fn a_shell_that_lost_its_voice_is_noticed() {
    dies("for i in {3..255}; do eval \"exec $i>&-\"; done", 137, Cause::Lost).await;
    dies("enable -n printf", 137, Cause::Lost).await;
    for number in [63, 248, 249, 250, 251] {
        let shown = dies(&format!("exec {number}>&-"), 137, Cause::Lost).await;
        assert_eq!(shown, "", "{number}: nothing of ours shows");
    }
    dies("for fd in {3..99}; do eval \"exec $fd>&-\"; done", 137, Cause::Lost).await;
    dies("shopt -s extdebug; trap false DEBUG", 137, Cause::Lost).await;
    dies("set -r", 137, Cause::Lost).await;
}

#[tokio::test]
async fn a_shell_whose_voice_is_drowned_is_noticed() {
    dies("head -c 16M /dev/zero | tr '\\0' x >&250", 137, Cause::Lost).await;
    dies("head -c 16M /dev/zero >&250", 137, Cause::Lost).await;
}

#[tokio::test]
async fn an_endless_report_from_the_background_ends_the_shell() {
    let fixture = Fixture::new().await;
    let mut live = fixture.shell.subscribe();
    fixture.finish("(while [ ! -e ~/go ]; do sleep 0.01; done; yes >&250) &").await;
    std::fs::write(fixture.path().join("go"), "").unwrap();
    while !matches!(live.recv().await.unwrap(), shell::Live::Died(_)) {}
    let Err(Error::Gone(death)) = fixture.shell.run("echo not run", LONG).await else { panic!("not gone") };
    assert_eq!(death.cause, Cause::Lost);
}

#[tokio::test]
async fn code_of_the_shell_that_ignores_everything_ends_with_the_shell() {
    let fixture = Fixture::new().await;
    let turn =
        fixture.shell.run("trap '' INT; while :; do :; done", Duration::from_millis(50)).await.unwrap();
    assert!(matches!(turn.outcome, Outcome::Running(_)), "{turn:?}");
    fixture.shell.kill().await.unwrap();
    let turn = fixture.shell.wait(LONG).await.unwrap();
    assert_eq!(death(&turn).cause, Cause::Killed);
}

#[tokio::test]
async fn another_program_in_the_place_of_bash_is_an_ordinary_one() {
    let fixture = Fixture::new().await;
    let turn = fixture.run("exec bash --norc").await;
    waits_for_input(&turn);
    let turn = fixture.input("echo $((6*7))").await;
    waits_for_input(&turn);
    assert!(text(&turn).contains("42"), "{turn:?}");
    let turn = fixture.input("exit 4").await;
    assert_eq!((death(&turn).status.code(), death(&turn).cause), (4, Cause::Ended));
}

#[tokio::test]
async fn a_shell_that_stops_itself_goes_on() {
    let fixture = Fixture::new().await;
    fixture.finish("kill -STOP $$; echo on").await;
    fixture.alive().await;
    fixture.finish("suspend -f").await;
    fixture.alive().await;
}

#[tokio::test]
async fn a_death_between_turns_is_told_before_the_next() {
    let fixture = Fixture::new().await;
    let mut live = fixture.shell.subscribe();
    fixture.finish("(while [ ! -e ~/go ]; do sleep 0.01; done; echo farewell; kill -9 $$) &").await;
    std::fs::write(fixture.path().join("go"), "").unwrap();
    while !matches!(live.recv().await.unwrap(), shell::Live::Died(_)) {}
    let Err(Error::Gone(death)) = fixture.shell.run("echo not run", LONG).await else { panic!("not gone") };
    assert_eq!((death.status.code(), death.cause), (137, Cause::Ended));
    assert!(death.untold.late.unwrap().head.contains("farewell"));
}

#[tokio::test]
async fn a_shell_that_times_out_ends() {
    let fixture = Fixture::new().await;
    let mut live = fixture.shell.subscribe();
    fixture.finish("TMOUT=1").await;
    while !matches!(live.recv().await.unwrap(), shell::Live::Died(_)) {}
    assert!(matches!(fixture.shell.run("echo x", LONG).await, Err(Error::Gone(_))));
}

#[tokio::test]
async fn without_its_guard_nothing_goes_on() {
    let fixture = Fixture::new().await;
    let marker = crate::support::Marker::new();
    fixture.finish(&format!("{marker} & (setsid {marker} &)")).await;
    marker.wait_for(2).await;
    let turn = fixture.run("kill -9 $PPID; sleep 1000").await;
    assert_eq!(death(&turn).cause, Cause::GuardLost);
    assert_eq!(marker.count(), 0);
}

#[tokio::test]
async fn a_turn_that_waits_while_the_shell_is_closed_has_what_was_printed() {
    let fixture = Fixture::new().await;
    let begun = fixture.path().join("begun");
    let close = async {
        while !begun.exists() {
            tokio::task::yield_now().await;
        }
        fixture.shell.close().await;
    };
    let (turn, ()) = tokio::join!(fixture.run("echo before; touch begun; sleep 1000"), close);
    assert_eq!((death(&turn).cause, text(&turn)), (Cause::Closed, "before\n".into()));
    assert!(matches!(fixture.shell.run("echo x", LONG).await, Err(Error::GuardLost)));
}

#[tokio::test]
async fn a_shell_whose_output_was_closed_shows_it_again() {
    let fixture = Fixture::new().await;
    for payload in ["exec 1>&-", "exec 2>&-", "exec >&- 2>&-", "exec 0<&- 1>&- 2>&-", "exec 1>&-; set -e"] {
        fixture.run(payload).await;
        let turn = fixture.run("echo alive").await;
        assert_eq!((turn.streams, text(&turn)), (Streams::Reopened, "alive\n".into()), "{payload}");
        let turn = fixture.run("ls /dev/null; ls /nowhere 2>&1 | wc -l; set +e").await;
        assert_eq!((turn.streams, text(&turn)), (Streams::Terminal, "/dev/null\n1\n".into()), "{payload}");
    }
}

#[tokio::test]
async fn output_that_goes_elsewhere_is_said_and_can_be_brought_back() {
    let fixture = Fixture::new().await;
    fixture.run("exec >log; echo kept").await;
    for payload in ["echo more", "rm log", "exec >/dev/tty"] {
        let turn = fixture.run(payload).await;
        assert_eq!((turn.streams, text(&turn)), (Streams::Redirected, String::new()), "{payload}");
    }
    assert_eq!(fixture.run("true").await.streams, Streams::Terminal);
    fixture.alive().await;
}
