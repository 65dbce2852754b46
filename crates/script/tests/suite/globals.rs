//! What a script finds: the host, the web's globals, and nothing of the machine.

use script::Level;
use serde_json::json;

use crate::support::{World, thrown};

#[tokio::test(flavor = "multi_thread")]
async fn the_webs_globals_are_there() {
    let world = World::new();
    for (body, expected) in [
        (
            "const u = new URL('../b?x=1#h', 'https://me:pw@Ex.com:8080/a/c'); u.searchParams.append('y', 'a b&'); u.port = ''; u.hash = ''; return [u.href, u.origin, u.username, u.pathname, `${u.searchParams}`, URL.canParse('nope')]",
            json!([
                "https://me:pw@ex.com/b?x=1&y=a+b%26",
                "https://ex.com",
                "me",
                "/b",
                "x=1&y=a+b%26",
                false
            ]),
        ),
        (
            "const p = new URLSearchParams({ a: '1', b: 'é' }); p.set('a', 2); p.append('a', 3); p.sort(); return [...p, p.get('x'), p.getAll('a'), p.has('b', 'é'), p.size]",
            json!([["a", "2"], ["a", "3"], ["b", "é"], null, ["2", "3"], true, 3]),
        ),
        ("return [...new URLSearchParams('?a=%C3%A9+%zz&&b')]", json!([["a", "é %zz"], ["b", ""]])),
        (
            "return [new TextDecoder().decode(new TextEncoder().encode('é€\\ud800')), new TextDecoder('latin1').decode(new Uint8Array([0xe9])), new TextDecoder('windows-1252').encoding]",
            json!(["é€\u{fffd}", "é", "windows-1252"]),
        ),
        (
            "try { new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array([255])) } catch (e) { return e.name }",
            json!("TypeError"),
        ),
        ("return [btoa('hi'), atob('aGk=')]", json!(["aGk=", "hi"])),
        (
            "const h = new Headers({ 'X-A': ' 1 ' }); h.append('x-a', '2'); return [h.get('X-a'), [...h]]",
            json!(["1, 2", [["x-a", "1, 2"]]]),
        ),
        ("try { new Headers({ a: 'b\\r\\nc: d' }) } catch (e) { return e.name }", json!("TypeError")),
        (
            "const a = { d: new Date(0), m: new Map([[1, { x: 1 }]]), s: new Set([1]), u: new Uint8Array([1, 2]) }; a.self = a; const c = structuredClone(a); return [c !== a, c.self === c, c.d.getTime(), c.m.get(1).x, c.s.has(1), [...c.u]]",
            json!([true, true, 0, 1, true, [1, 2]]),
        ),
        (
            "try { structuredClone({ f() {} }) } catch (e) { return [e.name, e instanceof DOMException] }",
            json!(["DataCloneError", true]),
        ),
        (
            "const id = crypto.randomUUID(); return [/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id), crypto.getRandomValues(new Uint8Array(4)).length]",
            json!([true, 4]),
        ),
        (
            "const order = []; const late = new Promise((done) => setTimeout((x) => done(order.push(x)), 5, 'late')); setTimeout(() => order.push('early'), 1); const ticked = new Promise((done) => { const t = setInterval(() => { order.push('i'); if (order.filter((x) => x === 'i').length === 3) done(clearInterval(t)) }, 1) }); const dead = setTimeout(() => order.push('never'), 1); clearTimeout(dead); await late; await ticked; await flo.sleep(5); return [order.filter((x) => x !== 'i'), order.filter((x) => x === 'i').length]",
            json!([["early", "late"], 3]),
        ),
        (
            "const form = new FormData(); form.append('a', '1'); form.append('f', new Blob(['hey'], { type: 'text/plain' }), 'x.txt'); const text = await new Response(form).text(); return [text.includes('name=\"f\"; filename=\"x.txt\"'), text.includes('hey'), form.get('f').name]",
            json!([true, true, "x.txt"]),
        ),
        (
            "return [typeof globalThis.process, typeof globalThis.require, typeof globalThis.Deno, typeof globalThis.__host, typeof globalThis.native]",
            json!(["undefined", "undefined", "undefined", "undefined", "undefined"]),
        ),
    ] {
        assert_eq!(world.value(body).await, expected, "{body}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_host_hears_what_was_asked_and_a_refusal_is_an_error() {
    let world = World::new();
    let body = "
        const got = await flo.state.get({ scope_kind: 'task', key: 'k', if: undefined, n: null });
        try { await flo.state.append({ key: 'x' }) } catch (e) { return [got, e.name, e.code, e.message, e.retryable, e instanceof Error, Object.keys(e)] }";
    assert_eq!(
        world.value(body).await,
        json!([{"scope_kind": "task", "key": "k", "n": null}, "FloStateError", "state_binding_denied", "state.append is denied", true, true, ["code", "retryable"]])
    );
    assert_eq!(world.value("return [flo.time.formatUnixTimestamp(1, 'x'), typeof globalThis.flo.state.put, Object.isFrozen(globalThis.flo)]").await, json!(["formatted", "function", true]));
    assert_eq!(world.host.calls.lock().unwrap()[2].1, json!({"timestamp": 1, "format": "x"}));
}

#[tokio::test(flavor = "multi_thread")]
async fn fetch_goes_through_the_host() {
    let world = World::new();
    let body = "
        const r = await fetch('https://x.test/a b', { method: 'post', body: new URLSearchParams({ q: 'é' }), headers: { A: 'b' } });
        const copy = r.clone();
        return [r.status, r.ok, r.statusText, r.url, r.headers.get('content-type'), r.headers.getSetCookie(), await r.json(), r.bodyUsed, await copy.text()];";
    assert_eq!(
        world.value(body).await,
        json!([201, true, "Created", "https://x.test/a%20b", "application/json", ["a=1", "b=2"], {"ok": true}, true, "{\"ok\":true}"])
    );
    let calls = world.host.calls.lock().unwrap();
    assert_eq!(
        calls[0].1,
        json!({"url": "https://x.test/a%20b", "method": "POST", "body": "cT0lQzMlQTk=", "redirect": "follow",
        "headers": [["a", "b"], ["content-type", "application/x-www-form-urlencoded;charset=UTF-8"]]})
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fetch_can_be_given_up() {
    let world = World::new();
    let body =
        "try { await fetch('https://x.test', { signal: AbortSignal.abort() }) } catch (e) { return e.name }";
    assert_eq!(world.value(body).await, json!("AbortError"));
}

#[tokio::test(flavor = "multi_thread")]
async fn console_lines_reach_the_host() {
    let world = World::new();
    world.value("const o = { a: 1 }; o.o = o; console.log('x', o, [1, 'y'], undefined); console.error(new TypeError('bad')); console.debug(() => 1, new Map([['k', 1n]]))").await;
    let logs = world.host.logs.lock().unwrap();
    let lines: Vec<_> = logs.iter().map(|log| (log.level, log.text.as_str())).collect();
    assert_eq!(
        lines,
        [
            (Level::Info, "x {a: 1, o: [circular]} [1, \"y\"] undefined"),
            (Level::Error, "TypeError: bad"),
            (Level::Debug, "[function anonymous] Map {\"k\" => 1n}"),
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_that_nobody_awaited_still_happens() {
    let world = World::new();
    assert_eq!(
        world.value("flo.state.put({ key: 'a', value: 1 }); flo.state.append({}); return 'done'").await,
        json!("done")
    );
    assert_eq!(world.host.calls.lock().unwrap().len(), 2);
    let logs = world.host.logs.lock().unwrap();
    assert!(logs[0].text.contains("nobody awaited it: state.append is denied"), "{logs:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_runtime_works_for_a_script_that_changed_the_language() {
    let world = World::new();
    let source = "
        const boom = () => { throw new Error('replaced') };
        JSON.stringify = JSON.parse = Error.captureStackTrace = Object.defineProperty = Object.entries = boom;
        Promise.prototype.then = boom; globalThis.Error = class {}; Array.prototype.map = boom;
        export async function run() { return (await flo.state.get({ key: 'x' })).key }";
    assert_eq!(world.eval(source).await.unwrap(), json!("x"));
    let source = "export async function run() { globalThis.flo = 1; }";
    assert_eq!(thrown(world.eval(source).await.unwrap_err()).name, "TypeError");
}

#[tokio::test(flavor = "multi_thread")]
async fn half_of_a_surrogate_pair_leaves_as_a_replacement_character() {
    let world = World::new();
    let half = "'abcd😀'.slice(0, 5)";
    assert_eq!(
        world.value(&format!("return [{half}, {{ [{half}]: 1 }}]")).await,
        json!(["abcd\u{fffd}", { "abcd\u{fffd}": 1 }])
    );
    world.value(&format!("console.log({half}); await flo.state.put({{ key: 'k', value: {half} }})")).await;
    assert_eq!(world.host.logs.lock().unwrap()[0].text, "abcd\u{fffd}");
    assert_eq!(world.host.calls.lock().unwrap()[0].1["value"], "abcd\u{fffd}");
    let error =
        world.eval(&format!("export const run = () => {{ throw new Error({half}) }}")).await.unwrap_err();
    assert_eq!(thrown(error).message, "abcd\u{fffd}");
    let refused = format!(
        "try {{ await flo.state.get({{ scope_kind: 'profile', key: {half} }}) }} catch (e) {{ return [e.name, e.code, e.message] }}"
    );
    let expected = json!(["FloStateError", "invalid_argument", "key holds half of a surrogate pair"]);
    assert_eq!(world.value(&refused).await, expected);
}
