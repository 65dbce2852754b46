//! How long things take: turns, starts, floods, and many shells at once.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "prints what it measures"
)]

use std::path::Path;
use std::process::Command as Plain;
use std::time::{Duration, Instant};

use rustix::process::Resource;
use shell::boundary::{Boundary, Level};
use shell::exec::{Command, exec};
use shell::{Config, Environment, LogFiles, Shell, Spawner, Turn};

const LONG: Duration = Duration::from_secs(120);

#[tokio::main]
async fn main() {
    let home = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let home = home.path().canonicalize().unwrap();
    let spawner = Spawner::new(env!("CARGO_BIN_EXE_shell-fixture"), "/bin/bash").unwrap();
    println!("open files: soft limit {:?}", rustix::process::getrlimit(Resource::Nofile).current);
    turns(&spawner, &home).await;
    starts(&spawner, &home).await;
    one_shots(&spawner, &home).await;
    floods(&spawner, &home).await;
    many(&spawner, &home).await;
    rounds(&spawner, &home).await;
    jobs(&spawner, &home).await;
}

async fn turns(spawner: &Spawner, home: &Path) {
    let shell = start(spawner, home, Boundary::none()).await;
    for payload in ["true", "echo hi", "/bin/true"] {
        let rounds = if payload.starts_with('/') { 500 } else { 3000 };
        for _ in 0..100 {
            run(&shell, payload).await;
        }
        let used = cpu();
        let mut times = Vec::new();
        for _ in 0..rounds {
            let begun = Instant::now();
            run(&shell, payload).await;
            times.push(begun.elapsed());
        }
        let own = (cpu() - used) / rounds;
        println!("turn `{payload}`: {}, our CPU {own:?} a turn", spread(times));
    }
    shell.close().await;
}

async fn starts(spawner: &Spawner, home: &Path) {
    let support = spawner.support().await.unwrap();
    for level in [Level::None, Level::Workspace, Level::Isolated] {
        let Ok(boundary) = Boundary::new(level, &support, home) else { continue };
        let (mut opened, mut closed) = (Vec::new(), Vec::new());
        for _ in 0..100 {
            let begun = Instant::now();
            let shell = start(spawner, home, boundary.clone()).await;
            opened.push(begun.elapsed());
            let begun = Instant::now();
            shell.close().await;
            closed.push(begun.elapsed());
        }
        println!("start to ready, {level:?}: {}; close: {}", spread(opened), spread(closed));
    }
}

async fn one_shots(spawner: &Spawner, home: &Path) {
    let (mut ours, mut plain) = (Vec::new(), Vec::new());
    for _ in 0..200 {
        let begun = Instant::now();
        exec(spawner, command(home, "true")).await.unwrap();
        ours.push(begun.elapsed());
        let begun = Instant::now();
        Plain::new("/bin/bash").args(["-c", "true"]).status().unwrap();
        plain.push(begun.elapsed());
    }
    let ratio = median(&mut ours).as_secs_f64() / median(&mut plain).as_secs_f64();
    println!("exec true: {}; bash -c true: {}; ratio {ratio:.2}", spread(ours), spread(plain));
}

async fn floods(spawner: &Spawner, home: &Path) {
    let shell = start(spawner, home, Boundary::none()).await;
    let floods = [
        ("20 MB on one line", "head -c 20000000 /dev/zero | tr '\\0' x"),
        ("100 MB of lines", "yes 0123456789012345678901234567890123456789012345678 | head -n 2000000"),
        ("20 MB coloured", "yes $'\\e[31mred\\e[0m text and more of it' | head -c 20000000"),
        ("20 MB of progress", "yes $'\\r 50% done' | tr -d '\\n' | head -c 20000000"),
    ];
    for (name, payload) in floods {
        let (begun, used, memory) = (Instant::now(), cpu(), resident());
        let turn = run(&shell, payload).await;
        let grown = resident().saturating_sub(memory);
        let (took, own) = (begun.elapsed(), cpu() - used);
        let output = turn.output;
        let shown = output.head.len() + output.tail.len();
        println!(
            "{name}: {took:?}, our CPU {own:?}, {grown} KiB more memory, {shown} bytes shown, {} omitted",
            output.omitted
        );
        if let Some(log) = output.log {
            std::fs::remove_file(log).unwrap();
        }
    }
    let line = format!("x='{}'; echo ${{#x}}", "y".repeat(1 << 20));
    let begun = Instant::now();
    run(&shell, &line).await;
    println!("a command of 1 MB: {:?}", begun.elapsed());
    shell.close().await;
}

async fn many(spawner: &Spawner, home: &Path) {
    let begun = Instant::now();
    let mut shells = Vec::new();
    for _ in 0..200 {
        shells.push(start(spawner, home, Boundary::none()).await);
    }
    println!(
        "200 shells started in {:?}; {} descriptors, {} KiB resident",
        begun.elapsed(),
        descriptors(),
        resident()
    );
    let begun = Instant::now();
    let mut turns = tokio::task::JoinSet::new();
    for shell in shells {
        turns.spawn(async move {
            run(&shell, "true").await;
            run(&shell, "echo hi").await;
            shell
        });
    }
    let shells = turns.join_all().await;
    println!("200 shells, two turns each at once: {:?}", begun.elapsed());
    let begun = Instant::now();
    for shell in shells {
        shell.close().await;
    }
    println!(
        "200 shells closed in {:?}; {} children left, {} descriptors",
        begun.elapsed(),
        children(),
        descriptors()
    );
}

async fn rounds(spawner: &Spawner, home: &Path) {
    let (before, begun) = (descriptors(), Instant::now());
    for _ in 0..1000 {
        let shell = start(spawner, home, Boundary::none()).await;
        run(&shell, "sleep 4243 & setsid sleep 4243 & disown").await;
        shell.close().await;
    }
    println!(
        "1,000 rounds of open, background job, close: {:?}; {} children left, {} processes left, descriptors {before} before and {} after",
        begun.elapsed(),
        children(),
        running("sleep\x004243\x00"),
        descriptors()
    );
}

async fn jobs(spawner: &Spawner, home: &Path) {
    let shell = start(spawner, home, Boundary::none()).await;
    let other = start(spawner, home, Boundary::none()).await;
    let begun = Instant::now();
    run(&shell, "set +m; for i in {1..10000}; do sleep 4244 & done 2>/dev/null").await;
    println!("10,000 background jobs: {} running after {:?}", running("sleep\x004244\x00"), begun.elapsed());
    let begun = Instant::now();
    run(&shell, "true").await;
    run(&other, "true").await;
    println!("a turn there and one in another shell: {:?}", begun.elapsed());
    let begun = Instant::now();
    shell.close().await;
    println!("closed in {:?}; {} left", begun.elapsed(), running("sleep\x004244\x00"));
    other.close().await;
}

async fn start(spawner: &Spawner, home: &Path, boundary: Boundary) -> Shell {
    let config =
        Config { directory: home.to_owned(), environment: environment(home), boundary, logs: logs(home) };
    Shell::start(spawner, config).await.unwrap()
}

async fn run(shell: &Shell, payload: &str) -> Turn {
    shell.run(payload, LONG).await.unwrap()
}

fn command(home: &Path, text: &str) -> Command {
    Command {
        text: text.into(),
        directory: home.to_owned(),
        environment: environment(home),
        boundary: Boundary::none(),
        limit: LONG,
        logs: logs(home),
        live: None,
    }
}

fn environment(home: &Path) -> Environment {
    Environment::new()
        .with("HOME", home)
        .with("PATH", "/usr/bin:/bin")
        .with("TERM", "dumb")
        .with("LANG", "C.UTF-8")
}

fn logs(home: &Path) -> LogFiles {
    LogFiles { directory: home.join("output"), cap: shell::limits::LOG }
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn spread(mut times: Vec<Duration>) -> String {
    let median = median(&mut times);
    format!("p50 {median:?} p99 {:?}", times[times.len() * 99 / 100])
}

/// The processor time this process has used.
fn cpu() -> Duration {
    let clock = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::try_from(clock).unwrap()
}

/// The memory this process has in use, in KiB.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

fn descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

fn children() -> usize {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap().flatten();
    tasks
        .map(|task| std::fs::read_to_string(task.path().join("children")).unwrap_or_default())
        .map(|list| list.split_whitespace().count())
        .sum()
}

fn running(command_line: &str) -> usize {
    let is_it =
        |path: std::path::PathBuf| std::fs::read(path).is_ok_and(|line| line == command_line.as_bytes());
    std::fs::read_dir("/proc").unwrap().flatten().filter(|entry| is_it(entry.path().join("cmdline"))).count()
}
