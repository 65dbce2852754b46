//! Random histories: every backend answers like a plain map with a clock.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use proptest::collection::vec;
use proptest::prelude::*;
use store::memory::Memory;
use store::sqlite::Sqlite;
use store::{AtomicWrite, Entry, Expect, Key, KeyRange, Limit, Space, Store, Timestamp, Version};
use support::{FakeClock, commit};

const SPACES: [&str; 3] = ["a", "a/b", "b"];
const KEYS: [&str; 5] = ["", "k", "k/1", "k/2", "l"];

/// A space and a key, by number.
type Slot = (usize, usize);

#[derive(Clone, Debug)]
enum Step {
    Commit { checks: Vec<(Slot, Guess)>, changes: Vec<(Slot, Change)> },
    Scan { space: usize, prefix: usize, after: Option<usize>, limit: usize, bytes: usize },
    DropSpace(usize),
    Sweep,
    Advance(i64),
    Reopen,
}

/// What a check expects, relative to what is there.
#[derive(Clone, Copy, Debug)]
enum Guess {
    Absent,
    Right,
    Outdated,
}

#[derive(Clone, Debug)]
enum Change {
    Put { size: usize, expires_in: Option<i64> },
    Delete,
}

fn slot() -> impl Strategy<Value = Slot> {
    (0..SPACES.len(), 0..KEYS.len())
}

fn step() -> impl Strategy<Value = Step> {
    let guess =
        prop_oneof![Just(Guess::Absent), Just(Guess::Right), Just(Guess::Right), Just(Guess::Outdated)];
    let size = prop_oneof![Just(0_usize), 1..40_usize, Just(895), Just(905), Just(9_000)];
    let put = (size, proptest::option::of(-2..20_i64))
        .prop_map(|(size, expires_in)| Change::Put { size, expires_in });
    let change = prop_oneof![3 => put, 1 => Just(Change::Delete)];
    let commit = (vec((slot(), guess), 0..3), vec((slot(), change), 0..4));
    let scan =
        (0..SPACES.len(), 0..KEYS.len(), proptest::option::of(0..KEYS.len()), 0..7_usize, 0..20_000_usize);
    prop_oneof![
        10 => commit.prop_map(|(checks, changes)| Step::Commit { checks, changes }),
        4 => scan.prop_map(|(space, prefix, after, limit, bytes)| Step::Scan { space, prefix, after, limit, bytes }),
        1 => (0..SPACES.len()).prop_map(Step::DropSpace),
        1 => Just(Step::Sweep),
        4 => (1..10_i64).prop_map(Step::Advance),
        1 => Just(Step::Reopen),
    ]
}

/// What the store should hold; expired entries stay until they are swept or replaced.
#[derive(Default)]
struct Model {
    entries: BTreeMap<(Space, Key), Entry>,
    last_version: Option<Version>,
}

impl Model {
    fn live(&self, now: Timestamp) -> impl Iterator<Item = (&Space, &Entry)> {
        let is_live = move |entry: &Entry| entry.expires_at.is_none_or(|at| at > now);
        self.entries.iter().filter(move |(_, entry)| is_live(entry)).map(|((space, _), entry)| (space, entry))
    }

    fn get(&self, space: &Space, key: &Key, now: Timestamp) -> Option<Entry> {
        self.live(now)
            .find(|(found, entry)| *found == space && entry.key == *key)
            .map(|(_, entry)| entry.clone())
    }

    fn page(
        &self,
        space: &Space,
        prefix: &str,
        after: Option<&str>,
        limit: Limit,
        now: Timestamp,
    ) -> (Vec<Entry>, bool) {
        let entries = self.live(now).filter(|(found, _)| *found == space).map(|(_, entry)| entry);
        let inside = entries.filter(|entry| entry.key.as_bytes().starts_with(prefix.as_bytes()));
        let mut rest = inside
            .filter(|entry| after.is_none_or(|after| entry.key.as_bytes() > after.as_bytes()))
            .peekable();
        let (mut page, mut bytes) = (Vec::new(), 0);
        while let Some(entry) = rest.peek() {
            bytes += entry.key.as_bytes().len() + entry.value.len();
            if page.len() >= limit.entries || (bytes > limit.bytes && !page.is_empty()) {
                break;
            }
            page.extend(rest.next().cloned());
        }
        (page, rest.peek().is_some())
    }
}

fn space(n: usize) -> Space {
    Space::new(SPACES[n])
}

fn key(n: usize) -> Key {
    Key::new(KEYS[n])
}

/// Takes one step in the store and in the model, and compares.
async fn take(store: &dyn Store, model: &mut Model, clock: &FakeClock, step: &Step) {
    let now = clock.later(0);
    match step {
        Step::Commit { checks, changes } => {
            let (mut write, mut conflict) = (AtomicWrite::new(), None);
            for &((s, k), guess) in checks {
                let found = model.get(&space(s), &key(k), now).map(|entry| entry.version);
                let expect = match guess {
                    Guess::Absent => Expect::Absent,
                    Guess::Right => Expect::unchanged(found),
                    Guess::Outdated => Expect::Version(Version::from_number(0)),
                };
                write = write.check(&space(s), &key(k), expect);
                if conflict.is_none() && expect != Expect::unchanged(found) {
                    conflict = Some((write.checks.last().unwrap().clone(), found));
                }
            }
            for ((s, k), change) in changes {
                write = match change {
                    Change::Put { size, expires_in } => {
                        let expires_at = expires_in.map(|millis| clock.later(millis));
                        write.put(
                            &space(*s),
                            &key(*k),
                            vec![u8::try_from(size % 251).unwrap(); *size],
                            expires_at,
                        )
                    }
                    Change::Delete => write.delete(&space(*s), &key(*k)),
                };
            }
            let outcome = commit(store, write.clone()).await;
            assert_eq!(outcome.clone().err().map(|found| (found.check, found.found)), conflict);
            if let Ok(version) = outcome {
                assert!(Some(version) > model.last_version);
                model.last_version = Some(version);
                for change in write.changes {
                    match change {
                        store::Change::Put { space, key, value, expires_at } => {
                            let entry = Entry { key: key.clone(), value, version, expires_at };
                            model.entries.insert((space, key), entry);
                        }
                        store::Change::Delete { space, key } => drop(model.entries.remove(&(space, key))),
                    }
                }
            }
        }
        &Step::Scan { space: s, prefix, after, limit, bytes } => {
            let (prefix, after, limit) =
                (KEYS[prefix], after.map(|n| KEYS[n]), Limit::entries(limit).bytes(bytes));
            let range = KeyRange::prefix(prefix);
            let range = after.map_or(range.clone(), |after| range.after(Key::new(after)));
            let page = store.scan(&space(s), &range, limit).await.unwrap();
            assert_eq!((page.entries, page.has_more), model.page(&space(s), prefix, after, limit, now));
        }
        Step::DropSpace(s) => {
            store.drop_space(&space(*s)).await.unwrap();
            model.entries.retain(|(found, _), _| *found != space(*s));
        }
        Step::Sweep => {
            let before = model.entries.len();
            model.entries.retain(|_, entry| entry.expires_at.is_none_or(|at| at > now));
            assert_eq!(store.sweep(usize::MAX).await.unwrap(), before - model.entries.len());
        }
        Step::Advance(millis) => clock.advance(*millis),
        Step::Reopen => {}
    }
}

/// Reads everything in every way.
async fn compare(store: &dyn Store, model: &Model, clock: &FakeClock) {
    let now = clock.later(0);
    let mut names: Vec<Space> = model.live(now).map(|(space, _)| space.clone()).collect();
    names.dedup();
    assert_eq!(store.spaces("", None, usize::MAX).await.unwrap(), names);
    for s in 0..SPACES.len() {
        for k in 0..KEYS.len() {
            assert_eq!(store.get(&space(s), &key(k)).await.unwrap(), model.get(&space(s), &key(k), now));
        }
    }
    assert_eq!(store.check_integrity().await.unwrap(), Vec::<String>::new());
}

fn run(future: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future);
}

fn open(path: &Path, clock: &Arc<FakeClock>) -> Sqlite {
    Sqlite::open(path, Arc::clone(clock) as Arc<dyn store::Clock>).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn memory_answers_like_the_model(steps in vec(step(), 1..80)) {
        run(async {
            let (clock, mut model) = (FakeClock::new(), Model::default());
            let store = Memory::new(Arc::clone(&clock) as Arc<dyn store::Clock>);
            for step in &steps {
                take(&store, &mut model, &clock, step).await;
                compare(&store, &model, &clock).await;
            }
        });
    }

    #[test]
    fn sqlite_answers_like_the_model(steps in vec(step(), 1..80)) {
        run(async {
            let (clock, mut model, folder) = (FakeClock::new(), Model::default(), tempfile::tempdir().unwrap());
            let path = folder.path().join("store.db");
            let mut store = open(&path, &clock);
            for step in &steps {
                if matches!(step, Step::Reopen) {
                    drop(store);
                    store = open(&path, &clock);
                }
                take(&store, &mut model, &clock, step).await;
            }
            compare(&store, &model, &clock).await;
        });
    }
}
