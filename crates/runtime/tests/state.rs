//! Durable state over every store: one table of behaviour, and writers that all arrive.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::Arc;
use std::time::Duration;

use runtime::agent::Id;
use runtime::state::{Binding, Bindings, Code, Durable, Error, Kind, Owner};
use runtime::topic::Topic;
use serde_json::{Value, json};
use store::Store;
use store::memory::Memory;
use store::sqlite::Sqlite;
use testkit::FakeClock;

/// One agent, topic and task, with a binding of each kind for the keys that begin with `k.`.
struct Caller {
    durable: Durable,
    bindings: Bindings,
    agent: Id,
    topic: Topic,
    task: String,
}

impl Caller {
    fn new(store: &Arc<dyn Store>, clock: &Arc<FakeClock>) -> Self {
        let binding = |kind: Kind| Binding {
            name: kind.as_str().into(),
            key_prefix: "k.".into(),
            kind,
            scope_id: (kind == Kind::Shared).then(|| "service".into()),
        };
        Self {
            durable: Durable::new(Arc::clone(store), clock.clone()),
            bindings: Bindings(Kind::ALL.map(binding).to_vec()),
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
async fn conditions_are_answers() {
    over_every_store(|store, clock| async move {
        let it = Caller::new(&store, &clock);
        let key = at("k.a");
        assert_eq!(it.call("get", key.clone()).await, Value::Null);
        let first = it.call("put", with(key.clone(), json!({"value": 1, "if_revision": null}))).await;
        let revision = first["entry"]["revision"].clone();
        assert_eq!(first, json!({"ok": true, "entry": {"key": "k.a", "value": 1, "revision": revision}}));
        let conflict = json!({"ok": false, "conflict_revision": revision});
        for (verb, field) in [
            ("put", json!({"value": 2})),
            ("patch", json!({"patch": {}})),
            ("append", json!({"item": 1})),
            ("delete", json!({})),
        ] {
            for condition in [json!(null), json!("r0"), json!("nope")] {
                let arguments = with(with(key.clone(), field.clone()), json!({"if_revision": condition}));
                assert_eq!(it.call(verb, arguments).await, conflict, "{verb} {condition}");
            }
            let missing = with(with(at("k.none"), field.clone()), json!({"if_revision": revision}));
            assert_eq!(it.call(verb, missing).await, json!({"ok": false}), "{verb}");
        }
        assert_eq!(
            it.call("delete", with(at("k.none"), json!({"if_revision": null}))).await,
            json!({"ok": false})
        );
        assert_eq!(it.call("delete", at("k.none")).await, json!({"ok": false}));
        let second = it.call("put", with(key.clone(), json!({"value": 2, "if_revision": revision}))).await;
        let newer = second["entry"]["revision"].clone();
        assert_ne!(newer, revision);
        assert_eq!(
            it.call("delete", with(key.clone(), json!({"if_revision": newer}))).await,
            json!({"ok": true})
        );
        let third = it.call("put", with(key, json!({"value": 2}))).await["entry"]["revision"].clone();
        assert!(third != newer && third != revision, "a revision came back");
    })
    .await;
}

#[tokio::test]
async fn patches_merge_and_appends_grow() {
    over_every_store(|store, clock| async move {
        let it = Caller::new(&store, &clock);
        let patched =
            it.call("patch", with(at("k.p"), json!({"patch": {"a": {"b": 1, "c": null}, "d": null}}))).await;
        assert_eq!(patched["entry"]["value"], json!({"a": {"b": 1}}));
        it.call("put", with(at("k.p"), json!({"value": "text"}))).await;
        let patched = it.call("patch", with(at("k.p"), json!({"patch": {"a": 1}}))).await;
        assert_eq!(patched["entry"]["value"], json!({"a": 1}));
        let appended = it.call("append", with(at("k.l"), json!({"item": null, "if_revision": null}))).await;
        assert_eq!(appended["entry"]["value"], json!([null]));
        let revision = appended["entry"]["revision"].clone();
        let appended =
            it.call("append", with(at("k.l"), json!({"item": [2], "if_revision": revision}))).await;
        assert_eq!(appended["entry"]["value"], json!([null, [2]]));
        // The condition comes first, then the type.
        assert_eq!(it.fails("append", with(at("k.p"), json!({"item": 1}))).await, Code::TypeMismatch);
        let conflict = it.call("append", with(at("k.p"), json!({"item": 1, "if_revision": null}))).await;
        assert_eq!(conflict["ok"], false);
        assert_eq!(it.value("profile", "k.p").await, json!({"a": 1}));
    })
    .await;
}

#[tokio::test]
async fn entries_expire_for_every_verb() {
    over_every_store(|store, clock| async move {
        let it = Caller::new(&store, &clock);
        let key = at("k.t");
        let put = it.call("put", with(key.clone(), json!({"value": [1], "ttl_seconds": 10}))).await;
        assert_eq!(put["entry"]["expires_at"], "2024-01-02T03:04:15.678Z");
        clock.advance(Duration::from_secs(4));
        // A change keeps the expiry there is, or sets its own.
        let kept = it.call("append", with(key.clone(), json!({"item": 2}))).await;
        assert_eq!(kept["entry"]["expires_at"], "2024-01-02T03:04:15.678Z");
        let later = it.call("append", with(key.clone(), json!({"item": 3, "ttl_seconds": 10}))).await;
        assert_eq!(later["entry"]["expires_at"], "2024-01-02T03:04:19.678Z");
        let old = later["entry"]["revision"].clone();
        clock.advance(Duration::from_millis(9_999));
        assert_eq!(it.value("profile", "k.t").await, json!([1, 2, 3]));
        clock.advance(Duration::from_millis(1));
        assert_eq!(it.call("get", key.clone()).await, Value::Null);
        assert_eq!(
            it.call("list", json!({"scope_kind": "profile", "key_prefix": "k."})).await,
            json!({"entries": []})
        );
        assert_eq!(it.call("delete", key.clone()).await, json!({"ok": false}));
        assert_eq!(
            it.call("put", with(key.clone(), json!({"value": 0, "if_revision": old}))).await,
            json!({"ok": false})
        );
        let fresh = it.call("append", with(key.clone(), json!({"item": 9, "if_revision": null}))).await;
        assert_eq!(fresh["entry"]["value"], json!([9]));
        assert_eq!(fresh["entry"].get("expires_at"), None);
        // A put without a time to live has none, whatever was there.
        it.call("put", with(key.clone(), json!({"value": 1, "ttl_seconds": 5}))).await;
        assert_eq!(it.call("put", with(key, json!({"value": 2}))).await["entry"].get("expires_at"), None);
        it.call("put", with(at("k.u"), json!({"value": 1, "ttl_seconds": 1}))).await;
        clock.advance(Duration::from_secs(1));
        assert_eq!(store.sweep(100).await.unwrap(), 1);
    })
    .await;
}

#[tokio::test]
async fn lists_come_in_byte_order_and_pages_join_exactly() {
    over_every_store(|store, clock| async move {
        let it = Caller::new(&store, &clock);
        for key in ["b", "A", "a", "B", "é", "aa", "~"] {
            it.call("put", with(at(&format!("k.{key}")), json!({"value": key}))).await;
        }
        for limit in [1, 2, 3, 100] {
            let (mut keys, mut cursor) = (Vec::new(), Value::Null);
            loop {
                let page = it.call("list", json!({"scope_kind": "profile", "key_prefix": "k.", "limit": limit, "cursor": cursor})).await;
                keys.extend(page["entries"].as_array().unwrap().iter().map(|entry| entry["value"].clone()));
                // What others write behind the cursor is not seen again, what they write before it is.
                it.call("put", with(at("k.0"), json!({"value": "0"}))).await;
                it.call("delete", at("k.0")).await;
                match page.get("next_cursor") {
                    Some(next) => cursor = next.clone(),
                    None => break,
                }
            }
            assert_eq!(keys, ["A", "B", "a", "aa", "b", "~", "é"], "limit {limit}");
        }
        let other = it.call("list", json!({"scope_kind": "profile", "key_prefix": "k.a", "limit": 1})).await;
        let cursor = other["next_cursor"].clone();
        assert_eq!(it.fails("list", json!({"scope_kind": "profile", "key_prefix": "k.b", "cursor": cursor})).await, Code::InvalidArgument);
        assert_eq!(it.fails("list", json!({"scope_kind": "profile", "key_prefix": "k.", "cursor": "%"})).await, Code::InvalidArgument);
        assert_eq!(it.fails("list", json!({"scope_kind": "profile", "key_prefix": "k"})).await, Code::BindingDenied);
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
        assert_eq!(
            it.fails("put", with(at("k.x"), json!({"value": format!("{large}x")}))).await,
            Code::LimitExceeded
        );
        let page = it.call("list", json!({"scope_kind": "profile", "key_prefix": "k."})).await;
        assert!(page.to_string().len() <= 8 << 20);
        assert_eq!(page["entries"].as_array().unwrap().len(), 1);
        assert!(page["next_cursor"].is_string());
        it.call("put", with(at("k.l"), json!({"value": ["x".repeat(4 << 19)]}))).await;
        let half = "y".repeat((4 << 19) - 16);
        it.call("append", with(at("k.l"), json!({"item": half}))).await;
        assert_eq!(
            it.fails("append", with(at("k.l"), json!({"item": "a longer text"}))).await,
            Code::LimitExceeded
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
                topic: Topic::parse(&format!("t{}", n % 7)).unwrap(),
                ..Caller::new(&store, &clock)
            };
            tokio::spawn(async move {
                let item = json!({"scope_kind": "shared", "key": "k.all", "item": n});
                it.call("append", item).await["ok"].clone()
            })
        });
        for append in appends.collect::<Vec<_>>() {
            assert_eq!(append.await.unwrap(), true);
        }
        let all = Caller::new(&store, &clock).value("shared", "k.all").await;
        let mut all: Vec<u64> = all.as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect();
        all.sort_unstable();
        assert_eq!(all, (0..1_000).collect::<Vec<_>>());
    })
    .await;
}
