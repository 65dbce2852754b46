//! The token: a file for its owner alone, and nowhere else.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use server::{Root, Token};
use testkit::Daemon;

use crate::http::Call;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[tokio::test]
async fn what_lies_in_the_root_is_closed_to_others() {
    let daemon = Daemon::start().await;
    let root = daemon.home.root();
    for directory in ["", "run", "log", "store"] {
        assert_eq!(mode(&root.join(directory)), 0o700, "{directory}");
    }
    for file in ["run/token", "store/daemon.lock", "run/string.sock", "run/daemon.pid", "log/audit.jsonl"] {
        assert_eq!(mode(&root.join(file)), 0o600, "{file}");
    }
    assert_eq!(daemon.home.read(".string/run/token"), daemon.token);
    assert_eq!(daemon.token.len(), 64);
}

#[tokio::test]
async fn no_answer_and_no_log_shows_the_token() {
    let daemon = Daemon::start().await;
    let token = daemon.token.clone();
    server::start_logging(&daemon.home.root().join("log"), "info,server=trace,runtime=trace").unwrap();
    let calls = [
        Call::new(&daemon, "GET", "/describe"),
        Call::new(&daemon, "GET", "/openapi.json"),
        Call::new(&daemon, "GET", &format!("/{token}?{token}")),
        Call::exec(&daemon, "main", "/info"),
        Call::exec(&daemon, "system", "/status"),
        Call::exec(&daemon, "main", "/open .string/run/token"),
        Call::exec(&daemon, "main", "/open gone.md"),
        Call::new(&daemon, "POST", "/exec").json("{"),
        Call::new(&daemon, "GET", "/describe").set("Authorization", &format!("Bearer {token}x")),
    ];
    for call in calls {
        let answer = call.send(&daemon).await;
        assert!(!format!("{answer:?}").contains(&token), "{call:?}");
    }
    let home = daemon.stop().await;
    let logs: Vec<_> =
        fs::read_dir(home.root().join("log")).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(logs.len() >= 2, "the audit log and the daemon's log: {logs:?}");
    for log in logs {
        assert!(!fs::read_to_string(&log).unwrap().contains(&token), "{}", log.display());
    }
}

#[test]
fn a_token_survives_restarts_unless_it_is_damaged_or_was_open_to_others() {
    let home = testkit::Home::default();
    let root = Root::new(home.root());
    root.create().unwrap();
    let token = || Token::of(&root).unwrap().reveal().to_owned();
    let first = token();
    assert_eq!(token(), first);
    fs::set_permissions(root.token(), fs::Permissions::from_mode(0o644)).unwrap();
    let second = token();
    assert_ne!(second, first, "what others could read is no secret any more");
    assert_eq!(mode(&root.token()), 0o600);
    for damaged in ["", "short", &first[1..], &format!("{first}\n"), &"g".repeat(64)] {
        fs::write(root.token(), damaged).unwrap();
        let fresh = token();
        assert_eq!(fresh.len(), 64, "{damaged:?}");
        assert_ne!(fresh, damaged);
    }
}

#[test]
fn a_token_cannot_be_printed() {
    let home = testkit::Home::default();
    let root = Root::new(home.root());
    root.create().unwrap();
    let token = Token::of(&root).unwrap();
    assert_eq!(format!("{token:?}"), "Token(…)");
    assert!(token.matches(token.reveal()));
    assert!(!token.matches(&token.reveal()[1..]) && !token.matches(""));
}
