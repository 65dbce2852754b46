//! `string system state`: what people and agents see of durable state, and how they change it.

use std::time::Duration;

use runtime::Origin;
use runtime::agent::Id;
use runtime::topic::Topic;
use serde_json::{Value, json};
use testkit::{Backend, Fault, World};

async fn json(world: &World, command: &str) -> Value {
    serde_json::from_str(&world.ok("system", &format!("/state {command} --json")).await).unwrap()
}

#[tokio::test]
async fn state_is_browsed_as_text_and_as_json() {
    let world = World::new().await;
    assert_eq!(world.ok("system", "/state ls").await, "Durable state\n---\nNothing is kept.");
    assert_eq!(json(&world, "ls").await, json!([]));
    for (scope, key) in
        [("session:main", "s"), ("task:job-1", "t"), ("shared:service", "h"), ("profile", "p")]
    {
        world.ok("system", &format!("/state put {scope} {key} '{{\"of\": \"{scope}\"}}'")).await;
    }
    let scopes = ["profile", "session:main", "task:job-1", "shared:service"];
    assert_eq!(json(&world, "ls").await, json!(scopes.map(|scope| json!({ "scope": scope }))));
    assert_eq!(
        json(&world, "ls task:job-1").await,
        json!({"scope": "task:job-1", "entries": [{"scope": "task:job-1", "key": "t", "value": {"of": "task:job-1"}, "revision": "r2"}]})
    );
    assert_eq!(json(&world, "get profile p").await["value"], json!({"of": "profile"}));
    let shown = world.ok("system", "/state get profile p").await;
    assert_eq!(shown, "p  r4\n---\n{\n  \"of\": \"profile\"\n}");
    assert_eq!(json(&world, "rm profile p").await, json!({"scope": "profile", "key": "p", "ok": true}));
    assert_eq!(world.ok("system", "/state ls profile").await, "State: profile\n---\nNo entries.");
}

#[tokio::test]
async fn long_lists_come_in_pages() {
    let world = World::new().await;
    for n in 0..5 {
        world.ok("system", &format!("/state put profile k.{n} {n} --ttl 60")).await;
    }
    let first = json(&world, "ls profile k. --limit 3").await;
    let cursor = first["next_cursor"].as_str().unwrap();
    let keys = |page: &Value| {
        page["entries"].as_array().unwrap().iter().map(|e| e["key"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(keys(&first), ["k.0", "k.1", "k.2"]);
    let rest = json(&world, &format!("ls profile k. --cursor {cursor}")).await;
    assert_eq!(keys(&rest), ["k.3", "k.4"]);
    assert_eq!(rest.get("next_cursor"), None);
    let text = world.ok("system", "/state ls profile k. --limit 1").await;
    assert_eq!(
        text,
        "State: profile\n---\nk.0  r1  expires 2024-01-02T03:05:05.678Z  0\n\nMore: --cursor ay4w"
    );
    world.clock.advance(Duration::from_secs(60));
    assert_eq!(world.ok("system", "/state ls profile").await, "State: profile\n---\nNo entries.");
}

#[tokio::test]
async fn what_is_wrong_is_said_and_nothing_is_changed() {
    let world = World::new().await;
    for (command, code, part) in [
        ("put profile k", "INVALID_PARAMS", "The value is missing"),
        ("put profile k {a}", "INVALID_PARAMS", "A text needs its quotes"),
        ("put profile k 1 --ttl 0", "INVALID_PARAMS", "--ttl is an integer from 1 to 315360000, not 0"),
        ("put profile k 1 --ttl soon", "INVALID_PARAMS", "--ttl is a number of seconds, not \"soon\""),
        ("put profile k 1 --if-revision ''", "INVALID_PARAMS", "--if-revision is empty"),
        ("put profile k 1 --if-revision r7", "CONFLICT", "There is no entry \"k\" in profile"),
        ("put profile k 1 2", "INVALID_PARAMS", "Too many arguments: \"2\""),
        ("put profile k 1 --tll 5", "INVALID_PARAMS", "--tll"),
        ("put everyone k 1", "INVALID_PARAMS", "A scope is profile, session:TOPIC, task:ID or shared:ID."),
        ("put shared:a/b k 1", "INVALID_PARAMS", "Not a scope: \"shared:a/b\""),
        ("get profile", "INVALID_PARAMS", "KEY is missing"),
        ("get profile k", "NOT_FOUND", "string system state ls profile"),
        ("rm profile k", "NOT_FOUND", "No entry \"k\" in profile"),
        ("ls profile --limit 0", "INVALID_PARAMS", "--limit is 1 to 1000, not \"0\""),
        ("ls profile --cursor %", "INVALID_PARAMS", "cursor"),
        ("ls --limit 5", "INVALID_PARAMS", "--limit and --cursor need a scope"),
        ("get profile k\nmore", "INVALID_PARAMS", "get takes no lines below it"),
        ("drop profile", "INVALID_PARAMS", "Words: ls, get, put, rm, export, import, backup, check"),
        ("import nowhere.jsonl", "NOT_FOUND", "nowhere.jsonl"),
        ("get profile", "INVALID_PARAMS", "Usage: /state get SCOPE KEY"),
        ("put profile k", "INVALID_PARAMS", "Usage: /state put SCOPE KEY JSON [--ttl SECONDS]"),
        ("rm profile a b", "INVALID_PARAMS", "Usage: /state rm SCOPE KEY [--if-revision REVISION]"),
        ("set profile k 1", "INVALID_PARAMS", "Did you mean /state put SCOPE KEY JSON"),
        ("delete profile k", "INVALID_PARAMS", "Did you mean /state rm SCOPE KEY"),
        ("exprot x", "INVALID_PARAMS", "Did you mean /state export FILE"),
        ("get profile -- a b", "INVALID_PARAMS", "Too many arguments: \"b\""),
        (
            "put profile k '[12345678901234567890123]'",
            "INVALID_PARAMS",
            "too many digits, which a text could keep: 12345678901234567890123",
        ),
    ] {
        let error = world.fails("system", &format!("/state {command}"), code).await;
        assert!(error.contains(part), "{command}: {error}");
    }
    let control = world.fails("system", "/state put profile 'a\tb' 1", "INVALID_PARAMS").await;
    assert!(control.contains("control characters"), "{control}");
    assert_eq!(json(&world, "ls").await, json!([]));
    world.store.set_fault(Fault::Full);
    let full = world.fails("system", "/state put profile k 1", "LOAD_ERROR").await;
    assert!(full.contains("no room left to write string.db"), "{full}");
}

#[tokio::test]
async fn help_shows_how_each_word_is_typed() {
    let world = World::new().await;
    let all = world.ok("system", "/state").await;
    assert_eq!(world.ok("system", "/state --help").await, all);
    assert!(all.contains("\nstring system state check\n\nSCOPE is profile"), "{all}");
    let one = world.ok("system", "/state put --help").await;
    let line = "Durable state\n---\nstring system state put SCOPE KEY JSON [--ttl SECONDS]";
    assert!(one.starts_with(line) && !one.contains("state check"), "{one}");
}

#[tokio::test]
async fn a_key_may_begin_with_dashes() {
    let world = World::new().await;
    world.ok("system", "/state put profile -- --limit 5").await;
    assert_eq!(world.ok("system", "/state get profile -- --limit").await, "--limit  r1\n---\n5");
    assert!(world.ok("system", "/state ls profile -- --li").await.contains("--limit"));
    world.ok("system", "/state rm profile -- --limit").await;
    assert_eq!(world.ok("system", "/state ls profile").await, "State: profile\n---\nNo entries.");
}

#[tokio::test]
async fn an_export_is_read_by_its_owner_alone_and_no_number_changes_on_the_way_back() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = World::new().await;
    world.ok("system", "/state put profile k 1").await;
    world.ok("system", "/state export out.jsonl").await;
    let mode = std::fs::metadata(world.home.path().join("out.jsonl")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let line = r#"{"scope":"profile","key":"bn","value":12345678901234567890123}"#;
    world.home.write("in.jsonl", line);
    let error = world.fails("system", "/state import in.jsonl", "INVALID_PARAMS").await;
    assert!(error.contains("Line 1: \"bn\" holds a number with too many digits"), "{error}");
}

#[tokio::test]
async fn an_export_replaces_nothing() {
    let world = World::new().await;
    world.home.write("mine.jsonl", "mine");
    let error = world.fails("system", "/state export ~/mine.jsonl", "CONFLICT").await;
    assert_eq!(
        error,
        "ERROR(CONFLICT): ~/mine.jsonl exists already.\n  An export is a new file. Name another one, or remove that one first."
    );
    assert_eq!(world.home.read("mine.jsonl"), "mine");
}

#[tokio::test]
async fn a_task_says_that_it_has_more_state_than_it_shows() {
    let world = World::new().await;
    for n in 0..=1_000 {
        world.ok("system", &format!("/state put task:job-1 k.{n:04} {n}")).await;
        if n == 99 {
            assert!(world.ok("tool", "/task job-1").await.ends_with("k.0099 = 99"));
        }
    }
    let shown = world.ok("tool", "/task job-1").await;
    assert!(shown.ends_with("k.0099 = 99\n… more: string system state ls task:job-1"), "{shown}");
    // A reply keeps both ends.
    let json = world.ok("tool", "/task job-1 --json").await;
    assert!(json.ends_with("\"has_more\": [\n    \"state\"\n  ]\n}"), "{json}");
    world.ok("system", "/state rm task:job-1 k.1000").await;
    assert!(!world.ok("tool", "/task job-1 --json").await.contains("has_more"));
}

#[tokio::test]
async fn an_export_comes_back_as_it_was() {
    for backend in Backend::ALL {
        let world = World::on(backend).await;
        for command in [
            r#"put profile k.a '{"z": 1, "a": [null, 0.1, 31.245270191439438, "\u00e9\n"]}'"#,
            "put session:main k.b 2 --ttl 100",
            "put shared:service k.c 3 --ttl 5",
            "put task:job-1 k.d '\"text\"'",
        ] {
            world.ok("system", &format!("/state {command}")).await;
        }
        let exported = json(&world, "export all.jsonl").await;
        assert_eq!(exported["exported"], 4);
        assert_eq!(
            world.ok("system", "/state export one.jsonl profile").await,
            "Exported 1 entry to ~/one.jsonl"
        );
        let line =
            r#"{"scope":"profile","key":"k.a","value":{"z":1,"a":[null,0.1,31.245270191439438,"é\n"]}}"#;
        assert_eq!(world.home.read("one.jsonl"), format!("{line}\n"));
        for rm in ["profile k.a", "session:main k.b", "shared:service k.c", "task:job-1 k.d"] {
            world.ok("system", &format!("/state rm {rm}")).await;
        }
        world.clock.advance(Duration::from_millis(5_001));
        assert_eq!(world.ok("system", "/state import all.jsonl").await, "Imported 3 entries, 1 had expired");
        world.ok("system", "/state export again.jsonl").await;
        let before = world.home.read("all.jsonl");
        let before: Vec<&str> = before.lines().filter(|line| !line.contains("k.c")).collect();
        assert_eq!(world.home.read("again.jsonl").lines().collect::<Vec<_>>(), before, "{backend:?}");
    }
}

#[tokio::test]
async fn an_import_is_whole_or_nothing() {
    for backend in Backend::ALL {
        let world = World::on(backend).await;
        let good = r#"{"scope":"profile","key":"k.a","value":1}"#;
        for (bad, part) in [
            (r#"{"scope":"profile","key":"k.b"}"#, "Line 3: missing field `value`"),
            (r#"{"scope":"profile","key":"","value":1}"#, "Line 3: key is empty"),
            (r#"{"scope":"elsewhere","key":"k","value":1}"#, "Line 3: Not a scope"),
            (r#"{"scope":"profile","key":"k","value":1,"ttl":5}"#, "Line 3: unknown field `ttl`"),
            (
                r#"{"scope":"profile","key":"k","value":1,"expires_at":"soon"}"#,
                "Line 3: expires_at is not a time",
            ),
            ("not json", "Line 3"),
        ] {
            world.home.write("bad.jsonl", format!("{good}\n\n{bad}\n"));
            let error = world.fails("system", "/state import bad.jsonl", "INVALID_PARAMS").await;
            assert!(error.contains(part) && error.contains("Nothing was imported."), "{error}");
        }
        let deep =
            format!(r#"{{"scope":"profile","key":"k","value":{}{}}}"#, "[".repeat(101), "]".repeat(101));
        world.home.write("bad.jsonl", deep);
        world.fails("system", "/state import bad.jsonl", "INVALID_PARAMS").await;
        world.home.write("good.jsonl", format!("{good}\n{}\n", good.replace("k.a", "k.b")));
        world.store.set_fault(Fault::Full);
        world.fails("system", "/state import good.jsonl", "LOAD_ERROR").await;
        world.store.set_fault(Fault::None);
        assert_eq!(json(&world, "ls").await, json!([]), "{backend:?}");
        assert_eq!(json(&world, "import good.jsonl").await, json!({"imported": 2, "expired": 0}));
        let page = json(&world, "ls profile").await;
        assert_eq!(page["entries"][0]["revision"], page["entries"][1]["revision"], "one write");
    }
}

#[tokio::test]
async fn only_a_person_copies_the_whole_store() {
    let world = World::on(Backend::Sqlite).await;
    world.ok("system", "/state put profile k.a 1").await;
    let home = world.home.path();
    for origin in [Origin::Agent, Origin::Network] {
        for command in ["/state backup stolen.db", "/state check"] {
            let request = runtime::Request { origin, ..world.request_from(home, "system", command) };
            let reply = world.run(request).await;
            assert_eq!(reply.code.map(|code| code.as_str()), Some("NOT_ALLOWED"), "{}", reply.content);
        }
    }
    assert!(!world.home.exists("stolen.db"));
    let backup = world.request_from(home, "system", "/state backup copy.db");
    let reply = world.run(backup.clone()).await;
    assert!(reply.content.starts_with("Backed up all of durable state to "), "{}", reply.content);
    let copy = store::sqlite::Sqlite::open(home.join("copy.db"), world.clock.clone()).unwrap();
    let (space, key) = (store::Space::new("state/profile/default"), store::Key::new("k.a"));
    let found = store::Store::get(&copy, &space, &key);
    assert_eq!(found.await.unwrap().unwrap().value, b"1");
    let again = world.run(backup).await;
    assert_eq!(again.code.map(|code| code.as_str()), Some("CONFLICT"));
    assert!(again.content.contains("copy.db exists already"), "{}", again.content);
    assert_eq!(world.ok("system", "/state check").await, "Durable state is sound.");
}

#[tokio::test]
async fn agents_see_their_own_and_what_is_shared() {
    let world = World::new().await;
    world.ok("agent", "/add other").await;
    world.ok("system", "/state put profile k.a 1\n").await;
    world.ok("system", "/state put shared:service k.s 1").await;
    let say = async |command: &str| {
        let reply = world.run(world.request_as("other", "system", &format!("/state {command}"))).await;
        reply.content
    };
    assert_eq!(say("ls").await, "Durable state\n---\nshared:service");
    assert!(say("get profile k.a").await.starts_with("ERROR(NOT_FOUND)"));
    say("put profile k.a 2").await;
    say("put session:main k.a 3").await;
    assert_eq!(json(&world, "get profile k.a").await["value"], 1);
    // Who comes back under the same name is somebody else.
    world.ok("agent", "/rm other").await;
    world.ok("agent", "/add other").await;
    assert_eq!(say("ls").await, "Durable state\n---\nshared:service");
    assert_eq!(json(&world, "get profile k.a").await["value"], 1);
}

#[tokio::test]
async fn closing_a_topic_ends_its_state_alone() {
    for backend in Backend::ALL {
        let world = World::on(backend).await;
        world.ok("main", "/info").await;
        world.ok("other", "/info").await;
        for scope in ["profile", "session:main", "session:other", "session:gone", "task:t", "shared:s"] {
            world.ok("system", &format!("/state put {scope} k 1")).await;
        }
        let world = world.restart().await;
        assert_eq!(json(&world, "ls").await.as_array().unwrap().len(), 6, "all survive a restart");
        // Also that of a topic which is not open any more.
        world.ok("other", "/session close gone").await;
        world.ok("other", "/session close main").await;
        let left = json(&world, "ls").await;
        let left: Vec<&str> =
            left.as_array().unwrap().iter().map(|row| row["scope"].as_str().unwrap()).collect();
        assert_eq!(left, ["profile", "session:other", "task:t", "shared:s"], "{backend:?}");
        world.fails("other", "/session close gone", "NOT_FOUND").await;
    }
}

#[tokio::test]
async fn a_topic_is_removed_once_its_writes_are_done() {
    let world = World::new().await;
    world.ok("other", "/info").await;
    let topics = world.runtime.sessions.of(&Id::default_agent());
    let session = topics.enter(&Topic::main()).unwrap();
    let held = session.hold_open().await.unwrap();
    let main = Topic::main();
    let mut closing = Box::pin(topics.close(&main, None));
    assert!(futures::poll!(&mut closing).is_pending(), "a write is under way");
    drop(held);
    closing.await.unwrap();
    assert!(session.hold_open().await.is_none(), "no write begins afterwards");
}
