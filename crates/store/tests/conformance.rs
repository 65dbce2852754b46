//! What every backend must do: the same tests over each.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use store::memory::Memory;
use store::sqlite::Sqlite;
use store::{
    AtomicWrite, Check, Conflict, Decision, Error, Expect, Key, KeyRange, Limit, Space, Store, Version,
    update,
};
use support::{FakeClock, commit, get, key, keys, put, space};
use tempfile::TempDir;

/// A store under test, its clock, and the folder it lives in if it needs one.
struct Subject {
    store: Arc<dyn Store>,
    clock: Arc<FakeClock>,
    _folder: Option<TempDir>,
}

impl Subject {
    fn memory() -> Self {
        let clock = FakeClock::new();
        Self { store: Arc::new(Memory::new(clock.clone())), clock, _folder: None }
    }

    fn sqlite() -> Self {
        let (clock, folder) = (FakeClock::new(), tempfile::tempdir().unwrap());
        let store = Sqlite::open(folder.path().join("store.db"), clock.clone()).unwrap();
        Self { store: Arc::new(store), clock, _folder: Some(folder) }
    }
}

/// Runs each function over each backend, in a runtime with one worker and in one with several: the two take
/// different ways to the disk.
macro_rules! conformance {
    ($($name:ident)*) => {
        mod memory {
            $(#[tokio::test] async fn $name() { super::$name(&super::Subject::memory()).await; })*
        }
        mod sqlite {
            $(#[tokio::test] async fn $name() { super::$name(&super::Subject::sqlite()).await; })*
        }
        mod sqlite_with_many_threads {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
              async fn $name() { super::$name(&super::Subject::sqlite()).await; })*
        }
    };
}

conformance! {
    an_entry_is_read_back_as_it_was_put
    values_of_every_size_survive_being_replaced
    spaces_do_not_see_each_other
    keys_are_ordered_by_bytes
    a_range_is_a_prefix_and_a_starting_point
    a_scan_stops_at_its_limits_and_says_so
    a_cursor_neither_skips_nor_repeats_while_others_write
    checks_decide_over_the_whole_write
    a_conflict_names_the_first_failed_check_and_what_was_found
    changes_apply_in_their_order
    a_write_reaches_over_spaces
    versions_grow_and_are_not_reused_after_a_delete
    an_entry_is_gone_when_its_time_has_come
    putting_again_replaces_the_expiry
    a_sweep_removes_what_expired_in_chunks
    dropping_a_space_leaves_its_neighbours
    spaces_are_listed_while_they_hold_entries
    spaces_are_listed_in_pages
    an_update_sees_what_it_replaces
    a_thousand_updates_of_one_key_all_survive
    an_update_starts_over_when_a_write_came_between
    many_writers_all_get_their_own_version
    a_sound_store_has_no_problems
    a_closed_store_refuses_everything
}

async fn an_entry_is_read_back_as_it_was_put(subject: &Subject) {
    let (store, agents) = (&*subject.store, space("agents"));
    assert_eq!(get(store, &agents, "default").await, None);
    let expires_at = Some(subject.clock.later(1));
    let write = AtomicWrite::new().put(&agents, &key("default"), "home", expires_at);
    let version = commit(store, write).await.unwrap();
    let entry = get(store, &agents, "default").await.unwrap();
    assert_eq!(entry, store::Entry { key: key("default"), value: b"home".to_vec(), version, expires_at });
}

async fn values_of_every_size_survive_being_replaced(subject: &Subject) {
    let (store, s) = (&*subject.store, space("s"));
    let sizes = [0, 1, 899, 900, 5_000, 4 << 20, 100_000, 10, 0, 2_000];
    for (round, size) in sizes.into_iter().enumerate() {
        let value = vec![u8::try_from(round).unwrap(); size];
        let write = AtomicWrite::new().put(&s, &key("one"), value.clone(), None).put(
            &s,
            &key("two"),
            value.clone(),
            None,
        );
        commit(store, write).await.unwrap();
        for name in ["one", "two"] {
            assert!(get(store, &s, name).await.unwrap().value == value, "{name} with {size} bytes");
        }
        let page = store.scan(&s, &KeyRange::all(), Limit::entries(10)).await.unwrap();
        assert!(page.entries.len() == 2 && page.entries.iter().all(|entry| entry.value == value));
    }
    assert_eq!(store.check_integrity().await.unwrap(), Vec::<String>::new());
    commit(store, AtomicWrite::new().delete(&s, &key("one"))).await.unwrap();
    store.drop_space(&s).await.unwrap();
    assert_eq!(store.check_integrity().await.unwrap(), Vec::<String>::new());
}

async fn spaces_do_not_see_each_other(subject: &Subject) {
    let (store, one, two) = (&*subject.store, space("state/one"), space("state/one/more"));
    put(store, &one, "k", "1").await;
    assert_eq!(get(store, &two, "k").await, None);
    assert!(keys(store, &two, KeyRange::all()).await.is_empty());
    put(store, &two, "k", "2").await;
    assert_eq!(get(store, &one, "k").await.unwrap().value, b"1");
    commit(store, AtomicWrite::new().delete(&two, &key("k"))).await.unwrap();
    assert_eq!(get(store, &one, "k").await.unwrap().value, b"1");
}

async fn keys_are_ordered_by_bytes(subject: &Subject) {
    let (store, s) = (&*subject.store, space("s"));
    let sorted: [&[u8]; 9] = [b"", b"\0", b"A", b"Z", b"a", b"a\0", b"a/", "é".as_bytes(), b"\xff\xff"];
    for bytes in sorted.iter().rev() {
        commit(store, AtomicWrite::new().put(&s, &Key::new(*bytes), "v", None)).await.unwrap();
    }
    let page = store.scan(&s, &KeyRange::all(), Limit::entries(100)).await.unwrap();
    let found: Vec<_> = page.entries.iter().map(|entry| entry.key.as_bytes()).collect();
    assert_eq!(found, sorted);
}

async fn a_range_is_a_prefix_and_a_starting_point(subject: &Subject) {
    let (store, s) = (&*subject.store, space("s"));
    for name in ["a", "b", "b/1", "b/2", "b0", "c"] {
        put(store, &s, name, "v").await;
    }
    let cases: [(KeyRange, &[&str]); 8] = [
        (KeyRange::all(), &["a", "b", "b/1", "b/2", "b0", "c"]),
        (KeyRange::prefix("b"), &["b", "b/1", "b/2", "b0"]),
        (KeyRange::prefix("b/"), &["b/1", "b/2"]),
        (KeyRange::prefix("d"), &[]),
        (KeyRange::all().after(key("b/1")), &["b/2", "b0", "c"]),
        (KeyRange::prefix("b/").after(key("b/1")), &["b/2"]),
        (KeyRange::prefix("b/").after(key("a")), &["b/1", "b/2"]),
        (KeyRange::prefix("b/").after(key("c")), &[]),
    ];
    for (range, expected) in cases {
        assert_eq!(keys(store, &s, range.clone()).await, expected, "{range:?}");
    }
}

async fn a_scan_stops_at_its_limits_and_says_so(subject: &Subject) {
    let (store, s) = (&*subject.store, space("s"));
    for name in ["a", "b", "c"] {
        put(store, &s, name, vec![0; 2_000]).await;
    }
    let cases = [
        (Limit::entries(0), 0, true),
        (Limit::entries(2), 2, true),
        (Limit::entries(3), 3, false),
        (Limit::entries(9).bytes(4_002), 2, true),
        (Limit::entries(9).bytes(4_001), 1, true),
        (Limit::entries(9).bytes(1), 1, true),
        (Limit::entries(9).bytes(6_003), 3, false),
    ];
    for (limit, count, has_more) in cases {
        let page = store.scan(&s, &KeyRange::all(), limit).await.unwrap();
        assert_eq!((page.entries.len(), page.has_more), (count, has_more), "{limit:?}");
    }
}

async fn a_cursor_neither_skips_nor_repeats_while_others_write(subject: &Subject) {
    let (store, s) = (&*subject.store, space("s"));
    for n in 0..50 {
        put(store, &s, &format!("{n:02}"), "v").await;
    }
    let (mut range, mut seen) = (KeyRange::all(), Vec::new());
    loop {
        let page = store.scan(&s, &range, Limit::entries(7)).await.unwrap();
        seen.extend(page.entries.iter().map(|entry| entry.key.to_string()));
        let Some(last) = page.entries.last().filter(|_| page.has_more) else { break };
        // Behind the cursor nothing counts any more; the key of the cursor itself may even go.
        put(store, &s, &format!("{}/new", page.entries[0].key), "v").await;
        commit(store, AtomicWrite::new().delete(&s, &last.key)).await.unwrap();
        range = KeyRange::all().after(last.key.clone());
    }
    assert_eq!(seen, (0..50).map(|n| format!("{n:02}")).collect::<Vec<_>>());
}

async fn checks_decide_over_the_whole_write(subject: &Subject) {
    let (store, s) = (&*subject.store, space("s"));
    let old = put(store, &s, "k", "old").await;
    let new = put(store, &s, "k", "new").await;
    let cases = [
        ("k", Expect::Version(new), None),
        ("k", Expect::Version(old), Some(Some(new))),
        ("k", Expect::Absent, Some(Some(new))),
        ("missing", Expect::Absent, None),
        ("missing", Expect::Version(new), Some(None)),
    ];
    for (n, (name, expect, conflict)) in cases.into_iter().enumerate() {
        let mark = format!("mark{n}");
        let write = AtomicWrite::new().check(&s, &key(name), expect).put(&s, &key(&mark), "v", None);
        let outcome = commit(store, write).await;
        assert_eq!(outcome.err().map(|conflict| conflict.found), conflict, "{name} {expect:?}");
        assert_eq!(get(store, &s, &mark).await.is_none(), conflict.is_some(), "{name} {expect:?}");
    }
}

async fn a_conflict_names_the_first_failed_check_and_what_was_found(subject: &Subject) {
    let (store, s, t) = (&*subject.store, space("s"), space("t"));
    let version = put(store, &t, "k", "v").await;
    let write = AtomicWrite::new()
        .check(&s, &key("k"), Expect::Absent)
        .check(&t, &key("k"), Expect::Absent)
        .check(&t, &key("other"), Expect::Version(version))
        .delete(&t, &key("k"));
    let conflict = commit(store, write).await.unwrap_err();
    let check = Check { space: t.clone(), key: key("k"), expect: Expect::Absent };
    assert_eq!(conflict, Conflict { check, found: Some(version) });
    assert_eq!(conflict.to_string(), format!("t k should not exist but has version {version}"));
    assert_eq!(get(store, &t, "k").await.unwrap().version, version);
}

async fn changes_apply_in_their_order(subject: &Subject) {
    let (store, s) = (&*subject.store, space("s"));
    let (kept, gone) = (key("kept"), key("gone"));
    let write = AtomicWrite::new()
        .delete(&s, &kept)
        .put(&s, &kept, "first", None)
        .put(&s, &kept, "second", None)
        .put(&s, &gone, "v", None)
        .delete(&s, &gone);
    commit(store, write).await.unwrap();
    assert_eq!(get(store, &s, "kept").await.unwrap().value, b"second");
    assert_eq!(get(store, &s, "gone").await, None);
}

async fn a_write_reaches_over_spaces(subject: &Subject) {
    let (store, s, t) = (&*subject.store, space("s"), space("t"));
    put(store, &s, "from", "v").await;
    let write = AtomicWrite::new().delete(&s, &key("from")).put(&t, &key("to"), "v", None).put(
        &s,
        &key("log"),
        "v",
        None,
    );
    let version = commit(store, write).await.unwrap();
    assert_eq!(get(store, &s, "from").await, None);
    assert_eq!(get(store, &t, "to").await.unwrap().version, version);
    assert_eq!(get(store, &s, "log").await.unwrap().version, version);
}

async fn versions_grow_and_are_not_reused_after_a_delete(subject: &Subject) {
    let (store, s) = (&*subject.store, space("s"));
    let mut last = put(store, &s, "k", "v").await;
    for _ in 0..10 {
        let deleted = commit(store, AtomicWrite::new().delete(&s, &key("k"))).await.unwrap();
        let again = put(store, &s, "k", "v").await;
        assert!(last < deleted && deleted < again);
        assert_eq!(get(store, &s, "k").await.unwrap().version, again);
        last = again;
    }
    assert!(
        last < commit(store, AtomicWrite::new()).await.unwrap(),
        "a write of nothing still has a version"
    );
}

async fn an_entry_is_gone_when_its_time_has_come(subject: &Subject) {
    let (store, s) = (&*subject.store, space("s"));
    let write = AtomicWrite::new().put(&s, &key("k"), "v", Some(subject.clock.later(100))).put(
        &s,
        &key("l"),
        "v",
        None,
    );
    let version = commit(store, write).await.unwrap();
    subject.clock.advance(99);
    assert_eq!(keys(store, &s, KeyRange::all()).await, ["k", "l"]);
    subject.clock.advance(1);
    assert_eq!(get(store, &s, "k").await, None);
    assert_eq!(keys(store, &s, KeyRange::all()).await, ["l"]);
    let conditional =
        |expect| AtomicWrite::new().check(&s, &key("k"), expect).put(&s, &key("k"), "again", None);
    assert_eq!(commit(store, conditional(Expect::Version(version))).await.unwrap_err().found, None);
    commit(store, conditional(Expect::Absent)).await.unwrap();
    assert_eq!(get(store, &s, "k").await.unwrap().value, b"again");
}

async fn putting_again_replaces_the_expiry(subject: &Subject) {
    let (store, s) = (&*subject.store, space("s"));
    let expiring = |millis| AtomicWrite::new().put(&s, &key("k"), "v", Some(subject.clock.later(millis)));
    commit(store, expiring(10)).await.unwrap();
    put(store, &s, "k", "v").await;
    assert_eq!(get(store, &s, "k").await.unwrap().expires_at, None);
    subject.clock.advance(10);
    assert_eq!(store.sweep(10).await.unwrap(), 0);
    assert!(get(store, &s, "k").await.is_some());
    commit(store, expiring(0)).await.unwrap();
    assert_eq!(get(store, &s, "k").await, None, "put with an expiry that is already over");
}

async fn a_sweep_removes_what_expired_in_chunks(subject: &Subject) {
    let (store, s, t) = (&*subject.store, space("s"), space("t"));
    for n in 0..10 {
        let at = Some(subject.clock.later(n));
        let write = AtomicWrite::new().put(&s, &key(&n.to_string()), "v", at).put(
            &t,
            &key(&n.to_string()),
            vec![0; 2_000],
            at,
        );
        commit(store, write).await.unwrap();
    }
    put(store, &t, "stays", "v").await;
    subject.clock.advance(6);
    let mut swept = Vec::new();
    while swept.last() != Some(&0) {
        swept.push(store.sweep(5).await.unwrap());
    }
    assert_eq!(swept, [5, 5, 4, 0]);
    assert_eq!(keys(store, &s, KeyRange::all()).await, ["7", "8", "9"]);
    subject.clock.advance(100);
    assert_eq!(store.sweep(100).await.unwrap(), 6);
    assert_eq!(store.spaces("", None, 10).await.unwrap(), [t]);
    assert_eq!(store.check_integrity().await.unwrap(), Vec::<String>::new());
}

async fn dropping_a_space_leaves_its_neighbours(subject: &Subject) {
    let (store, s, t) = (&*subject.store, space("s"), space("s/1"));
    for name in ["a", "b"] {
        put(store, &s, name, "v").await;
        put(store, &t, name, vec![7; 2_000]).await;
    }
    let before = get(store, &s, "a").await.unwrap().version;
    store.drop_space(&s).await.unwrap();
    store.drop_space(&space("never was")).await.unwrap();
    assert!(keys(store, &s, KeyRange::all()).await.is_empty());
    assert_eq!(get(store, &t, "a").await.unwrap().value, vec![7; 2_000]);
    assert!(put(store, &s, "a", "again").await > before);
    assert_eq!(keys(store, &s, KeyRange::all()).await, ["a"]);
}

async fn spaces_are_listed_while_they_hold_entries(subject: &Subject) {
    let (store, clock) = (&*subject.store, &subject.clock);
    let (a, b, c) = (space("a"), space("b"), space("c"));
    put(store, &a, "k", "v").await;
    put(store, &b, "k", "v").await;
    commit(store, AtomicWrite::new().put(&c, &key("k"), "v", Some(clock.later(10)))).await.unwrap();
    let listed = async || store.spaces("", None, 10).await.unwrap();
    assert_eq!(listed().await, [a.clone(), b.clone(), c.clone()]);
    clock.advance(10);
    assert_eq!(listed().await, [a.clone(), b.clone()]);
    commit(store, AtomicWrite::new().delete(&a, &key("k"))).await.unwrap();
    assert_eq!(listed().await, std::slice::from_ref(&b));
    store.drop_space(&b).await.unwrap();
    assert_eq!(listed().await, Vec::<Space>::new());
    put(store, &c, "k", "again").await;
    assert_eq!(listed().await, [c]);
}

async fn spaces_are_listed_in_pages(subject: &Subject) {
    let store = &*subject.store;
    for name in ["", "s", "s/1", "s/10", "s/2", "s0", "é", "\u{10ffff}"] {
        put(store, &space(name), "k", "v").await;
    }
    let cases: [(&str, Option<&str>, usize, &[&str]); 8] = [
        ("", None, 3, &["", "s", "s/1"]),
        ("", Some(""), 2, &["s", "s/1"]),
        ("s/", None, 10, &["s/1", "s/10", "s/2"]),
        ("s/", Some("s/1"), 1, &["s/10"]),
        ("s/", Some("s/2"), 10, &[]),
        ("s/", Some("a"), 1, &["s/1"]),
        ("é", None, 10, &["é"]),
        ("\u{10ffff}", None, 10, &["\u{10ffff}"]),
    ];
    for (prefix, after, limit, expected) in cases {
        let found = store.spaces(prefix, after.map(space).as_ref(), limit).await.unwrap();
        let found: Vec<_> = found.iter().map(Space::as_str).collect();
        assert_eq!(found, expected, "{prefix} after {after:?}");
    }
}

async fn an_update_sees_what_it_replaces(subject: &Subject) {
    let (store, s, k) = (&*subject.store, space("s"), key("k"));
    let expires_at = Some(subject.clock.later(50));
    let put = Decision::Put { value: b"1".to_vec(), expires_at };
    let first = update(store, &s, &k, |found| (put.clone(), found.is_none())).await.unwrap();
    assert!(first.answer);
    let entry = get(store, &s, "k").await.unwrap();
    assert_eq!((Some(entry.version), entry.expires_at), (first.version, expires_at));
    let left = update(store, &s, &k, |found| (Decision::Leave, found.cloned())).await.unwrap();
    assert_eq!((left.version, left.answer), (None, Some(entry)));
    let deleted = update(store, &s, &k, |_| (Decision::Delete, ())).await.unwrap();
    assert!(deleted.version > first.version);
    assert_eq!(get(store, &s, "k").await, None);
}

async fn a_thousand_updates_of_one_key_all_survive(subject: &Subject) {
    const UPDATES: u8 = 250;
    let (s, decisions) = (space("s"), Arc::new(AtomicUsize::new(0)));
    let tasks: Vec<_> = (0..4)
        .flat_map(|_| 0..UPDATES)
        .map(|n| {
            let (store, s, decisions) = (Arc::clone(&subject.store), s.clone(), Arc::clone(&decisions));
            tokio::spawn(async move {
                let append = |found: Option<&store::Entry>| {
                    decisions.fetch_add(1, Ordering::Relaxed);
                    let mut value = found.map(|entry| entry.value.clone()).unwrap_or_default();
                    value.push(n);
                    (Decision::Put { value, expires_at: None }, ())
                };
                update(&*store, &s, &key("log"), append).await.unwrap().version.unwrap()
            })
        })
        .collect();
    let mut versions = Vec::new();
    for task in tasks {
        versions.push(task.await.unwrap());
    }
    let mut log = get(&*subject.store, &s, "log").await.unwrap().value;
    log.sort_unstable();
    assert_eq!(log, (0..UPDATES).flat_map(|n| [n; 4]).collect::<Vec<_>>());
    versions.sort_unstable();
    versions.dedup();
    assert_eq!(versions.len(), 1_000);
    assert_eq!(decisions.load(Ordering::Relaxed), 1_000, "they take turns instead of trying again");
}

async fn an_update_starts_over_when_a_write_came_between(subject: &Subject) {
    let (store, s, k) = (&subject.store, space("s"), key("k"));
    let handle = tokio::runtime::Handle::current();
    let mut seen = Vec::new();
    let updated = update(&**store, &s, &k, |found| {
        seen.push(found.map(|entry| entry.value.clone()));
        if seen.len() == 1 {
            // A writer that does not take turns, in the middle of our step.
            std::thread::scope(|scope| {
                scope.spawn(|| handle.block_on(put(&**store, &s, "k", "stranger")));
            });
        }
        (Decision::Put { value: b"ours".to_vec(), expires_at: None }, seen.len())
    });
    assert_eq!(updated.await.unwrap().answer, 2);
    assert_eq!(seen, [None, Some(b"stranger".to_vec())]);
    assert_eq!(get(&**store, &s, "k").await.unwrap().value, b"ours");
}

async fn many_writers_all_get_their_own_version(subject: &Subject) {
    let s = space("s");
    let tasks: Vec<_> = (0..64)
        .map(|writer| {
            let (store, s) = (Arc::clone(&subject.store), s.clone());
            tokio::spawn(async move {
                let mut versions: Vec<Version> = Vec::new();
                for n in 0..10 {
                    versions.push(put(&*store, &s, &format!("{writer}/{n}"), vec![1; 200 * n]).await);
                    let found = get(&*store, &s, &format!("{writer}/{n}")).await.unwrap();
                    assert_eq!(Some(&found.version), versions.last(), "a write is read back at once");
                }
                assert!(versions.is_sorted());
                versions
            })
        })
        .collect();
    let mut versions = Vec::new();
    for task in tasks {
        versions.extend(task.await.unwrap());
    }
    versions.sort_unstable();
    versions.dedup();
    assert_eq!(versions.len(), 640);
    assert_eq!(keys(&*subject.store, &s, KeyRange::all()).await.len(), 640);
}

async fn a_sound_store_has_no_problems(subject: &Subject) {
    put(&*subject.store, &space("s"), "k", "v").await;
    assert_eq!(subject.store.check_integrity().await.unwrap(), Vec::<String>::new());
}

async fn a_closed_store_refuses_everything(subject: &Subject) {
    let (store, s, k) = (&*subject.store, space("s"), key("k"));
    put(store, &s, "k", "v").await;
    store.close().await.unwrap();
    store.close().await.unwrap();
    let write = AtomicWrite::new().put(&s, &k, "v", None);
    assert!(matches!(store.get(&s, &k).await, Err(Error::Closed)));
    assert!(matches!(store.scan(&s, &KeyRange::all(), Limit::entries(1)).await, Err(Error::Closed)));
    assert!(matches!(store.commit(write).await, Err(Error::Closed)));
    assert!(matches!(store.drop_space(&s).await, Err(Error::Closed)));
    assert!(matches!(store.spaces("", None, 1).await, Err(Error::Closed)));
    assert!(matches!(store.sweep(1).await, Err(Error::Closed)));
    assert!(matches!(store.check_integrity().await, Err(Error::Closed)));
}
