//! Kills a writing process at a random moment and looks at what is left: `cargo test -p store --test crash`.
//!
//! A long run: `cargo test --release -p store --test crash -- --rounds 1000`. The process that is killed is this
//! program itself, started again with `write-until-killed`.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::print_stdout, reason = "how the two processes talk")]

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use store::sqlite::Sqlite;
use store::{AtomicWrite, Expect, Key, KeyRange, Limit, Space, Store, SystemClock, Version};

const ROUNDS: u64 = 5;
const MOST_WRITERS: u64 = 16;
const MOST_ACKNOWLEDGED: u64 = 1_500;

/// Each write also deletes what its writer wrote so many writes ago.
const KEPT: u64 = 40;

const SIGKILL: i32 = 9;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["write-until-killed", path, writers] => {
            write_until_killed(Path::new(path), writers.parse().unwrap());
        }
        ["--rounds", rounds] => crash(rounds.parse().unwrap()),
        // Whatever else is given is meant for the tests around this one.
        _ => crash(ROUNDS),
    }
}

/// An acknowledgement as it is printed: which write of which writer, and its version.
struct Acknowledged {
    writer: u64,
    number: u64,
    version: Version,
}

/// What the rounds so far have shown.
#[derive(Default)]
struct Tally {
    acknowledged: usize,
    newest: Option<Version>,
    slowest_open: Duration,
}

fn crash(rounds: u64) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let (random, mut tally) = (RandomState::new(), Tally::default());
    for round in 0..rounds {
        let writers = 1 + random.hash_one((round, "writers")) % MOST_WRITERS;
        let acknowledgements = random.hash_one((round, "acknowledgements")) % MOST_ACKNOWLEDGED;
        let acknowledged = kill_after(acknowledgements, &path, writers);
        let begun = Instant::now();
        let store = open(&path);
        tally.slowest_open = tally.slowest_open.max(begun.elapsed());
        runtime.block_on(examine(&store, &acknowledged, &mut tally));
    }
    let Tally { acknowledged, slowest_open, .. } = tally;
    println!("killed {rounds} times: {acknowledged} acknowledged writes, none lost, none in part");
    println!("slowest open afterwards: {slowest_open:.1?}");
}

/// Everything that the process had acknowledged when it was dead.
fn kill_after(count: u64, path: &Path, writers: u64) -> Vec<Acknowledged> {
    let mut child: Child = Command::new(std::env::current_exe().unwrap())
        .args(["write-until-killed", path.to_str().unwrap(), &writers.to_string()])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut lines = Vec::new();
    loop {
        if lines.len() as u64 == count {
            child.kill().unwrap();
        }
        let mut line = String::new();
        if output.read_line(&mut line).unwrap() == 0 || !line.ends_with('\n') {
            break;
        }
        lines.push(line);
    }
    let status = child.wait().unwrap();
    assert_eq!(status.signal(), Some(SIGKILL), "the writing process ended by itself: {status}");
    lines.iter().map(|line| acknowledged(line)).collect()
}

fn acknowledged(line: &str) -> Acknowledged {
    let numbers: Vec<u64> = line.split_whitespace().map(|word| word.parse().unwrap()).collect();
    let [writer, number, version] = numbers[..] else { panic!("not an acknowledgement: {line}") };
    Acknowledged { writer, number, version: Version::from_number(version) }
}

/// Every writer keeps its last number, and its latest writes in two spaces: all of that must fit together.
async fn examine(store: &Sqlite, acknowledged: &[Acknowledged], tally: &mut Tally) {
    assert_eq!(store.check_integrity().await.unwrap(), Vec::<String>::new());
    let (mut written, mut newest) = (HashMap::new(), tally.newest);
    for writer in 0..MOST_WRITERS {
        let Some((last, version)) = last(store, writer).await else { continue };
        let range = KeyRange::prefix(format!("{writer:02}/"));
        let log = store.scan(&log(), &range, Limit::entries(1_000)).await.unwrap().entries;
        let mirror = store.scan(&mirror(), &range, Limit::entries(1_000)).await.unwrap().entries;
        assert_eq!(log, mirror, "half a write of writer {writer}");
        let numbers = (last + 1).saturating_sub(KEPT)..=last;
        assert_eq!(
            log.iter().map(|entry| entry.key.clone()).collect::<Vec<_>>(),
            numbers.clone().map(|n| key(writer, n)).collect::<Vec<_>>()
        );
        assert!(log.is_sorted_by_key(|entry| entry.version));
        assert_eq!(log.last().unwrap().version, version);
        for (number, entry) in numbers.zip(log) {
            assert_eq!(entry.value, value(writer, number));
            newest = newest.max(Some(entry.version));
            let before = written.insert(entry.version, (writer, number));
            assert_eq!(before, None, "version {} was given twice", entry.version);
        }
    }
    for Acknowledged { writer, number, version } in acknowledged {
        let (last, _) = last(store, *writer).await.unwrap();
        assert!(*number <= last, "write {number} of writer {writer} is lost");
        if last - number < KEPT {
            assert_eq!(written.get(version), Some(&(*writer, *number)));
        }
        assert!(Some(*version) > tally.newest, "version {version} is older than the last crash");
    }
    tally.newest = newest;
    tally.acknowledged += acknowledged.len();
}

fn write_until_killed(path: &Path, writers: u64) {
    let store = Arc::new(open(path));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).build().unwrap();
    let tasks: Vec<_> = (0..writers).map(|writer| runtime.spawn(write(Arc::clone(&store), writer))).collect();
    for task in tasks {
        runtime.block_on(task).unwrap();
    }
}

async fn write(store: Arc<Sqlite>, writer: u64) {
    let (mut number, mut before) = match last(&store, writer).await {
        Some((last, version)) => (last + 1, Some(version)),
        None => (0, None),
    };
    loop {
        let entry = key(writer, number);
        let mut write = AtomicWrite::new()
            .check(&lasts(), &last_key(writer), Expect::unchanged(before))
            .put(&log(), &entry, value(writer, number), None)
            .put(&lasts(), &last_key(writer), number.to_string(), None)
            .put(&mirror(), &entry, value(writer, number), None);
        if let Some(old) = number.checked_sub(KEPT) {
            write = write.delete(&log(), &key(writer, old)).delete(&mirror(), &key(writer, old));
        }
        let version = store.commit(write).await.unwrap().unwrap();
        println!("{writer} {number} {version}");
        (number, before) = (number + 1, Some(version));
    }
}

async fn last(store: &Sqlite, writer: u64) -> Option<(u64, Version)> {
    let entry = store.get(&lasts(), &last_key(writer)).await.unwrap()?;
    Some((String::from_utf8(entry.value).unwrap().parse().unwrap(), entry.version))
}

fn open(path: &Path) -> Sqlite {
    Sqlite::open(path, Arc::new(SystemClock)).unwrap()
}

fn log() -> Space {
    Space::new("log")
}

fn mirror() -> Space {
    Space::new("mirror")
}

fn lasts() -> Space {
    Space::new("last")
}

fn last_key(writer: u64) -> Key {
    Key::new(format!("{writer:02}"))
}

fn key(writer: u64, number: u64) -> Key {
    Key::new(format!("{writer:02}/{number:010}"))
}

/// Small ones and ones that are kept apart.
fn value(writer: u64, number: u64) -> Vec<u8> {
    format!("{writer} {number} ").repeat(if number.is_multiple_of(5) { 500 } else { 5 }).into_bytes()
}
