//! The file of the SQLite backend: what survives, who may read it, what damage does.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::Connection;
use store::sqlite::Sqlite;
use store::{AtomicWrite, Error, KeyRange, Limit, Result, Store, SystemClock};
use support::{FakeClock, commit, get, key, keys, put, space};
use tempfile::TempDir;

fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    (folder, path)
}

fn open(path: &Path) -> Result<Sqlite> {
    Sqlite::open(path, Arc::new(SystemClock))
}

fn files(folder: &TempDir) -> Vec<String> {
    let entries = fs::read_dir(folder.path()).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[tokio::test]
async fn reopening_keeps_entries_and_versions_go_on() {
    let (_folder, path) = folder();
    let (s, mut last) = (space("s"), None);
    for round in 0..4 {
        let store = open(&path).unwrap();
        assert_eq!(keys(&store, &s, KeyRange::all()).await.len(), round);
        let version = put(&store, &s, &round.to_string(), vec![1; 500 * round]).await;
        assert!(Some(version) > last, "{version} after {last:?}");
        last = Some(version);
        if round % 2 == 0 {
            store.close().await.unwrap();
        }
    }
    let store = open(&path).unwrap();
    assert_eq!(get(&store, &s, "3").await.unwrap().value, vec![1; 1_500]);
    assert_eq!(Some(get(&store, &s, "3").await.unwrap().version), last);
}

#[tokio::test]
async fn a_closed_store_leaves_one_file() {
    let (folder, path) = folder();
    let store = open(&path).unwrap();
    put(&store, &space("s"), "k", "v").await;
    assert_eq!(get(&store, &space("s"), "k").await.unwrap().value, b"v");
    store.close().await.unwrap();
    assert_eq!(files(&folder), ["store.db"]);
}

#[tokio::test]
async fn opening_and_reading_write_nothing() {
    let (_folder, path) = folder();
    let store = open(&path).unwrap();
    put(&store, &space("s"), "k", "v").await;
    store.close().await.unwrap();
    let before = fs::read(&path).unwrap();
    let store = open(&path).unwrap();
    assert_eq!(get(&store, &space("s"), "k").await.unwrap().value, b"v");
    assert_eq!(store.sweep(10).await.unwrap(), 0);
    assert_eq!(fs::metadata(path.with_extension("db-wal")).unwrap().len(), 0);
    store.close().await.unwrap();
    assert!(fs::read(&path).unwrap() == before, "the file was changed");
}

#[tokio::test]
async fn only_the_owner_can_read_the_files() {
    let (folder, path) = folder();
    drop(open(&path).unwrap());
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    let store = open(&path).unwrap();
    put(&store, &space("s"), "k", "v").await;
    store.backup(&folder.path().join("copy.db")).await.unwrap();
    assert_eq!(files(&folder), ["copy.db", "store.db", "store.db-shm", "store.db-wal"]);
    for name in files(&folder) {
        let mode = fs::metadata(folder.path().join(&name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
}

#[tokio::test]
async fn a_damaged_file_is_reported_by_name_and_left_as_it_is() {
    let (_folder, path) = folder();
    let sound = {
        let store = open(&path).unwrap();
        put(&store, &space("s"), "k", "v").await;
        store.close().await.unwrap();
        fs::read(&path).unwrap()
    };
    let mut bad_schema = sound;
    bad_schema[100..4096].fill(0xaa);
    for damaged in [b"this is no database, whatever its name says".repeat(100), bad_schema] {
        fs::write(&path, &damaged).unwrap();
        let error = open(&path).unwrap_err();
        assert!(matches!(&error, Error::Corrupt { path: named, .. } if *named == path), "{error:?}");
        assert!(error.to_string().starts_with(&format!("{} is damaged: ", path.display())));
        assert!(fs::read(&path).unwrap() == damaged, "the file was changed");
    }
}

#[tokio::test]
async fn damage_behind_the_first_page_is_found() {
    let (_folder, path) = folder();
    let (s, store) = (space("s"), open(&path).unwrap());
    for n in 0..200 {
        put(&store, &s, &format!("{n:03}"), vec![1; 800]).await;
    }
    store.close().await.unwrap();
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 2 / 4096 * 4096;
    bytes[middle..middle + 40_960].fill(0x55);
    fs::write(&path, &bytes).unwrap();
    let store = open(&path).unwrap();
    let problems = store.check_integrity().await;
    assert!(!matches!(&problems, Ok(problems) if problems.is_empty()), "{problems:?}");
    // Entries whose pages are sound are still read; of the others the file is named.
    let mut read = 0;
    for n in 0..200 {
        match store.get(&s, &key(&format!("{n:03}"))).await {
            Ok(found) => read += usize::from(found.is_some()),
            Err(error) => {
                assert!(matches!(&error, Error::Corrupt { path: named, .. } if *named == path), "{error:?}");
            }
        }
    }
    assert!((1..200).contains(&read), "{read} entries were read");
    let error = store
        .scan(&s, &KeyRange::all(), Limit::entries(1_000))
        .await
        .map(|page| page.entries.len())
        .unwrap_err();
    assert!(matches!(&error, Error::Corrupt { path: named, .. } if *named == path), "{error:?}");
}

#[tokio::test]
async fn broken_invariants_are_problems() {
    let cases = [
        ("DELETE FROM space", "2 entries in a space without a name"),
        ("INSERT INTO space (name) VALUES ('empty')", "1 names of spaces without an entry"),
        ("DELETE FROM large", "1 entries without their value"),
        ("INSERT INTO large (value) VALUES (x'00')", "1 large values without an entry"),
        ("UPDATE counter SET reserved = 0", "2 entries with a version that was never given out"),
    ];
    for (damage, problem) in cases {
        let (_folder, path) = folder();
        let store = open(&path).unwrap();
        put(&store, &space("s"), "small", "v").await;
        put(&store, &space("s"), "large", vec![1; 5_000]).await;
        store.close().await.unwrap();
        Connection::open(&path).unwrap().execute_batch(damage).unwrap();
        assert_eq!(open(&path).unwrap().check_integrity().await.unwrap(), [problem], "{damage}");
    }
}

#[test]
fn files_that_are_not_ours_to_open_are_refused() {
    let (_folder, path) = folder();
    Connection::open(&path).unwrap().execute_batch("CREATE TABLE theirs (x)").unwrap();
    let before = fs::read(&path).unwrap();
    assert!(matches!(open(&path), Err(Error::Foreign { path: named }) if named == path));
    assert!(fs::read(&path).unwrap() == before, "the file was changed");

    fs::remove_file(&path).unwrap();
    drop(open(&path).unwrap());
    Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
    assert!(matches!(open(&path), Err(Error::Newer { found: 99, known: 1, .. })));

    let nowhere = path.join("below/a/file.db");
    assert!(matches!(open(&nowhere), Err(Error::Io { path: named, .. }) if named == nowhere));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_is_one_moment_of_a_store_in_use() {
    let (folder, path) = folder();
    let (store, s, t) = (Arc::new(open(&path).unwrap()), space("s"), space("t"));
    let (stop, mut stopped) = tokio::sync::watch::channel(());
    let writer = tokio::spawn({
        let (store, s, t) = (Arc::clone(&store), s.clone(), t.clone());
        async move {
            let mut n = 0;
            while !stopped.has_changed().unwrap() {
                let name = key(&format!("{n:06}"));
                commit(
                    &*store,
                    AtomicWrite::new().put(&s, &name, "v", None).put(&t, &name, vec![0; 2_000], None),
                )
                .await
                .unwrap();
                n += 1;
            }
            stopped.mark_unchanged();
            n
        }
    });
    let mut sizes = Vec::new();
    for copy in ["one.db", "two.db"].map(|name| folder.path().join(name)) {
        let before = keys(&*store, &s, KeyRange::all()).await.len();
        store.backup(&copy).await.unwrap();
        let copy = open(&copy).unwrap();
        assert_eq!(copy.check_integrity().await.unwrap(), Vec::<String>::new());
        let names = keys(&copy, &s, KeyRange::all()).await;
        assert_eq!(names, keys(&copy, &t, KeyRange::all()).await);
        assert!(names.len() >= before);
        let found = store.get(&t, &key("000000")).await.unwrap();
        assert_eq!(
            copy.get(&t, &key("000000")).await.unwrap().filter(|_| !names.is_empty()),
            found.filter(|_| !names.is_empty())
        );
        assert!(put(&copy, &s, "more", "v").await.number() > 0);
        sizes.push(names.len());
    }
    stop.send(()).unwrap();
    assert!(sizes[0] <= sizes[1] && sizes[1] <= writer.await.unwrap());
    let error = store.backup(&folder.path().join("one.db")).await.unwrap_err();
    assert!(matches!(error, Error::Exists { .. }), "{error:?}");
    assert!(!files(&folder).iter().any(|name| name.ends_with(".partial")));
}

#[tokio::test]
async fn going_on_with_a_backup_repeats_no_version() {
    let (folder, path) = folder();
    let (s, copy) = (space("s"), folder.path().join("copy.db"));
    let store = open(&path).unwrap();
    put(&store, &s, "k", "v").await;
    store.backup(&copy).await.unwrap();
    store.close().await.unwrap();
    let mut given = Vec::new();
    for _ in 0..3 {
        // Each opening sets a block of versions aside.
        given.push(put(&open(&path).unwrap(), &s, "k", "later").await);
    }
    let copy = open(&copy).unwrap();
    assert_eq!(get(&copy, &s, "k").await.unwrap().value, b"v");
    assert!(Some(&put(&copy, &s, "k", "again").await) > given.iter().max());
    assert_eq!(copy.check_integrity().await.unwrap(), Vec::<String>::new());
}

#[tokio::test]
async fn what_comes_and_expires_does_not_let_the_file_grow() {
    let (_folder, path) = folder();
    let (clock, s) = (FakeClock::new(), space("s"));
    let store = Sqlite::open(&path, clock.clone()).unwrap();
    let mut sizes = Vec::new();
    for round in 0..12 {
        for n in 0..100 {
            let name = key(&format!("{round}/{n}"));
            commit(&store, AtomicWrite::new().put(&s, &name, vec![1; 8_000], Some(clock.later(1))))
                .await
                .unwrap();
        }
        clock.advance(1);
        assert_eq!(store.sweep(1_000).await.unwrap(), 100);
        let files = [path.clone(), path.with_extension("db-wal")];
        sizes.push(files.iter().map(|file| fs::metadata(file).unwrap().len()).sum::<u64>());
    }
    let most = sizes[..4].iter().max();
    // The log grows to its size and stays there; the file keeps a mebibyte of room.
    assert!(sizes.iter().max() <= most.map(|most| most.max(&(24 << 20))), "{sizes:?}");
    store.close().await.unwrap();
    assert!(fs::metadata(&path).unwrap().len() < 3 << 20, "{}", fs::metadata(&path).unwrap().len());
}

#[tokio::test]
async fn sweeping_gives_the_room_back() {
    let (_folder, path) = folder();
    let (clock, s) = (FakeClock::new(), space("s"));
    let size = || fs::metadata(&path).unwrap().len();
    let store = Sqlite::open(&path, clock.clone()).unwrap();
    for n in 0..1_000 {
        let write = AtomicWrite::new().put(&s, &key(&n.to_string()), vec![1; 8_000], Some(clock.later(1)));
        commit(&store, write).await.unwrap();
    }
    store.close().await.unwrap();
    let full = size();
    clock.advance(1);
    let store = Sqlite::open(&path, clock).unwrap();
    while store.sweep(100).await.unwrap() > 0 {}
    assert_eq!(store.check_integrity().await.unwrap(), Vec::<String>::new());
    store.close().await.unwrap();
    assert!(size() < full / 4, "{} of {full} bytes left", size());
}

#[tokio::test]
async fn a_file_that_was_removed_or_replaced_takes_no_writes() {
    for replace in [false, true] {
        let (folder, path) = folder();
        let store = open(&path).unwrap();
        put(&store, &space("s"), "a", "1").await;
        if replace {
            fs::write(folder.path().join("other.db"), "").unwrap();
            fs::rename(folder.path().join("other.db"), &path).unwrap();
        } else {
            fs::remove_file(&path).unwrap();
        }
        let write = AtomicWrite::new().put(&space("s"), &key("b"), "2", None);
        let error = store.commit(write).await.unwrap_err();
        assert!(matches!(&error, Error::Replaced { path: named } if *named == path), "{error:?}");
        assert!(error.way_out().is_some_and(|way| way.contains("string --daemon stop")));
    }
}
