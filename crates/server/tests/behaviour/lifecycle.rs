//! A daemon's life: one per root, whatever lies in its way, until it is told to stop.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;

use client::Client;
use server::{Error, Limits, Settings};
use testkit::{Daemon, Home};

use crate::http::Call;

fn settings(home: &Home, port: u16) -> Settings {
    Settings {
        root: home.root(),
        home: home.path().to_owned(),
        port,
        version: "0.1.0".into(),
        limits: Limits::default(),
        shells: None,
    }
}

/// Serves one request over the socket, then stops.
async fn serves(daemon: server::Daemon, socket: &Path) {
    let stop = daemon.runtime().stop.clone();
    let health = async {
        let health = Client::unix(socket).health().await;
        stop.cancel();
        health
    };
    let (health, served) = tokio::join!(health, daemon.serve());
    assert!(health.unwrap().ok);
    served.unwrap();
}

#[tokio::test]
async fn shutdown_answers_and_then_ends_the_daemon() {
    let daemon = Daemon::start().await;
    let run = daemon.home.root().join("run");
    assert_eq!(fs::read_to_string(run.join("daemon.pid")).unwrap(), std::process::id().to_string());
    let answer = Call::new(&daemon, "POST", "/shutdown").send(&daemon).await;
    assert_eq!(answer.json(), serde_json::json!({"ok": true, "pid": std::process::id()}));
    let home = daemon.stop().await;
    assert!(!home.exists(".string/run/string.sock") && !home.exists(".string/run/daemon.pid"));
    assert!(home.exists(".string/run/token"), "the token outlives the daemon");
}

#[tokio::test]
async fn stop_is_a_command_too() {
    let daemon = Daemon::start().await;
    assert_eq!(daemon.exec("system", "/stop").await.content, "Stopping.");
    assert!(daemon.runtime.stop.is_cancelled());
    daemon.stop().await;
}

#[tokio::test]
async fn a_root_has_one_daemon() {
    let daemon = Daemon::start().await;
    let second = server::Daemon::start(settings(&daemon.home, 0)).await.err().unwrap();
    assert!(matches!(&second, Error::AlreadyRunning(root) if *root == daemon.home.root()), "{second}");
    assert!(daemon.exec("main", "/info").await.ok, "the first one goes on, its socket untouched");
    let home = daemon.stop().await;
    let third = server::Daemon::start(settings(&home, 0)).await.unwrap();
    serves(third, &home.root().join("run/string.sock")).await;
}

#[tokio::test]
async fn what_a_dead_daemon_left_is_never_in_the_way() {
    let leave: [fn(&Path); 5] = [
        |run| drop(UnixListener::bind(run.join("string.sock")).unwrap()),
        |run| fs::write(run.join("string.sock"), "not even a socket").unwrap(),
        |run| symlink("gone", run.join("string.sock")).unwrap(),
        |run| fs::write(run.join("daemon.pid"), "1").unwrap(),
        |run| fs::write(run.join("../store/daemon.lock"), "stale").unwrap(),
    ];
    for leave in leave {
        let home = Home::default();
        let run = home.root().join("run");
        fs::create_dir_all(&run).unwrap();
        fs::create_dir_all(home.root().join("store")).unwrap();
        leave(&run);
        let daemon = server::Daemon::start(settings(&home, 0)).await.unwrap();
        assert_eq!(fs::read_to_string(run.join("daemon.pid")).unwrap(), std::process::id().to_string());
        serves(daemon, &run.join("string.sock")).await;
    }
}

#[tokio::test]
async fn a_taken_port_leaves_the_socket_working() {
    let home = Home::default();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let daemon = server::Daemon::start(settings(&home, port)).await.unwrap();
    assert_eq!(daemon.port(), None);
    serves(daemon, &home.root().join("run/string.sock")).await;
}

#[tokio::test]
async fn a_root_too_long_for_a_socket_address_works() {
    let home = Home::default();
    let root = home.path().join("x".repeat(120)).join(".string");
    let daemon = server::Daemon::start(Settings { root: root.clone(), ..settings(&home, 0) }).await.unwrap();
    serves(daemon, &root.join("run/string.sock")).await;
}

#[tokio::test]
async fn the_port_is_bound_on_loopback_only() {
    let daemon = Daemon::start().await;
    let port = format!(":{:04X}", daemon.port);
    let listening = |table: &str| -> Vec<String> {
        let text = fs::read_to_string(table).unwrap_or_default();
        let rows = text.lines().skip(1).map(|line| line.split_ascii_whitespace().collect::<Vec<_>>());
        let ours = rows.filter(|row| row[1].ends_with(&port) && row[3] == "0A");
        ours.map(|row| row[1].to_owned()).collect()
    };
    assert_eq!(listening("/proc/net/tcp"), [format!("0100007F{port}")]);
    assert!(listening("/proc/net/tcp6").is_empty());
}

#[tokio::test]
async fn agents_and_the_token_survive_a_restart() {
    let daemon = Daemon::start().await;
    assert!(daemon.exec("agent", "/add codex").await.ok);
    let token = daemon.token.clone();
    let home = daemon.stop().await;
    let daemon = server::Daemon::start(settings(&home, 0)).await.unwrap();
    assert_eq!(daemon.token().reveal(), token);
    assert!(daemon.runtime().agents.named("codex").is_ok());
    serves(daemon, &home.root().join("run/string.sock")).await;
}
