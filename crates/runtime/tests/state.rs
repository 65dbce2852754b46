//! Durable state over every store: one table of behaviour, and writers that all arrive.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use runtime::agent::Id;
use runtime::state::{Binding, Bindings, Code, Durable, Error, Kind, Owner, Transferred};
use runtime::topic::Topic;
use serde_json::{Value, json};
use store::memory::Memory;
use store::sqlite::Sqlite;
use store::{Clock, Space, Store};
use testkit::state::{CASES, bindings};
use testkit::{FakeClock, Fault, FaultyStore};

/// One agent, topic and task, with the bindings of the tables.
struct Caller {
    durable: Durable,
    bindings: Bindings,
    agent: Id,
    topic: Topic,
    task: String,
}

impl Caller {
    fn new(store: &Arc<dyn Store>, clock: &Arc<FakeClock>) -> Self {
        let declared = bindings();
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let binding = |it: &Value| Binding {
            name: text(&it["name"]).unwrap(),
            key_prefix: text(&it["key_prefix"]).unwrap(),
            kind: Kind::parse(it["scope_kind"].as_str().unwrap()).unwrap(),
            scope_id: text(&it["scope_id"]),
        };
        Self {
            durable: Durable::new(Arc::clone(store), clock.clone()),
            bindings: Bindings(declared.as_array().unwrap().iter().map(binding).collect()),
            agent: Id::parse("default").unwrap(),
            topic: Topic::main(),
            task: "t1".into(),
        }
    }

    async fn try_call(&self, verb: &str, arguments: Value) -> Result<Value, Error> {
        let owner = Owner { agent: &self.agent, topic: &self.topic, task: &self.task };
        let answer = self.durable.answer(verb, &arguments.to_string(), &self.bindings, owner).await?;
        Ok(serde_json::from_str(answer.get()).unwrap())
    }

    async fn call(&self, verb: &str, arguments: Value) -> Value {
        let shown = arguments.to_string();
        self.try_call(verb, arguments).await.unwrap_or_else(|error| panic!("{verb} {shown}: {error}"))
    }

    async fn fails(&self, verb: &str, arguments: Value) -> Code {
        self.try_call(verb, arguments).await.unwrap_err().code
    }

    async fn value(&self, kind: &str, key: &str) -> Value {
        self.call("get", json!({"scope_kind": kind, "key": key})).await["value"].clone()
    }
}

/// Runs a test over each backend.
async fn over_every_store<T: Future<Output = ()>>(test: impl Fn(Arc<dyn Store>, Arc<FakeClock>) -> T) {
    let clock = Arc::new(FakeClock::default());
    test(Arc::new(Memory::new(clock.clone())), clock).await;
    let (clock, dir) = (Arc::new(FakeClock::default()), tempfile::tempdir().unwrap());
    test(Arc::new(Sqlite::open(dir.path().join("s.db"), clock.clone()).unwrap()), clock).await;
}

fn at(key: &str) -> Value {
    json!({"scope_kind": "profile", "key": key})
}

fn with(mut base: Value, more: Value) -> Value {
    base.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    base
}

#[tokio::test]
async fn the_tables_hold() {
    for case in CASES {
        over_every_store(|store, clock| async move {
            let it = Caller::new(&store, &clock);
            let call = async |verb: &str, arguments: Value| {
                let answer = it.try_call(verb, arguments).await;
                answer.map_err(|error| (error.code.as_str().to_owned(), error.message))
            };
            case.run(&clock, call).await;
        })
        .await;
    }
}

/// Scripts write no such numbers, but people do.
#[tokio::test]
async fn a_number_that_a_script_would_round_is_refused_until_it_is_a_text() {
    over_every_store(|store, clock| async move {
        let it = Caller::new(&store, &clock);
        let fine = json!({"n": 1_u64 << 60, "text": "9007199254740993"});
        let rounded = json!({"n": 9_007_199_254_740_993_u64, "m": 1});
        let entries = [("k.fine", &fine), ("k.rounded", &rounded)].map(|(key, value)| Transferred {
            space: Space::new("state/profile/default"),
            key: key.to_owned(),
            value: value.clone(),
            expires_at: None,
        });
        assert_eq!(it.durable.import(&entries).await, Ok(2));
        assert_eq!(it.value("profile", "k.fine").await, fine);
        let list = json!({"scope_kind": "profile", "key_prefix": "k."});
        for (verb, arguments) in [
            ("get", at("k.rounded")),
            ("list", list.clone()),
            ("patch", with(at("k.rounded"), json!({"patch": {"m": 2}}))),
        ] {
            let refused = it.try_call(verb, arguments).await.unwrap_err();
            assert_eq!((refused.code, refused.retryable), (Code::TypeMismatch, false), "{verb}");
            let place = "k.rounded: value.n: more digits than a script keeps, which a text could keep: ";
            assert_eq!(refused.message, format!("{place}9007199254740993"), "{verb}");
        }
        let kept = it.durable.get(&entries[1].space, "k.rounded").await.unwrap().unwrap();
        assert_eq!(kept.value.get(), rounded.to_string(), "a patch that is refused changes nothing");
        it.call("patch", with(at("k.rounded"), json!({"patch": {"n": "9007199254740993"}}))).await;
        assert_eq!(it.value("profile", "k.rounded").await, json!({"n": "9007199254740993", "m": 1}));
        assert_eq!(it.call("list", list).await["entries"].as_array().unwrap().len(), 2);
    })
    .await;
}

#[tokio::test]
async fn a_page_stays_below_eight_mebibytes() {
    over_every_store(|store, clock| async move {
        let it = Caller::new(&store, &clock);
        let large = "x".repeat((4 << 20) - 2);
        for n in 0..3 {
            it.call("put", with(at(&format!("k.{n}")), json!({"value": large}))).await;
        }
        let page = it.call("list", json!({"scope_kind": "profile", "key_prefix": "k."})).await;
        assert!(page.to_string().len() <= 8 << 20);
        assert_eq!(page["entries"].as_array().unwrap().len(), 1);
        assert!(page["next_cursor"].is_string());
    })
    .await;
}

/// Keys that double in size when they are written as JSON, around values that fill a page.
#[tokio::test]
async fn a_page_of_the_worst_keys_stays_below_eight_mebibytes() {
    over_every_store(|store, clock| async move {
        let it = Caller::new(&store, &clock);
        let (quotes, value) = ("\"".repeat(506), "x".repeat(7_700));
        let entries = (0..1_000).map(|n| Transferred {
            space: Space::new("state/profile/default"),
            key: format!("k.{n:04}{quotes}"),
            value: Value::from(value.as_str()),
            expires_at: Some(clock.now().saturating_add(Duration::from_secs(60))),
        });
        assert_eq!(it.durable.import(&entries.collect::<Vec<_>>()).await, Ok(1_000));
        let (mut seen, mut cursor) = (0, Value::Null);
        while seen < 1_000 {
            let page = it
                .call(
                    "list",
                    json!({"scope_kind": "profile", "key_prefix": "k.", "limit": 1_000, "cursor": cursor}),
                )
                .await;
            let bytes = page.to_string().len();
            assert!(bytes <= 8 << 20, "{bytes} bytes");
            seen += page["entries"].as_array().unwrap().len();
            cursor = page["next_cursor"].clone();
        }
        assert_eq!((seen, cursor), (1_000, Value::Null));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_cursor_skips_and_repeats_nothing_while_others_write() {
    over_every_store(|store, clock| async move {
        let it = Arc::new(Caller::new(&store, &clock));
        // The even keys stay; the odd ones come and go meanwhile.
        for n in (0..200).step_by(2) {
            it.call("put", with(at(&format!("k.{n:03}")), json!({"value": n}))).await;
        }
        let stop = Arc::new(AtomicBool::new(false));
        let others: Vec<_> = (0..3_usize)
            .map(|writer| {
                let (it, stop) = (Arc::clone(&it), Arc::clone(&stop));
                tokio::spawn(async move {
                    let mut n = 2 * writer + 1;
                    while !stop.load(Ordering::Relaxed) {
                        it.call("put", with(at(&format!("k.{n:03}")), json!({"value": n}))).await;
                        it.call("put", with(at(&format!("k.{:03}", n - 1)), json!({"value": n - 1}))).await;
                        it.call("delete", at(&format!("k.{n:03}"))).await;
                        n = ((n + 6) % 198) | 1;
                    }
                })
            })
            .collect();
        for limit in [1, 7, 30] {
            let (mut keys, mut cursor) = (Vec::new(), Value::Null);
            loop {
                let arguments =
                    json!({"scope_kind": "profile", "key_prefix": "k.", "limit": limit, "cursor": cursor});
                let page = it.call("list", arguments).await;
                let entries = page["entries"].as_array().unwrap();
                keys.extend(entries.iter().map(|entry| entry["key"].as_str().unwrap().to_owned()));
                match page.get("next_cursor") {
                    Some(next) => cursor = next.clone(),
                    None => break,
                }
            }
            assert!(keys.windows(2).all(|pair| pair[0] < pair[1]), "limit {limit}: {keys:?}");
            let stayed = keys.iter().filter(|key| key[2..].parse::<usize>().unwrap() % 2 == 0).count();
            assert_eq!(stayed, 100, "limit {limit}: {keys:?}");
        }
        stop.store(true, Ordering::Relaxed);
        for other in others {
            other.await.unwrap();
        }
    })
    .await;
}

#[tokio::test]
async fn a_store_that_fails_is_not_available() {
    let clock = Arc::new(FakeClock::default());
    let faulty = Arc::new(FaultyStore::new(Arc::new(Memory::new(clock.clone()))));
    let it = Caller::new(&(faulty.clone() as Arc<dyn Store>), &clock);
    it.call("put", with(at("k.a"), json!({"value": 1}))).await;
    faulty.set_fault(Fault::Full);
    for (verb, field) in [("put", json!({"value": 2})), ("append", json!({"item": 2})), ("delete", json!({}))]
    {
        let key = if verb == "append" { "k.list" } else { "k.a" };
        let error = it.try_call(verb, with(at(key), field)).await.unwrap_err();
        assert_eq!((error.code, error.retryable), (Code::Unavailable, true), "{verb}");
        assert!(error.message.contains("no room left to write string.db"), "{verb}: {error}");
    }
    assert_eq!(it.value("profile", "k.a").await, 1, "reads go on");
    faulty.set_fault(Fault::None);
    it.call("put", with(at("k.a"), json!({"value": 2}))).await;
    // What is there but is no JSON will not get better.
    let write = store::AtomicWrite::new();
    let space = Space::new("state/profile/default");
    let _ = faulty.commit(write.put(&space, &store::Key::new("k.bad"), "{", None)).await.unwrap();
    let error = it.try_call("get", at("k.bad")).await.unwrap_err();
    assert_eq!((error.code, error.retryable), (Code::Unavailable, false));
}

#[tokio::test]
async fn an_agent_that_goes_takes_its_state_along() {
    over_every_store(|store, clock| async move {
        let one = Caller::new(&store, &clock);
        let other = Caller { agent: Id::parse("default2").unwrap(), ..Caller::new(&store, &clock) };
        for it in [&one, &other] {
            for kind in ["profile", "session", "task", "shared"] {
                it.call("put", json!({"scope_kind": kind, "key": "k.x", "value": kind})).await;
            }
        }
        one.durable.forget(&one.agent).await.unwrap();
        let left = store.spaces("state/", None, 10).await.unwrap();
        let left: Vec<&str> = left.iter().map(Space::as_str).collect();
        assert_eq!(
            left,
            [
                "state/profile/default2",
                "state/session/default2/main",
                "state/shared/service",
                "state/task/default2/t1"
            ]
        );
    })
    .await;
}

#[tokio::test]
async fn scopes_do_not_mix() {
    over_every_store(|store, clock| async move {
        let one = Caller::new(&store, &clock);
        for kind in ["profile", "session", "task", "shared"] {
            one.call("put", json!({"scope_kind": kind, "key": "k.x", "value": kind})).await;
        }
        let seen = async |it: &Caller| {
            let mut seen = Vec::new();
            for kind in ["profile", "session", "task", "shared"] {
                if !it.value(kind, "k.x").await.is_null() {
                    seen.push(kind);
                }
            }
            seen
        };
        assert_eq!(seen(&one).await, ["profile", "session", "task", "shared"]);
        let topic = Caller { topic: Topic::parse("other").unwrap(), ..Caller::new(&store, &clock) };
        assert_eq!(seen(&topic).await, ["profile", "task", "shared"]);
        let task = Caller { task: "t2".into(), ..Caller::new(&store, &clock) };
        assert_eq!(seen(&task).await, ["profile", "session", "shared"]);
        let agent = Caller { agent: Id::parse("other").unwrap(), ..Caller::new(&store, &clock) };
        assert_eq!(seen(&agent).await, ["shared"]);
        let mut elsewhere = Caller::new(&store, &clock);
        elsewhere.bindings.0[3].scope_id = Some("billing".into());
        assert_eq!(seen(&elsewhere).await, ["profile", "session", "task"]);
        elsewhere.bindings.0.remove(0);
        assert_eq!(elsewhere.fails("get", at("k.x")).await, Code::BindingDenied);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_thousand_appends_at_once_all_survive() {
    over_every_store(|store, clock| async move {
        let appends = (0..1_000).map(|n| {
            let it = Caller {
                agent: Id::parse(&format!("agent{}", n % 3)).unwrap(),
                topic: Topic::parse(&format!("t{}", n % 7)).unwrap(),
                task: format!("task-{n}"),
                ..Caller::new(&store, &clock)
            };
            tokio::spawn(async move {
                let item = json!({"scope_kind": "shared", "key": "k.all", "item": n});
                let answer = it.call("append", item).await;
                assert_eq!(answer["entry"]["value"].as_array().unwrap().last(), Some(&json!(n)));
                (answer["ok"].clone(), answer["entry"]["revision"].clone())
            })
        });
        let mut revisions = HashSet::new();
        for append in appends.collect::<Vec<_>>() {
            let (ok, revision) = append.await.unwrap();
            assert_eq!(ok, true);
            assert!(revisions.insert(revision.to_string()), "{revision} was given twice");
        }
        let all = Caller::new(&store, &clock).value("shared", "k.all").await;
        let mut all: Vec<u64> = all.as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect();
        all.sort_unstable();
        assert_eq!(all, (0..1_000).collect::<Vec<_>>());
    })
    .await;
}

/// Appends, patches and conditional writes of one key, and every one that was answered with success has its effect.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn writers_of_every_kind_do_not_lose_each_other() {
    over_every_store(|store, clock| async move {
        let it = Arc::new(Caller::new(&store, &clock));
        let patches = (0..100).map(|n| {
            let it = Arc::clone(&it);
            tokio::spawn(async move {
                it.call("patch", with(at("k.p"), json!({"patch": {format!("f{n}"): n}}))).await;
            })
        });
        let counts = (0..20).map(|_| {
            let it = Arc::clone(&it);
            tokio::spawn(async move {
                for _ in 0..5 {
                    loop {
                        let before = it.call("get", at("k.n")).await;
                        let revision = before.get("revision").cloned().unwrap_or(Value::Null);
                        let next = before["value"].as_u64().unwrap_or(0) + 1;
                        let put = with(at("k.n"), json!({"value": next, "if_revision": revision}));
                        if it.call("put", put).await["ok"] == true {
                            break;
                        }
                    }
                }
            })
        });
        for writer in patches.chain(counts).collect::<Vec<_>>() {
            writer.await.unwrap();
        }
        assert_eq!(it.value("profile", "k.n").await, 100);
        assert_eq!(it.value("profile", "k.p").await.as_object().unwrap().len(), 100);
    })
    .await;
}
