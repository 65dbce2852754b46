//! What the suites share: a home, a shell in it, and checks that read well.

use std::path::{Path, PathBuf};
use std::time::Duration;

use shell::boundary::Boundary;
use shell::{Config, Environment, Input, LogFiles, Outcome, Shell, Spawner, Turn};
use tempfile::TempDir;

/// Long enough for a machine that does ten other things.
pub(crate) const LONG: Duration = Duration::from_secs(60);

pub(crate) struct Fixture {
    pub(crate) home: TempDir,
    pub(crate) spawner: Spawner,
    pub(crate) shell: Shell,
}

pub(crate) fn spawner() -> Spawner {
    Spawner::new(env!("CARGO_BIN_EXE_shell-fixture"), "/bin/bash").unwrap()
}

pub(crate) fn environment(home: &Path) -> Environment {
    Environment::new()
        .with("HOME", home)
        .with("PATH", std::env::var_os("PATH").unwrap_or_default())
        .with("LANG", "C.UTF-8")
        .with("TERM", "dumb")
        .with("USER", "agent")
        .with("SHELL", "/bin/bash")
        .with("TMPDIR", "/tmp")
}

pub(crate) fn config(home: &Path) -> Config {
    Config {
        directory: home.to_owned(),
        environment: environment(home),
        boundary: Boundary::none(),
        logs: LogFiles { directory: home.join("output"), cap: shell::limits::LOG },
    }
}

impl Fixture {
    pub(crate) async fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        Self::with(config(&home.path().canonicalize().unwrap()), home).await
    }

    pub(crate) async fn with(config: Config, home: TempDir) -> Self {
        let spawner = spawner();
        let shell = Shell::start(&spawner, config).await.unwrap();
        Self { home, spawner, shell }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.home.path().canonicalize().unwrap()
    }

    pub(crate) async fn run(&self, payload: &str) -> Turn {
        self.shell.run(payload, LONG).await.unwrap()
    }

    pub(crate) async fn input(&self, text: &str) -> Turn {
        self.shell.input(Input::Line(text.into()), LONG).await.unwrap()
    }

    /// Runs a payload that must finish, and returns its status and output.
    pub(crate) async fn finish(&self, payload: &str) -> (i32, String) {
        finished(&self.run(payload).await)
    }

    /// The session must answer.
    pub(crate) async fn alive(&self) {
        let turn = self.run("echo alive").await;
        assert_eq!(text(&turn), "alive\n", "{turn:?}");
        // A status the user left must not hide a broken session.
        assert_eq!(code(&turn), 0, "{turn:?}");
    }

    pub(crate) async fn check(&self, payload: &str, status: i32, output: &str) {
        assert_eq!(self.finish(payload).await, (status, output.to_owned()), "{payload}");
        self.alive().await;
    }
}

pub(crate) fn text(turn: &Turn) -> String {
    turn.output.to_string()
}

pub(crate) fn code(turn: &Turn) -> i32 {
    match &turn.outcome {
        Outcome::Finished(status) => status.code(),
        other => panic!("not finished: {other:?} with {:?}", turn.output),
    }
}

pub(crate) fn finished(turn: &Turn) -> (i32, String) {
    (code(turn), text(turn))
}

/// The command runs and wants input.
pub(crate) fn waits_for_input(turn: &Turn) {
    match &turn.outcome {
        Outcome::Running(running) => assert!(running.waiting_for_input, "not waiting: {turn:?}"),
        other => panic!("not running: {other:?} with {:?}", turn.output),
    }
}

/// Whether a program is there; says so when it is not.
pub(crate) fn has(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).any(|directory| directory.join(program).exists());
    if !found {
        println!("skipped: {program} is not installed");
    }
    found
}

/// A command that does nothing for long and can be told from all others.
pub(crate) struct Marker(String);

impl Marker {
    pub(crate) fn new() -> Self {
        static NEXT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        let number = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        Self(format!("sleep 4242.{}{number:03}", std::process::id()))
    }

    /// How many processes run it.
    pub(crate) fn count(&self) -> usize {
        let command_line = self.0.replace(' ', "\0") + "\0";
        std::fs::read_dir("/proc")
            .unwrap()
            .flatten()
            .filter(|entry| {
                std::fs::read(entry.path().join("cmdline")).is_ok_and(|line| line == command_line.as_bytes())
            })
            .count()
    }

    /// Waits until exactly `count` processes run it, or at least that many where more are coming.
    pub(crate) async fn wait_for(&self, count: usize) {
        let reached = async {
            while !(if count == 0 { self.count() == 0 } else { self.count() >= count }) {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        let reached = tokio::time::timeout(LONG, reached).await;
        assert!(reached.is_ok(), "{} processes instead of {count}", self.count());
    }
}

impl std::fmt::Display for Marker {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.0)
    }
}
