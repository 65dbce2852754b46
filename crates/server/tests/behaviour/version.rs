//! An older daemon: it makes way for a newer caller when idle, and says what it is when busy.

use runtime::session::Turn;
use runtime::topic::Topic;
use testkit::{Daemon, DaemonOptions};

use crate::http::Call;

async fn old() -> Daemon {
    Daemon::start_with(DaemonOptions { version: "0.1.0".into(), ..DaemonOptions::default() }).await
}

#[tokio::test]
async fn an_idle_older_daemon_asks_to_be_replaced() {
    let daemon = old().await;
    for path in ["/health", "/describe"] {
        let answer = Call::new(&daemon, "GET", path).with("X-String-Version", "0.2.0").send(&daemon).await;
        assert_eq!((answer.status, answer.code().as_str()), (426, "OUTDATED"), "{path}");
    }
    let exec = Call::exec(&daemon, "main", "/info").with("X-String-Version", "9.0.0").send(&daemon).await;
    assert_eq!(exec.status, 426, "the command was not run");
    assert_eq!(daemon.runtime.sessions.count(), 0);
    for version in ["0.1.0", "0.0.9", "x", ""] {
        let answer =
            Call::new(&daemon, "GET", "/describe").with("X-String-Version", version).send(&daemon).await;
        assert_eq!((answer.status, answer.header("x-string-outdated")), (200, None), "{version}");
    }
}

#[tokio::test]
async fn a_busy_older_daemon_serves_and_says_so() {
    let daemon = old().await;
    let agent = daemon.runtime.agents.named("default").unwrap();
    let session = daemon.runtime.sessions.of(&agent.id).enter(&Topic::parse("busy").unwrap()).unwrap();
    let mut turn = Turn::take(session).await.unwrap();
    turn.begin("/slow");
    let call = Call::exec(&daemon, "main", "/info").with("X-String-Version", "0.2.0");
    let answer = call.send(&daemon).await;
    assert_eq!(answer.status, 200);
    assert!(answer.header("x-string-outdated").is_some());
    drop(turn);
    assert_eq!(call.send(&daemon).await.status, 426, "once idle, it makes way");
}

#[tokio::test]
async fn a_newer_caller_may_always_stop_it() {
    let daemon = old().await;
    let call = Call::new(&daemon, "POST", "/shutdown").with("X-String-Version", "9.0.0");
    assert_eq!(call.send(&daemon).await.status, 200);
    daemon.stop().await;
}

#[tokio::test]
async fn without_the_token_the_version_changes_nothing() {
    let daemon = old().await;
    let call =
        Call::new(&daemon, "GET", "/describe").without("Authorization").with("X-String-Version", "9.0.0");
    assert_eq!(call.send(&daemon).await.status, 401);
}
