//! `flo.state` through real scripts, over every backend: the tables, what only a script can say, races, lifetimes.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::sync::Arc;
use std::time::Duration;

use runtime::sink::Discard;
use serde_json::{Value, json};
use testkit::state::{CASES, bindings, expand};
use testkit::{Backend, Fault, World};

const STRING: &str = env!("CARGO_BIN_EXE_string");

/// A tool that does what it is told, and tells what it caught.
const PROBE: &str = r#"
import * as flo from "flo:runtime";

const caught = (e: any) => ({ name: e.name, code: e.code, message: e.message, retryable: e.retryable, is_error: e instanceof Error });

// Replies are cut where they get long, so long texts are told as the tables write them.
const short = (answer: unknown) => JSON.parse(JSON.stringify(answer ?? null, (_, v) =>
  typeof v === "string" && v.length > 1000 && v === v[0].repeat(v.length) ? `@${v.length}.${v[0]}` : v));

export async function run({ verb, arguments: given }: { verb: string; arguments: any }): Promise<unknown> {
  try { return { answer: short(await (flo.state as any)[verb](given)) ?? null }; }
  catch (e) { return { error: caught(e) }; }
}

export async function undefined_is_absent(): Promise<unknown> {
  const key = { scope_kind: "profile" as const, key: "k.u" };
  const first = await flo.state.put({ ...key, value: 1, ttl_seconds: undefined, if_revision: undefined });
  const second = await flo.state.put({ ...key, value: 31.245270191439438, if_revision: first.entry?.revision });
  const list = await flo.state.list({ scope_kind: "profile", key_prefix: "k.", limit: undefined, cursor: undefined });
  const read = await flo.state.get<number>(key);
  const refused = [];
  for (const value of [undefined, () => 1]) {
    try { await flo.state.put({ ...key, value } as any); refused.push("written"); } catch (e: any) { refused.push(e.code); }
  }
  try { await flo.state.append({ scope_kind: "profile", key: "k.l", item: undefined } as any); refused.push("written"); } catch (e: any) { refused.push(e.code); }
  try { await (flo.state as any).get(); refused.push("read"); } catch (e: any) { refused.push(e.code); }
  return [first.ok, second.ok, "expires_at" in second.entry!, list.entries.length, read!.value === 31.245270191439438, refused];
}

export async function append_all({ from, to }: { from: number; to: number }): Promise<unknown> {
  const item = (n: number) => flo.state.append({ scope_kind: "shared", key: "k.all", item: n });
  const written = await Promise.all(Array.from({ length: to - from }, (_, n) => item(from + n)));
  return written.every((w) => w.ok);
}

export async function hold(): Promise<unknown> {
  await flo.state.put({ scope_kind: "session", key: "k.late", value: 1 });
  return "written";
}
"#;

async fn world(backend: Backend) -> World {
    let world = World::with_scripts(STRING, backend).await;
    install(&world, "tools");
    world
}

/// One tool per entrypoint, each with the bindings of the tables.
fn install(world: &World, folder: &str) {
    world.home.write(&format!("{folder}/probe.ts"), PROBE);
    for entrypoint in ["run", "undefined_is_absent", "append_all", "hold"] {
        let manifest = json!({
            "name": entrypoint,
            "description": "Calls flo.state.",
            "input_schema": { "type": "object" },
            "execution": { "type": "script", "script_file": "probe.ts", "entrypoint": entrypoint },
            "timeout_ms": 120_000,
            "state": bindings(),
        });
        world.home.write(&format!("{folder}/{entrypoint}.tool.yaml"), manifest.to_string());
    }
}

/// What the tool `run` makes of a call.
async fn probe(world: &World, topic: &str, verb: &str, arguments: &Value) -> Value {
    let input = json!({ "verb": verb, "arguments": arguments });
    let mut told =
        serde_json::from_str(&world.ok(topic, &format!("/tool:run --task t1\n{input}")).await).unwrap();
    expand(&mut told);
    told
}

#[tokio::test(flavor = "multi_thread")]
async fn the_tables_hold_for_scripts() {
    for backend in Backend::ALL {
        for case in CASES {
            let world = world(backend).await;
            let call = async |verb: &str, arguments: Value| {
                let outcome = probe(&world, "main", verb, &arguments).await;
                match outcome.get("error") {
                    None => Ok(outcome["answer"].clone()),
                    Some(error) => {
                        assert_eq!(
                            (&error["name"], &error["is_error"]),
                            (&json!("FloStateError"), &json!(true))
                        );
                        assert_eq!(error["retryable"], false, "{error}");
                        let text = |name: &str| error[name].as_str().unwrap().to_owned();
                        Err((text("code"), text("message")))
                    }
                }
            };
            case.run(&world.clock, call).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_script_leaves_undefined_is_absent() {
    for backend in Backend::ALL {
        let world = world(backend).await;
        let told: Value = serde_json::from_str(&world.ok("main", "/tool:undefined_is_absent").await).unwrap();
        let refused = ["invalid_argument"; 4];
        assert_eq!(told, json!([true, true, false, 1, true, refused]), "{backend:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_reaches_the_script_as_an_error_it_may_retry() {
    let world = world(Backend::Sqlite).await;
    let call = async |verb: &str, fields: &str| -> Value {
        let arguments = format!(r#"{{"scope_kind": "profile", "key": "k.a"{fields}}}"#);
        let input = format!(r#"{{"verb": "{verb}", "arguments": {arguments}}}"#);
        serde_json::from_str(&world.ok("main", &format!("/tool:run\n{input}")).await).unwrap()
    };
    call("put", r#", "value": 1"#).await;
    world.store.set_fault(Fault::Full);
    let error = call("put", r#", "value": 2"#).await["error"].clone();
    assert_eq!((&error["code"], &error["retryable"]), (&json!("state_unavailable"), &json!(true)), "{error}");
    assert_eq!(call("get", "").await["answer"]["value"], 1, "reads go on");
    world.store.set_fault(Fault::None);
    assert_eq!(call("put", r#", "value": 2"#).await["answer"]["ok"], true);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_appends_from_scripts_topics_and_agents_all_survive() {
    const SCRIPTS: usize = 10;
    for backend in Backend::ALL {
        let world = world(backend).await;
        for agent in ["one", "two"] {
            world.ok("agent", &format!("/add {agent}")).await;
            install(&world, &format!(".string/agents/{agent}/tools"));
        }
        let scripts: Vec<_> = (0..SCRIPTS)
            .map(|n| {
                let input = json!({ "from": n * 100, "to": (n + 1) * 100 });
                let agent = ["default", "one", "two"][n % 3];
                let call = format!("/tool:append_all\n{input}");
                world.spawn(world.request_as(agent, &format!("topic{n}"), &call))
            })
            .collect();
        for script in scripts {
            let reply = script.await.unwrap();
            assert_eq!(reply.content, "true");
        }
        let all = world.ok("system", "/state get shared:service k.all --json").await;
        let all: Value = serde_json::from_str(&all).unwrap();
        let mut all: Vec<u64> =
            all["value"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect();
        all.sort_unstable();
        assert_eq!(all, (0..1_000).collect::<Vec<_>>(), "{backend:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn scopes_live_as_long_as_what_they_belong_to() {
    for backend in Backend::ALL {
        let world = world(backend).await;
        let put = |kind: &str| json!({"scope_kind": kind, "key": "k.a", "value": kind});
        let get = |kind: &str| json!({"scope_kind": kind, "key": "k.a"});
        let kinds = ["profile", "session", "task", "shared"];
        for kind in kinds {
            assert_eq!(probe(&world, "main", "put", &put(kind)).await["answer"]["ok"], true);
        }
        let seen = async |world: &World, topic: &str| {
            let mut seen = Vec::new();
            for kind in kinds {
                if !probe(world, topic, "get", &get(kind)).await["answer"].is_null() {
                    seen.push(kind);
                }
            }
            seen
        };
        assert_eq!(seen(&world, "other").await, ["profile", "task", "shared"], "a session is its topic's");
        let world = world.restart().await;
        assert_eq!(seen(&world, "main").await, kinds, "all survive a restart");
        world.ok("other", "/session close main").await;
        assert_eq!(seen(&world, "main").await, ["profile", "task", "shared"]);
        world.ok("tool", "/purge t1").await;
        assert_eq!(seen(&world, "main").await, ["profile", "shared"]);
        world.clock.advance(Duration::from_secs(400 * 24 * 3600));
        assert_eq!(seen(&world, "main").await, ["profile", "shared"], "nothing expires by itself");
    }
}

/// A write that is under way when its topic is closed is either gone with the topic, or refused.
#[tokio::test(flavor = "multi_thread")]
async fn no_write_outlives_the_topic_that_made_it() {
    let world = world(Backend::Sqlite).await;
    world.ok("other", "/info").await;
    world.store.set_fault(Fault::Hold);
    let late = world.spawn(world.request("main", "/tool:hold"));
    world.store.until_held(1).await;
    let closing = world.spawn(world.request("other", "/session close main"));
    // The write is still held, so only the removal of the topic can end the call.
    assert!(!late.await.unwrap().ok(), "the call was stopped");
    world.store.set_fault(Fault::None);
    world.store.release(1);
    assert!(closing.await.unwrap().ok());
    assert_eq!(world.ok("system", "/state ls session:main").await, "State: session:main\n---\nNo entries.");
}

/// Scripts of one topic take turns, so several topics are needed to disturb each other.
#[tokio::test(flavor = "multi_thread")]
async fn conditions_hold_between_scripts() {
    let world = Arc::new(world(Backend::Sqlite).await);
    let calls: Vec<_> = (0..8)
        .map(|n| {
            let put = json!({"verb": "put", "arguments": {"scope_kind": "profile", "key": "k.once", "value": n, "if_revision": null}});
            let request = world.request(&format!("topic{n}"), &format!("/tool:run\n{put}"));
            let runtime = Arc::clone(&world.runtime);
            tokio::spawn(async move { runtime.exec(request, Arc::new(Discard)).await.content })
        })
        .collect();
    let mut won = 0;
    for call in calls {
        let answer: Value = serde_json::from_str(&call.await.unwrap()).unwrap();
        won += usize::from(answer["answer"]["ok"] == true);
    }
    assert_eq!(won, 1, "exactly one creates the entry");
}

/// The blocks of a page that begin with a mark, each with what stands behind the mark in its first line.
fn fences<'a>(page: &'a str, mark: &str) -> Vec<(&'a str, &'a str)> {
    let begin = format!("```{mark}");
    let blocks = page.split("\n```").step_by(2).zip(page.split("\n```").skip(1).step_by(2));
    let blocks = blocks.filter_map(|(_, block)| block.strip_prefix(&begin[3..])?.split_once('\n'));
    blocks.collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_examples_of_the_page_are_true() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/state.md")).unwrap();
    let world = World::with_scripts(STRING, Backend::Sqlite).await;
    for (name, text) in fences(&page, "yaml file=").into_iter().chain(fences(&page, "ts file=")) {
        world.home.write(name, format!("{text}\n"));
    }
    let (mut checked, sessions) = (0, fences(&page, "session"));
    for turn in sessions.iter().flat_map(|(_, text)| text.split(">>> ").skip(1)) {
        let (topic, rest) = turn.split_once('\n').unwrap();
        let (payload, expected) = rest.split_once("\n<<<\n").unwrap();
        assert_eq!(world.ok(topic, payload).await, expected.trim_end());
        checked += 1;
    }
    assert!(checked >= 3, "{checked} examples");
}
