//! Time and memory, also where the engine itself does not look at the clock.

use std::time::Duration;

use script::{Error, Program};
use serde_json::json;

use crate::support::World;

/// More than this process itself needs.
const MEMORY: usize = 96 << 20;

#[tokio::test(flavor = "multi_thread")]
async fn a_run_over_its_time_is_stopped() {
    let world = World { time: Duration::from_millis(200), ..World::new() };
    for body in [
        "for (;;) {}",
        "for (;;) await null",
        "try { for (;;) {} } finally { for (;;) {} }",
        "/^(a+)+$/.test('a'.repeat(40) + 'b')",
        "return { toJSON() { for (;;) {} } }",
        "throw { get message() { for (;;) {} } }",
        "await flo.sleep(1e9)",
        "await flo.task.getContext()",
        "return new Array(2 ** 32 - 1).join()",
        "const o = { length: 2 ** 53 - 1 }; Array.prototype.reverse.call(o)",
        "setInterval(() => {}, 1); await new Promise(() => {})",
    ] {
        let source = format!("export async function run() {{ {body} }}");
        let error = world.eval(&source).await.unwrap_err();
        assert_eq!(error, Error::TimedOut { limit_ms: 200 }, "{body}");
    }
    let error = world.eval("for (;;) {}\nexport const run = 1").await.unwrap_err();
    assert_eq!(error, Error::TimedOut { limit_ms: 200 });
    // A worker that was killed has been replaced.
    assert_eq!(world.value("return 1").await, json!(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_over_its_memory_is_stopped() {
    let world = World { memory: MEMORY, ..World::new() };
    for body in [
        "const a = []; for (;;) a.push(new Array(100000).fill(1))",
        "const all = []; for (;;) all.push(new Uint8Array(4 << 20).fill(1))",
        "const m = new Map(); for (let i = 0; ; i++) m.set(i, { i })",
        "return new Uint8Array(1 << 30).length",
        "return JSON.parse('[' + '0,'.repeat(5000000) + '0]').length",
    ] {
        let source = format!("export async function run() {{ {body} }}");
        let error = world.eval(&source).await.unwrap_err();
        assert_eq!(error, Error::OutOfMemory { limit_bytes: MEMORY }, "{body}");
    }
    assert_eq!(world.value("return 1").await, json!(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_promise_that_never_settles_is_found_at_once() {
    let world = World::new();
    let error = world.eval("export const run = () => new Promise(() => {})").await.unwrap_err();
    assert_eq!(error, Error::Stuck);
    let error = world.eval("await new Promise(() => {}); export const run = 1").await.unwrap_err();
    assert_eq!(error, Error::Stuck);
}

#[tokio::test(flavor = "multi_thread")]
async fn deep_recursion_is_an_error_of_the_script() {
    let world = World::new();
    let body = "const f = () => f() + 1; try { f() } catch (e) { return e.name }";
    assert_eq!(world.value(body).await, json!("RangeError"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_too_large_to_be_sent_is_an_error_with_both_sizes() {
    let world = World::new();
    let error = world.eval("export const run = () => 'z'.repeat(33 << 20)").await.unwrap_err();
    assert_eq!(error.to_string(), "its output has 34603010 bytes, at most 33554432 are allowed");
    // The second one has no room even for its JSON.
    for (length, bytes) in [("40e6", "40000012"), ("60e6", "60000000")] {
        let body = format!(
            "const text = 'z'.repeat({length});
             try {{ await flo.callTool({{ input: text }}) }} catch (e) {{ return [e.name, e.code, e.message] }}"
        );
        let message = format!("the arguments of tool.call have {bytes} bytes, at most 33554432 are allowed");
        assert_eq!(world.value(&body).await, json!(["FloError", "too_large", message]));
    }
    let body =
        "const value = 'z'.repeat(15 << 20); const all = [1, 2, 3].map(() => flo.state.get({ value }));
        return (await Promise.all(all)).length";
    assert_eq!(world.value(body).await, json!(3));
    let input = json!("z".repeat(33 << 20));
    let program = Program::inline("/nowhere", "main.ts", "export const run = () => 1");
    let error = world.run(&program, input).await.unwrap_err();
    assert_eq!(error.to_string(), "its input has 34603010 bytes, at most 33554432 are allowed");
    assert!(world.host.calls.lock().unwrap().iter().all(|(method, _)| method == "state.get"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_function_of_the_engine_without_memory_says_so() {
    let world = World::new();
    let caught = "try { 'é'.repeat(1e7).normalize('NFD') } catch (e) { return [e.name, e.message] }";
    assert_eq!(world.value(caught).await, json!(["InternalError", "out of memory"]));
    assert_eq!(
        world.value("return ['é'.normalize('NFD').length, 'a'.localeCompare('b')]").await,
        json!([2, -1])
    );
    let source = "export const run = () => 'é'.repeat(1e7).normalize('NFD').length";
    assert_eq!(world.eval(source).await.unwrap_err(), Error::OutOfMemory { limit_bytes: script::MEMORY_MAX });
}
