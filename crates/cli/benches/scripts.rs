//! What a call of a script costs, beside starting another runtime for each call, in one run.
//!
//! Peers that are not installed are left out: put the folder of their binaries into `PATH`.
#![allow(clippy::unwrap_used, clippy::disallowed_macros, reason = "a bench prints, and fails as a whole")]

use std::hint::black_box;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use testkit::World;

const WARM: usize = 50;
const CALLS: usize = 2_000;
const STARTS: usize = 30;

const TRIVIAL: &str = "export function run({ n }: { n: number }): { n: number } { return { n: n + 1 }; }\n";
const STATE: &str = "import { flo } from 'flo:runtime';
export async function run() {
  const key = { scope_kind: 'profile' as const, key: 'k.x' };
  await flo.state.put({ ...key, value: 1 });
  return (await flo.state.get(key))!.value;
}\n";
const PEER: &str = "const run = ({ n }) => ({ n: n + 1 });\nconsole.log(JSON.stringify(run({ n: 1 })));\n";

fn main() {
    let tokio = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    tokio.block_on(measure());
}

async fn measure() {
    let world = World::with_program(env!("CARGO_BIN_EXE_string")).await;
    let manifest = |name: &str, more: &str| {
        format!(
            "name: {name}\ndescription: d\ninput_schema: {{ type: object, properties: {{ n: {{ type: integer }} }} }}\n\
             execution: {{ type: script, script_file: {name}.ts }}\n{more}"
        )
    };
    let binding = "state: [{ name: k, key_prefix: k., scope_kind: profile }]\n";
    for (name, source, more) in [("trivial", TRIVIAL, ""), ("state", STATE, binding)] {
        world.home.write(&format!("tools/{name}.tool.yaml"), manifest(name, more));
        world.home.write(&format!("tools/{name}.ts"), source);
    }
    world.home.write("page.md", "```act.go\nSCRIPT ./tools/trivial.ts\n  n: integer = 1\n```\n");
    world.ok("main", "/open page.md").await;

    let started = Instant::now();
    world.ok("main", "/tool:trivial --n 1").await;
    println!("{:44} {:8.3} ms", "first call: a worker starts, the script is compiled", ms(started.elapsed()));
    let trivial = calls(&world, "/tool:trivial --n 1").await;
    report("warm call of a trivial TypeScript tool", trivial);
    report("the same as an action of a document", calls(&world, "/act.go").await);
    report("a tool that writes and reads state (in memory)", calls(&world, "/tool:state").await);
    let topics = calls(&world, "/set").await;
    report("for comparison: /set, which runs no script", topics);

    let folder = world.home.path().join("peer.mjs");
    std::fs::write(&folder, PEER).unwrap();
    for (peer, arguments) in [("node", &[] as &[&str]), ("deno", &["run"]), ("bun", &["run"])] {
        let start = || {
            let mut command = Command::new(peer);
            command.args(arguments).arg(&folder).stdin(Stdio::null()).stderr(Stdio::null());
            command.output().ok().filter(|run| run.stdout == b"{\"n\":2}\n")
        };
        if start().is_none() {
            println!("{peer:44} not installed");
            continue;
        }
        let mut times: Vec<Duration> = Vec::new();
        for _ in 0..STARTS {
            let started = Instant::now();
            black_box(start());
            times.push(started.elapsed());
        }
        let (p50, _) = percentiles(&mut times);
        let ratio = p50.as_secs_f64() / trivial.0.as_secs_f64();
        println!(
            "{:44} {:8.3} ms p50   {ratio:.0} times a warm call",
            format!("{peer}, started for each call"),
            ms(p50)
        );
    }
}

/// Half of the calls took less than the first, 99 of 100 less than the second.
async fn calls(world: &World, command: &str) -> (Duration, Duration) {
    for _ in 0..WARM {
        world.ok("main", command).await;
    }
    let mut times = Vec::with_capacity(CALLS);
    for _ in 0..CALLS {
        let started = Instant::now();
        black_box(world.ok("main", command).await);
        times.push(started.elapsed());
    }
    percentiles(&mut times)
}

fn percentiles(times: &mut [Duration]) -> (Duration, Duration) {
    times.sort_unstable();
    (times[times.len() / 2], times[times.len() * 99 / 100])
}

fn report(what: &str, (p50, p99): (Duration, Duration)) {
    println!("{what:44} {:8.3} ms p50 {:8.3} ms p99", ms(p50), ms(p99));
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
