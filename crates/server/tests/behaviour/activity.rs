//! `GET /activity/stream`: commands and replies as they happen, until the daemon stops.

use testkit::Daemon;
use wire::Activity;

#[tokio::test]
async fn a_command_and_its_reply_are_shown() {
    let daemon = Daemon::start().await;
    let mut watching = daemon.client().activity().await.unwrap();
    daemon.exec("docs", "/open gone.md\n/info").await;
    daemon.exec("main", "/topics").await;
    let mut seen = Vec::new();
    for _ in 0..4 {
        seen.push(match watching.next().await.unwrap().unwrap() {
            Activity::Command { agent, topic, command, time } => {
                assert!(time.ends_with('Z') && time.len() == 24, "{time}");
                format!("{agent} {topic} {command}")
            }
            Activity::Reply { agent, topic, command, ok, code, .. } => {
                format!("{agent} {topic} {command} {ok} {}", code.unwrap_or_default())
            }
            other => panic!("nothing else happened: {other:?}"),
        });
    }
    assert_eq!(
        seen,
        [
            "default docs /open gone.md",
            "default docs /open gone.md false NOT_FOUND",
            "default main /topics",
            "default main /topics true ",
        ]
    );
}

#[tokio::test]
async fn the_stream_ends_when_the_daemon_stops() {
    let daemon = Daemon::start().await;
    let mut watching = daemon.client().activity().await.unwrap();
    let (_, end) = tokio::join!(daemon.stop(), watching.next());
    assert_eq!(end.unwrap(), None);
}

#[tokio::test]
async fn a_long_line_is_shown_by_its_beginning() {
    let daemon = Daemon::start().await;
    let mut watching = daemon.client().activity().await.unwrap();
    daemon.exec("main", &format!("/open {}", "é".repeat(5_000))).await;
    let Some(Activity::Command { command, .. }) = watching.next().await.unwrap() else { panic!("a command") };
    assert!(command.len() < 500 && command.ends_with("é…"), "{}", command.len());
}
