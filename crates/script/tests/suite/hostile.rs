//! Scripts that try to get out, to stay behind, or to take the daemon with them.

use script::{Error, Program};
use serde_json::json;

use crate::support::World;

#[tokio::test(flavor = "multi_thread")]
async fn code_cannot_be_made_from_text() {
    let world = World::new();
    let body = "
        const attempts = [
            () => eval('1'), () => Function('return 1')(), () => new Function('1'), () => (0, eval)('1'),
            () => (async () => {}).constructor('1')(), () => (function* () {}).constructor('1')().next(),
            () => (async function* () {}).constructor('1'), () => flo.state.get.constructor('return 1')(),
            () => setTimeout('1', 0), () => Reflect.construct(Function, ['1']),
        ];
        return attempts.map((attempt) => { try { attempt(); return 'made' } catch (e) { return e instanceof TypeError } });";
    assert_eq!(world.value(body).await, json!([true, true, true, true, true, true, true, true, true, true]));
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_left_for_the_next_run() {
    let world = World::new();
    let leave = "globalThis.left = 1; Object.prototype.polluted = 1; Array.prototype.push = null; String.prototype.trim = () => 'x'; flo.state.__proto__ = {}; return 1";
    let source = format!(
        "import * as flo from 'flo:runtime'; export async function run() {{ {} }}",
        leave.replace("flo.state.__proto__ = {};", "")
    );
    world.eval(&source).await.unwrap();
    let body = "return [typeof globalThis.left, ({}).polluted ?? null, typeof [].push, ' a '.trim()]";
    assert_eq!(world.value(body).await, json!(["undefined", null, "function", "a"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn internal_modules_cannot_be_imported() {
    let world = World::new();
    for specifier in [
        "internal:flo",
        "internal:start",
        "./internal:flo",
        "flo:core",
        "file:///etc/passwd",
        "data:text/javascript,1",
    ] {
        let error = world
            .eval(&format!("import x from '{specifier}'; export const run = () => x;"))
            .await
            .unwrap_err();
        assert!(matches!(error, Error::Program { .. }), "{specifier}: {error:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_of_calls_is_refused_in_part() {
    let world = World::new();
    let body = "
        const all = await Promise.allSettled(Array.from({ length: 10000 }, (_, i) => flo.state.get({ i })));
        const refused = all.filter((one) => one.status === 'rejected').map((one) => one.reason.code);
        return [all.length - refused.length, new Set(refused).size, refused[0]];";
    assert_eq!(world.value(body).await, json!([4096, 1, "too_many_calls"]));
    assert_eq!(world.host.calls.lock().unwrap().len(), 4096);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_of_long_lines_is_cut() {
    let world = World::new();
    world.value("for (let i = 0; i < 5000; i++) console.log('x'.repeat(10000)); return 1").await;
    let logs = world.host.logs.lock().unwrap();
    assert_eq!(logs.len(), 5_000);
    assert!(logs.iter().all(|log| log.text.len() < 5_000));
}

#[tokio::test(flavor = "multi_thread")]
async fn source_that_overflows_a_parser_harms_nobody_else() {
    let world = World::new();
    for source in [
        "(".repeat(500_000),
        "[".repeat(1_000_000),
        "a=>".repeat(300_000),
        format!("export const run = {}1", "!".repeat(1_000_000)),
    ] {
        let error = world.eval(&source).await.unwrap_err();
        assert!(matches!(error, Error::Lost | Error::Program { .. } | Error::TimedOut { .. }), "{error:?}");
    }
    assert_eq!(world.value("return 1").await, json!(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn large_values_travel_both_ways_at_once() {
    let world = World::new();
    // More than the socket holds, in both directions and from many calls at a time.
    let body = "
        const big = 'x'.repeat(400_000);
        const all = await Promise.all(Array.from({ length: 20 }, (_, i) => flo.state.get({ i, big })));
        return all.every((one, i) => one.i === i && one.big.length === 400_000);";
    assert_eq!(world.value(body).await, json!(true));
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_of_a_run_that_ended_do_not_reach_the_next() {
    let world = World::new();
    for n in 0..50 {
        let body = format!(
            "for (let i = 0; i < 20; i++) flo.state.get({{ big: 'x'.repeat(50_000) }}); await flo.state.get({{}}); return {n}"
        );
        assert_eq!(world.value(&body).await, json!(n));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_closed_pool_takes_no_calls() {
    let world = World::new();
    world.value("return 1").await;
    world.pool.close();
    let program = Program::inline("/", "a.ts", "export const run = () => 1");
    assert_eq!(world.run(&program, json!({})).await.unwrap_err(), Error::Closed);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_has_given_up_files_and_privileges() {
    let world = World::new();
    world.value("return 1").await;
    let own = std::process::id().to_string();
    let workers: Vec<String> = std::fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().into_string().ok())
        .filter(|pid| {
            let read =
                |name: &str| std::fs::read_to_string(format!("/proc/{pid}/{name}")).unwrap_or_default();
            read("cmdline").contains("__script") && read("status").contains(&format!("PPid:\t{own}\n"))
        })
        .collect();
    assert!(!workers.is_empty());
    for pid in workers {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let limits = std::fs::read_to_string(format!("/proc/{pid}/limits")).unwrap_or_default();
        // Another test's worker may end or still begin meanwhile.
        if !limits.contains("Max core file size        0 ") {
            continue;
        }
        let files = limits.lines().find(|line| line.starts_with("Max open files")).unwrap();
        assert_eq!(files.split_whitespace().collect::<Vec<_>>()[3..5], ["0", "0"]);
        assert!(status.contains("NoNewPrivs:\t1"));
    }
}
