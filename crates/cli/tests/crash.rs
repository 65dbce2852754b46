//! Kills the daemon at a random moment while scripts of several agents write, and looks at what is left:
//! `cargo test -p cli --test crash`, and for a long run `cargo test -p cli --test crash -- --rounds 1000`.
//!
//! Each step of a writer is four writes: a new entry of the profile, an append to a list of its own, a patch of its
//! session's entry, an append to a list that all writers share. A step is acknowledged when its script has answered.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::print_stdout, reason = "what a long run has shown")]

mod support;

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use client::{AgentId, Client};
use rustix::process::Signal;
use serde_json::{Value, json};
use support::World;
use tokio::runtime::Runtime;
use wire::ExecRequest;

const ROUNDS: u64 = 3;
const AGENTS: [&str; 3] = ["default", "one", "two"];
const MOST_WRITERS: u64 = 9;
const MOST_STEPS: u64 = 100;
/// Steps of one call.
const STEPS: u64 = 3;

const MANIFEST: &str = "
name: NAME
description: Writes and reads.
input_schema: { type: object }
execution: { type: script, script_file: crash.ts, entrypoint: NAME }
timeout_ms: 300000
state:
  - { name: entries, key_prefix: e., scope_kind: profile }
  - { name: count, key_prefix: c., scope_kind: session }
  - { name: logs, key_prefix: l., scope_kind: shared, scope_id: crash }
";

const SCRIPT: &str = r#"
import * as flo from "flo:runtime";

const text = (w: number, n: number) => `${w}/${n} `.repeat(n % 5 === 0 ? 400 : 3);

export async function write({ round, w, from, to }: any) {
  const done = [];
  for (let n = from; n < to; n++) {
    const key = `e.${round}.${w}.${String(n).padStart(6, "0")}`;
    const writes = [
      await flo.state.put({ scope_kind: "profile", key, value: text(w, n), if_revision: null }),
      await flo.state.append({ scope_kind: "shared", key: `l.${round}.${w}`, item: n }),
      await flo.state.patch({ scope_kind: "session", key: `c.${round}`, patch: { last: n, [`of${n % 3}`]: n } }),
      await flo.state.append({ scope_kind: "shared", key: `l.${round}.all`, item: `${w}/${n}` }),
    ];
    if (!writes.every((write) => write.ok)) throw new Error(`step ${n}: ${JSON.stringify(writes.map((write) => write.ok))}`);
    done.push(writes.map((write) => write.entry!.revision));
  }
  return done;
}

export async function read({ round, w }: any) {
  const entries: string[] = []; let cursor: string | undefined;
  do {
    const page = await flo.state.list<string>({ scope_kind: "profile", key_prefix: `e.${round}.${w}.`, cursor });
    for (const { key, value, revision } of page.entries) {
      const n = entries.length;
      if (Number(key.slice(-6)) !== n || value !== text(w, n)) throw new Error(`${key} is not entry ${n}`);
      entries.push(revision);
    }
    cursor = page.next_cursor;
  } while (cursor);
  const log = await flo.state.get<number[]>({ scope_kind: "shared", key: `l.${round}.${w}` });
  const count = await flo.state.get<any>({ scope_kind: "session", key: `c.${round}` });
  const all = await flo.state.get<string[]>({ scope_kind: "shared", key: `l.${round}.all` });
  const own = (all?.value ?? []).filter((item) => item.startsWith(`${w}/`)).map((item) => Number(item.split("/")[1]));
  return { entries, log: log?.value ?? [], own, count: count?.value ?? null, revisions: [log?.revision, count?.revision] };
}
"#;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--rounds", rounds] => crash(rounds.parse().unwrap()),
        // Whatever else is given is meant for the tests around this one.
        _ => crash(ROUNDS),
    }
}

/// What the rounds so far have shown.
#[derive(Default)]
struct Tally {
    writes: usize,
    /// Written, but nobody was told.
    unacknowledged: usize,
    /// Every revision that was ever seen, with the write that it belongs to.
    revisions: HashMap<u64, [u64; 4]>,
    slowest_start: Duration,
}

struct Round {
    number: u64,
    writers: u64,
    /// The revisions of each acknowledged step, by writer and number.
    acknowledged: HashMap<(u64, u64), Vec<String>>,
}

fn crash(rounds: u64) {
    let world = World::new();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let mut tally = Tally::default();
    start(&world);
    for agent in &AGENTS[1..] {
        let added = world.run(&["agent", "add", agent]);
        assert_eq!(added.code, Some(0), "{added:?}");
    }
    for home in ["", ".string/agents/one/", ".string/agents/two/"] {
        let tools = world.home().join(home).join("tools");
        std::fs::create_dir_all(&tools).unwrap();
        std::fs::write(tools.join("crash.ts"), SCRIPT).unwrap();
        for name in ["write", "read"] {
            std::fs::write(tools.join(format!("{name}.tool.yaml")), MANIFEST.replace("NAME", name)).unwrap();
        }
    }
    let (random, begun) = (RandomState::new(), Instant::now());
    for number in 0..rounds {
        let writers = 1 + random.hash_one((number, "writers")) % MOST_WRITERS;
        let steps = random.hash_one((number, "steps")) % MOST_STEPS;
        let round = runtime.block_on(write_until_killed(&world, number, writers, steps));
        let started = Instant::now();
        start(&world);
        tally.slowest_start = tally.slowest_start.max(started.elapsed());
        examine(&runtime, &world, &round, &mut tally);
        if (number + 1) % 100 == 0 {
            println!("{} rounds, {} acknowledged writes, {:.0?}", number + 1, tally.writes, begun.elapsed());
        }
    }
    let checked = world.run(&["system", "state", "check"]);
    assert!(checked.out.contains("Durable state is sound."), "{checked:?}");
    let Tally { writes, unacknowledged, revisions, slowest_start } = tally;
    println!(
        "killed {rounds} times: {writes} acknowledged writes, none lost, none in part; {unacknowledged} more were \
         written before anyone was told; {} revisions seen, none twice; slowest start afterwards {slowest_start:.1?}",
        revisions.len()
    );
}

fn start(world: &World) {
    let status = world.run(&["system", "status"]);
    assert_eq!(status.code, Some(0), "{status:?}");
}

/// Returns what was acknowledged when the daemon was dead.
async fn write_until_killed(world: &World, number: u64, writers: u64, steps: u64) -> Round {
    let (daemon, left) = (world.daemon(), Arc::new(AtomicU64::new(steps)));
    let tasks: Vec<_> = (0..writers)
        .map(|writer| {
            let (client, left) = (client(world, writer), Arc::clone(&left));
            tokio::spawn(async move {
                let (mut acknowledged, mut from) = (Vec::new(), 0);
                loop {
                    let input = json!({"round": number, "w": writer, "from": from, "to": from + STEPS});
                    let Some(done) = call(&client, writer, "write", &input).await else {
                        return acknowledged;
                    };
                    let done: Vec<Vec<String>> = serde_json::from_value(done).unwrap();
                    assert_eq!(done.len() as u64, STEPS);
                    acknowledged.extend(done);
                    from += STEPS;
                    let before = left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| {
                        Some(left.saturating_sub(STEPS))
                    });
                    if before.unwrap() <= STEPS {
                        support::kill(daemon, Signal::KILL);
                    }
                }
            })
        })
        .collect();
    let mut acknowledged = HashMap::new();
    for (writer, task) in (0..writers).zip(tasks) {
        for (n, revisions) in (0..).zip(task.await.unwrap()) {
            acknowledged.insert((writer, n), revisions);
        }
    }
    Round { number, writers, acknowledged }
}

fn examine(runtime: &Runtime, world: &World, round: &Round, tally: &mut Tally) {
    let number = round.number;
    for writer in 0..round.writers {
        let read = runtime.block_on(call(
            &client(world, writer),
            writer,
            "read",
            &json!({"round": number, "w": writer}),
        ));
        let read = read.expect("the daemon that was started again answers");
        let entries: Vec<String> = serde_json::from_value(read["entries"].clone()).unwrap();
        let told = round.acknowledged.keys().filter(|(of, _)| *of == writer).count();
        assert!(
            entries.len() >= told,
            "round {number}, writer {writer}: {} of {told} entries left",
            entries.len()
        );
        // The lists follow the entries, each at most one step behind the one before it.
        let steps = |name: &str| {
            let list: Vec<u64> = serde_json::from_value(read[name].clone()).unwrap();
            assert_eq!(
                list,
                (0..list.len() as u64).collect::<Vec<_>>(),
                "round {number}, writer {writer}: {name}"
            );
            list.len()
        };
        let (log, own) = (steps("log"), steps("own"));
        let count = read["count"]["last"].as_u64().map_or(0, |last| last as usize + 1);
        for (n, of) in (0..count as u64).rev().take(3).map(|n| (n, format!("of{}", n % 3))) {
            assert_eq!(read["count"][&of], n, "round {number}, writer {writer}: half a patch");
        }
        let written = [entries.len(), log, count, own];
        assert!(
            written.is_sorted_by(|a, b| a >= b) && written[0] - written[3] <= 1 && written[3] >= told,
            "{written:?}"
        );
        tally.writes += 4 * told;
        tally.unacknowledged += written.iter().sum::<usize>() - 4 * told;
        for (n, revision) in (0..).zip(&entries) {
            if let Some(acknowledged) = round.acknowledged.get(&(writer, n)) {
                assert_eq!(
                    acknowledged[0], *revision,
                    "round {number}, writer {writer}: entry {n} was written again"
                );
            }
            tally.see(revision, [number, writer, n, 0]);
        }
        for (revision, kind) in read["revisions"].as_array().unwrap().iter().zip(1..) {
            let last = written[kind as usize] as u64;
            if let (Some(revision), Some(n)) = (revision.as_str(), last.checked_sub(1)) {
                tally.see(revision, [number, writer, n, kind]);
            }
        }
    }
    for ((writer, n), revisions) in &round.acknowledged {
        let distinct: HashSet<&String> = revisions.iter().collect();
        assert_eq!(distinct.len(), 4, "{revisions:?}");
        for (revision, kind) in revisions.iter().zip(0..) {
            tally.see(revision, [number, *writer, *n, kind]);
        }
    }
}

impl Tally {
    fn see(&mut self, revision: &str, write: [u64; 4]) {
        let number = revision.strip_prefix('r').unwrap().parse().unwrap();
        let before = self.revisions.insert(number, write);
        assert!(
            before.is_none_or(|before| before == write),
            "{revision} of {write:?} was that of {before:?}"
        );
    }
}

fn client(world: &World, writer: u64) -> Client {
    let agent = AGENTS[writer as usize % AGENTS.len()];
    Client::unix(world.root().join("run/string.sock")).agent(AgentId::parse(agent).unwrap())
}

/// What a tool returned; none if the daemon died meanwhile.
async fn call(client: &Client, writer: u64, tool: &str, input: &Value) -> Option<Value> {
    let cmd = format!("/tool:{tool}\n{input}");
    let request = ExecRequest { topic: format!("writer{writer}"), cmd, ..ExecRequest::default() };
    let reply = client.exec(&request).await.ok()?.reply;
    assert!(reply.ok, "{}", reply.content);
    Some(serde_json::from_str(&reply.content).unwrap())
}
