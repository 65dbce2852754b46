//! Interrupting and killing what runs, at any moment.

use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use shell::{Error, Outcome};

use crate::support::{Fixture, LONG, code, has, text, waits_for_input};

const SHORT: Duration = Duration::from_millis(300);

#[tokio::test]
async fn interrupt_leaves_the_shell_usable_wherever_it_strikes() {
    let fixture = Fixture::new().await;
    fixture.finish("kept=1; f() { while :; do :; done; }; trap 'echo caught' USR1").await;
    let payloads = [
        "sleep 1000",
        "while :; do :; done",
        "while :; do sleep 0.01; done",
        "while :; do /bin/true; done",
        "f",
        "x=$(sleep 1000)",
        "sleep 1000 | cat",
        "(sleep 1000; sleep 1000)",
        "sleep 1000 & wait",
        "yes >/dev/null",
        "yes",
    ];
    for payload in payloads {
        let turn = fixture.shell.run(payload, Duration::from_millis(30)).await.unwrap();
        assert!(matches!(turn.outcome, Outcome::Running(_)), "{payload}: {turn:?}");
        fixture.shell.interrupt().await.unwrap();
        let turn = fixture.shell.wait(LONG).await.unwrap();
        assert!(
            matches!(turn.outcome, Outcome::Finished(status) if status.code() == 130),
            "{payload}: {turn:?}"
        );
        assert_eq!(fixture.finish("echo $kept").await.1, "1\n");
        fixture.alive().await;
    }
    let turn = fixture.shell.run("read x", LONG).await.unwrap();
    waits_for_input(&turn);
    fixture.shell.interrupt().await.unwrap();
    assert_eq!(code(&fixture.shell.wait(LONG).await.unwrap()), 130);
    fixture.alive().await;
    assert!(matches!(fixture.shell.interrupt().await, Err(Error::NothingRuns)));
}

#[tokio::test]
async fn interrupts_at_any_moment_lose_nothing() {
    let fixture = Fixture::new().await;
    for round in 0..60u64 {
        let run = fixture.shell.run("for i in 1 2 3 4 5 6 7 8; do /bin/true; done; sleep 0.002", LONG);
        let strike = async {
            let_others_go_first(round * 7 % 97).await;
            let _ = fixture.shell.interrupt().await;
        };
        let (turn, ()) = tokio::join!(run, strike);
        let status = code(&turn.unwrap());
        assert!(status == 130 || status == 0, "{status}");
        fixture.alive().await;
    }
}

#[tokio::test]
async fn kill_ends_what_ignores_everything_and_keeps_the_shell() {
    let fixture = Fixture::new().await;
    fixture.finish("kept=1").await;
    let stubborn = "bash -c 'trap \"\" INT TERM; echo ready; while :; do sleep 1000; done'";
    let turn = fixture.shell.run(stubborn, SHORT).await.unwrap();
    assert!(matches!(turn.outcome, Outcome::Running(_)), "{turn:?}");
    fixture.shell.kill().await.unwrap();
    assert_eq!(code(&fixture.shell.wait(LONG).await.unwrap()), 137);
    assert_eq!(fixture.finish("echo $kept").await.1, "1\n");
    fixture.alive().await;
    assert!(matches!(fixture.shell.kill().await, Err(Error::NothingRuns)));
}

#[tokio::test]
async fn a_job_killed_in_raw_mode_leaves_a_usable_terminal() {
    if !has("python3") {
        return;
    }
    let fixture = Fixture::new().await;
    let raw = "python3 -c 'import tty, sys; tty.setraw(0); sys.stdin.read()'";
    waits_for_input(&fixture.run(raw).await);
    fixture.shell.kill().await.unwrap();
    let turn = fixture.shell.wait(LONG).await.unwrap();
    assert_ne!(code(&turn), 0);
    fixture.alive().await;
    waits_for_input(&fixture.run("read line; echo \"<$line>\"").await);
    assert!(text(&fixture.input("hi").await).ends_with("<hi>\n"));
}

#[tokio::test]
async fn what_bash_itself_reads_from_a_raw_terminal_can_be_ended() {
    let fixture = Fixture::new().await;
    fixture.finish("kept=1").await;
    waits_for_input(&fixture.run("stty raw; read x").await);
    fixture.shell.kill().await.unwrap();
    assert_eq!(code(&fixture.shell.wait(LONG).await.unwrap()), 130);
    assert_eq!(fixture.finish("echo $kept").await.1, "1\n");
    waits_for_input(&fixture.run("stty raw; read x").await);
    fixture.shell.interrupt().await.unwrap();
    assert_eq!(code(&fixture.shell.wait(LONG).await.unwrap()), 130);
    assert_eq!(fixture.finish("echo $kept").await.1, "1\n");
    fixture.alive().await;
}

#[tokio::test]
async fn an_interrupt_waits_until_bash_has_read_its_lines() {
    let fixture = Fixture::new().await;
    // The guard first: it would let bash go on.
    let processes = fixture.finish("echo $PPID $$").await.1;
    let processes: Vec<i32> = processes.split_whitespace().map(|pid| pid.parse().unwrap()).collect();
    let signal = |pid: i32, signal: Signal| kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
    for _ in 0..5 {
        for pid in &processes {
            signal(*pid, Signal::STOP);
            while !is_stopped(*pid) {
                tokio::task::yield_now().await;
            }
        }
        let strike = async {
            fixture.shell.interrupt().await.unwrap();
            assert!(processes.iter().all(|pid| !has_pending_interrupt(*pid)));
            processes.iter().for_each(|pid| signal(*pid, Signal::CONT));
        };
        let (turn, ()) = tokio::join!(fixture.shell.run("sleep 1000", LONG), strike);
        let turn = turn.unwrap();
        assert_eq!(code(&turn), 130, "{turn:?}");
        // Nothing of the lines that run a command has become one.
        assert_eq!(text(&turn).trim(), "", "{turn:?}");
        fixture.alive().await;
    }
}

#[tokio::test]
async fn nothing_of_ours_shows_wherever_an_interrupt_strikes() {
    let fixture = Fixture::new().await;
    let strike = async |round: u64| {
        let_others_go_first(round * 7 % 61).await;
        let _ = fixture.shell.interrupt().await;
    };
    for round in 0..300 {
        let (turn, ()) = tokio::join!(fixture.shell.run("echo out; (exit 3)", LONG), strike(round));
        let turn = turn.unwrap();
        assert!(matches!(code(&turn), 3 | 130), "{turn:?}");
        assert!(text(&turn).lines().all(|line| line.is_empty() || line == "out"), "{turn:?}");
    }
    fixture.finish("exec >shown").await;
    for round in 0..300 {
        let (turn, ()) = tokio::join!(fixture.shell.run("echo out", LONG), strike(round));
        turn.unwrap();
    }
    fixture.finish("exec >/dev/tty").await;
    let shown = std::fs::read_to_string(fixture.path().join("shown")).unwrap();
    assert!(shown.lines().all(|line| line == "out"), "{shown:?}");
    fixture.alive().await;
}

#[tokio::test]
async fn settings_of_the_user_outlive_interrupts() {
    let fixture = Fixture::new().await;
    fixture.finish("trap 'seen=1' DEBUG; trap 'echo caught' INT; PS0=''; kept=1").await;
    for round in 0..60_u64 {
        let strike = async {
            let_others_go_first(round * 5 % 31).await;
            let _ = fixture.shell.interrupt().await;
        };
        let (turn, ()) = tokio::join!(fixture.shell.run("sleep 0.001", LONG), strike);
        turn.unwrap();
    }
    let all = fixture.finish("trap -p DEBUG INT; declare -p PS0 kept").await.1;
    let expected = [
        "trap -- 'seen=1' DEBUG",
        "trap -- 'echo caught' SIGINT",
        "declare -- PS0=\"\"",
        "declare -- kept=\"1\"",
    ];
    for line in expected {
        assert!(all.lines().any(|shown| shown == line), "{line}: {all}");
    }
    fixture.check("kill -INT $$", 0, "caught\n").await;
    fixture.finish("trap - INT").await;
    assert_eq!(fixture.finish("trap -p INT").await.1, "");
}

#[tokio::test]
async fn kill_ends_a_loop_of_short_programs_and_keeps_the_shell() {
    let fixture = Fixture::new().await;
    fixture.finish("kept=1").await;
    for payload in ["while :; do /bin/true; done", "while :; do /bin/true | /bin/true; done"] {
        for _ in 0..4 {
            let turn = fixture.shell.run(payload, Duration::from_millis(20)).await.unwrap();
            assert!(matches!(turn.outcome, Outcome::Running(_)), "{turn:?}");
            fixture.shell.kill().await.unwrap();
            let turn = fixture.shell.wait(LONG).await.unwrap();
            assert!(matches!(turn.outcome, Outcome::Finished(_)), "{turn:?}");
            assert_eq!(fixture.finish("echo $kept").await.1, "1\n");
        }
    }
}

#[tokio::test]
async fn a_kill_at_any_moment_keeps_the_shell() {
    let fixture = Fixture::new().await;
    fixture.finish("kept=1").await;
    for round in 0..24_u64 {
        let strike = async {
            let_others_go_first(round * 7 % 61).await;
            let _ = fixture.shell.kill().await;
        };
        let (turn, ()) = tokio::join!(fixture.shell.run("sleep 1000", LONG), strike);
        let turn = turn.unwrap();
        assert!(matches!(turn.outcome, Outcome::Finished(_)), "{turn:?}");
        assert_eq!(fixture.finish("echo $kept").await.1, "1\n");
    }
}

#[tokio::test]
async fn an_interrupt_does_not_take_back_a_kill() {
    let fixture = Fixture::new().await;
    let stubborn = "bash -c 'trap \"\" INT; echo ready; while :; do sleep 1000; done'";
    let turn = fixture.shell.run(stubborn, SHORT).await.unwrap();
    assert!(matches!(turn.outcome, Outcome::Running(_)), "{turn:?}");
    fixture.shell.kill().await.unwrap();
    fixture.shell.interrupt().await.unwrap();
    assert_ne!(code(&fixture.shell.wait(LONG).await.unwrap()), 0);
    fixture.alive().await;
}

#[tokio::test]
async fn interrupts_do_not_put_each_other_off() {
    let fixture = Fixture::new().await;
    fixture.finish("trap 'sleep 1000' USR1").await;
    let bash = fixture.finish("echo $$").await.1.trim().parse().unwrap();
    kill_process(Pid::from_raw(bash).unwrap(), Signal::USR1).unwrap();
    let over = std::sync::atomic::AtomicBool::new(false);
    let run = async {
        let turn = fixture.shell.run("echo hi", LONG).await.unwrap();
        over.store(true, std::sync::atomic::Ordering::Relaxed);
        turn
    };
    // As fast as they can be asked for, and for as long as it takes.
    let strikes = async {
        while !over.load(std::sync::atomic::Ordering::Relaxed) {
            let _ = fixture.shell.interrupt().await;
            tokio::task::yield_now().await;
        }
    };
    let (turn, ()) = tokio::join!(run, strikes);
    assert!(matches!(turn.outcome, Outcome::Finished(_)), "{turn:?}");
    fixture.alive().await;
}

/// Puts a strike off by so many turns of the other tasks, which is less than any clock can say.
async fn let_others_go_first(times: u64) {
    for _ in 0..times {
        tokio::task::yield_now().await;
    }
}

fn is_stopped(pid: i32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    stat.rsplit_once(") ").unwrap().1.starts_with('T')
}

fn has_pending_interrupt(pid: i32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let pending = status.lines().find_map(|line| line.strip_prefix("ShdPnd:")).unwrap();
    u64::from_str_radix(pending.trim(), 16).unwrap() & (1 << (libc::SIGINT - 1)) != 0
}
