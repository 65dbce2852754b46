//! Scripts and manifests that mean harm: what they reach for stays out of reach, and the daemon answers all the while.

use testkit::World;

use crate::support::{tool, world};

async fn eval(world: &World, manifest: &str, body: &str) -> String {
    tool(world, "eval", manifest, body);
    world.say("main", "/tool:eval").await.content
}

/// The next call works as if nothing had been.
async fn unharmed(world: &World, after: &str) {
    tool(
        world,
        "fine",
        "",
        "return [typeof (globalThis as any).left, ({} as any).polluted ?? null, [1].map((x) => x + 1)].join();",
    );
    assert_eq!(world.ok("other", "/tool:fine").await, "undefined,,2", "after {after}");
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_of_the_machine_is_there() {
    let world = world().await;
    let body = "
        const names = ['process', 'require', 'Deno', 'Bun', 'module', 'exports', '__dirname', 'Buffer', 'WebAssembly', 'Worker',
          'XMLHttpRequest', 'WebSocket', 'importScripts', 'std', 'os', 'scriptArgs', 'print', 'load', 'native', 'use'];
        return names.filter((name) => name in globalThis).join() || 'nothing';";
    assert_eq!(eval(&world, "", body).await, "nothing");
    let body = "
        const makers = [() => eval('1'), () => new Function('return 1')(), () => (async () => {}).constructor('return 1')(),
          () => (function* () {}).constructor('yield 1')(), () => Reflect.construct(Function, ['return 1'])(),
          () => flo.state.get.constructor('return this')(), () => (setTimeout as any)('1'), () => Object.getPrototypeOf(run).constructor('1')];
        return makers.map((make) => { try { make(); return 'made'; } catch { return 'no'; } }).join();";
    assert_eq!(eval(&world, "", body).await, "no,no,no,no,no,no,no,no");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_tool_says_is_no_error_of_ours_and_steers_nothing() {
    let world = world().await;
    let said = eval(&world, "", "return 'ERROR(FOO): x\\n\\x1b[31mred\\x07';").await;
    assert_eq!(said, "\\ERROR(FOO): x\nred");
    let failed = eval(&world, "", "throw new Error('a\\x1b[31mred\\x07');").await;
    assert!(failed.starts_with("ERROR(TOOL_FAILED): eval: a\\u{1b}[31mred\\u{7}\n"), "{failed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_language_changed_for_one_call_is_whole_for_the_next() {
    let world = world().await;
    for body in [
        "(globalThis as any).left = 1; (Object.prototype as any).polluted = 1; (Array.prototype as any).map = null; return 1;",
        "Object.defineProperty(Object.prototype, 'polluted', { value: 1, writable: false, configurable: false }); return 1;",
        "Object.freeze(Array.prototype); Object.freeze(Object.prototype); Object.freeze(globalThis); return 1;",
        "(Promise.prototype as any).then = () => { throw 1; }; (JSON as any).parse = () => 'mine'; return 1;",
        "for (const name of Object.getOwnPropertyNames(globalThis)) { try { delete (globalThis as any)[name]; } catch {} } return 1;",
    ] {
        eval(&world, "timeout_ms: 2000", body).await;
        unharmed(&world, body).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_host_answers_is_not_steered_by_the_script() {
    let world = world().await;
    let manifest = "state:\n  - { name: a, key_prefix: a., scope_kind: profile }";
    for body in [
        // What the request is read from is the script's own JSON, whatever its prototypes say.
        "(Object.prototype as any).toJSON = () => ({ scope_kind: 'profile', key: 'b.x' }); return await flo.state.get({ scope_kind: 'profile', key: 'a.x' });",
        "(Object.prototype as any).scope_kind = 'profile'; (Object.prototype as any).key = 'b.x'; return await flo.state.get({} as any);",
        "return await flo.state.get({ scope_kind: 'profile', key: { toString: () => 'a.x', toJSON: () => 'b.x' } } as any);",
        "return await flo.state.get(new Proxy({ scope_kind: 'profile', key: 'a.x' }, { get: (t: any, k) => (k === 'key' ? 'b.x' : t[k]) }));",
        "return await flo.state.get(JSON.parse('{\"scope_kind\":\"profile\",\"key\":\"b.x\",\"__proto__\":{\"key\":\"a.x\"}}'));",
    ] {
        world.ok("system", "/state put profile b.x '\"hidden\"'").await;
        let reply = eval(&world, manifest, body).await;
        assert!(!reply.contains("hidden") && reply.contains("TOOL_FAILED"), "{body}: {reply}");
    }
    for key in ["a../x", "../a.x", "A.x", "a\\u0000.x", "a.\\u0000", "а.x", "a.\\u200d\\n", "", "/", "a"] {
        let body = format!(
            "try {{ await flo.state.put({{ scope_kind: 'profile', key: '{key}', value: 1 }}); return 'written'; }} catch (e: any) {{ return e.code; }}"
        );
        let code = eval(&world, manifest, &body).await;
        let expected = if key == "a../x" { "written" } else { code.as_str() };
        assert!(code == expected && (code != "written" || key == "a../x"), "{key}: {code}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn other_agents_topics_and_tasks_are_out_of_reach() {
    let world = world().await;
    let manifest = "state:\n  - { name: p, key_prefix: k., scope_kind: profile }\n  - { name: s, key_prefix: k., scope_kind: session }\n  - { name: t, key_prefix: k., scope_kind: task }";
    let write = "for (const scope_kind of ['profile', 'session', 'task'] as const) await flo.state.put({ scope_kind, key: 'k.x', value: scope_kind }); return 'ok';";
    assert_eq!(eval(&world, manifest, write).await, "ok");
    let read = "const seen: unknown[] = [];
        for (const scope_kind of ['profile', 'session', 'task'] as const) seen.push((await flo.state.get({ scope_kind, key: 'k.x' }))?.value ?? null);
        return JSON.stringify(seen);";
    tool(&world, "read", manifest, read);
    assert_eq!(world.ok("elsewhere", "/tool:read").await, r#"["profile",null,null]"#);
    let other = world.home.path().parent().unwrap().join(format!("other-{}", std::process::id()));
    std::fs::create_dir_all(other.join("tools")).unwrap();
    for file in ["read.ts", "read.tool.yaml"] {
        std::fs::copy(world.home.path().join("tools").join(file), other.join("tools").join(file)).unwrap();
    }
    world.ok("agent", &format!("/add second --home {}", other.display())).await;
    let reply = world.run(world.request_as("second", "main", "/tool:read")).await;
    std::fs::remove_dir_all(&other).unwrap();
    assert_eq!(reply.content, r#"[null,null,null]"#);
    for field in
        ["agent: 'default'", "agent_id: 'default'", "scope_id: 'default'", "topic: 'main'", "task: 'x'"]
    {
        let body = format!(
            "try {{ await flo.state.get({{ scope_kind: 'profile', key: 'k.x', {field} }} as any); return 'read'; }} catch (e: any) {{ return e.code; }}"
        );
        let code = eval(&world, manifest, &body).await;
        assert!(code == "invalid_argument" || code == "state_scope_id_forbidden", "{field}: {code}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn storms_end_with_an_error_and_leave_the_daemon_as_it_was() {
    let world = world().await;
    for (body, part) in [
        ("for (;;) {}", "stopped after 300 ms"),
        ("for (;;) await null;", "stopped after 300 ms"),
        ("return /^(a+)+$/.test('a'.repeat(50) + 'b');", "stopped after 300 ms"),
        ("return new Array(2 ** 32 - 1).join();", "stopped after 300 ms"),
        ("await flo.sleep(1e9);", "stopped after 300 ms"),
        ("await new Promise(() => setInterval(() => {}, 1));", "stopped after 300 ms"),
        ("await new Promise(() => {});", "never happens"),
        ("const f = (): number => 1 + f(); return f();", "RangeError"),
        ("let s = 'x'; for (;;) s += s;", "TOOL_FAILED"),
        ("const all: unknown[] = []; for (;;) all.push(new Uint8Array(8 << 20).fill(1));", "TOOL_FAILED"),
        ("return JSON.parse('['.repeat(100000) + ']'.repeat(100000));", "TOOL_FAILED"),
        (
            "let o: any = {}; const top = o; for (let i = 0; i < 100000; i++) o = o.o = {}; return top;",
            "TOOL_FAILED",
        ),
        ("const a: any = []; a.push(a); return a;", "TOOL_FAILED"),
        ("return { get x() { for (;;) {} } };", "stopped after 300 ms"),
        ("throw { toString() { for (;;) {} } };", "TOOL_FAILED"),
        ("return new Proxy({}, { ownKeys() { throw new Error('no keys'); } });", "no keys"),
        ("return 10n;", "TOOL_FAILED"),
    ] {
        let reply = eval(&world, "timeout_ms: 300", body).await;
        assert!(reply.starts_with("ERROR(TOOL_FAILED)") && reply.contains(part), "{body}: {reply}");
    }
    unharmed(&world, "storms").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn floods_are_cut_and_huge_outputs_are_not_the_readers_problem() {
    let world = world().await;
    let manifest = "state:\n  - { name: a, key_prefix: a., scope_kind: task }";
    let body = "
        const calls = Array.from({ length: 6000 }, () => flo.state.get({ scope_kind: 'task', key: 'a.x' }));
        const all = await Promise.allSettled(calls);
        return all.filter((one) => one.status === 'rejected').length > 0 ? 'some were refused' : 'all passed';";
    assert_eq!(eval(&world, manifest, body).await, "some were refused");
    let body = "for (let i = 0; i < 5000; i++) console.log('x'.repeat(10000)); return 'said';";
    assert_eq!(eval(&world, "timeout_ms: 600000", body).await, "said");
    let body = "for (let i = 0; i < 3000; i++) console.log('line', i); return 'said';";
    tool(&world, "eval", "", body);
    world.ok("main", "/tool:eval --task flood").await;
    let timeline = world.ok("tool", "/task flood").await;
    assert!(timeline.contains("… 2001 earlier lines were left out") && timeline.contains("line 2999"));
    let reply = eval(&world, "", "return 'x'.repeat(20 << 20);").await;
    assert!(reply.len() < 100_000, "{} bytes were shown", reply.len());
    let reply = eval(&world, "", "return Array.from({ length: 200000 }, (_, i) => ({ i }));").await;
    assert!(reply.len() < 100_000, "{} bytes were shown", reply.len());
    let reply = eval(&world, "", "return 'x'.repeat(60 << 20);").await;
    assert!(reply.starts_with("ERROR(TOOL_FAILED)"), "{}", &reply[..200.min(reply.len())]);
    let reply = eval(&world, "", "return 'x'.repeat(33 << 20);").await;
    assert_eq!(
        reply,
        "ERROR(TOOL_FAILED): eval: its output has 34603010 bytes, at most 33554432 are allowed"
    );
    let reply = eval(&world, "", "throw new Error('y'.repeat(20 << 20));").await;
    assert!(reply.len() < 100_000, "{} bytes were shown", reply.len());
    let value =
        "await flo.state.put({ scope_kind: 'task', key: 'a.x', value: 'x'.repeat(5 << 20) }); return 1;";
    assert!(eval(&world, manifest, value).await.contains("state_limit_exceeded"));
    let sizes = "
        const codes = [];
        for (const length of [5e6, 40e6, 60e6]) {
          try { await flo.state.put({ scope_kind: 'task', key: 'a.x', value: 'x'.repeat(length) }); }
          catch (e: any) { codes.push(e.name, e.code, /bytes, at most 4194304/.test(e.message)); }
        }
        return codes.join(' ');";
    let refused = "FloStateError state_limit_exceeded true";
    assert_eq!(eval(&world, manifest, sizes).await, [refused; 3].join(" "));
    unharmed(&world, "floods").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn imports_stay_in_the_folder() {
    let world = world().await;
    world.home.write("secret.json", "\"secret\"");
    world.home.write("tools/.hidden/x.json", "\"secret\"");
    let home = world.home.path();
    std::os::unix::fs::symlink("../secret.json", home.join("tools/link.json")).unwrap();
    std::os::unix::fs::symlink("..", home.join("tools/up")).unwrap();
    std::os::unix::fs::symlink(".hidden", home.join("tools/plain")).unwrap();
    std::os::unix::fs::symlink("/etc", home.join("tools/etc")).unwrap();
    tool(&world, "eval", "", "return 1;");
    for path in [
        "../secret.json",
        "./../secret.json",
        "./a/../../secret.json",
        "./link.json",
        "./up/secret.json",
        "./.hidden/x.json",
        "./plain/x.json",
        "/etc/hostname.json",
        "./etc/x.json",
        "file:///etc/passwd",
        "node:fs",
        "fs",
        "https://example.com/x.js",
        "data:text/javascript,export default 1",
        "internal:flo",
        "./eval.ts?x",
        "..\\\\secret.json",
        "./%2e%2e/secret.json",
        ".",
        "..",
    ] {
        world.home.write("tools/eval.ts", format!("import x from '{path}';\nexport const run = () => x;\n"));
        let error = world.fails("main", "/tool:eval", "TOOL_FAILED").await;
        assert!(!error.contains("\"secret\"") && error.contains("at eval.ts:1:15"), "{path}: {error}");
    }
    world.home.write("tools/eval.ts", "export const run = () => import('./x.ts');\n");
    let error = world.fails("main", "/tool:eval", "TOOL_FAILED").await;
    assert!(error.contains("import() is not supported"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_manifests_are_refused_at_once_and_by_name() {
    let world = world().await;
    let good = "name: evil\ndescription: d\ninput_schema: { type: object }\nexecution: { type: script, script: x }\n";
    let bomb = (0..9).fold("a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned(), |text, n| {
        let alias = format!("*a{n}, ").repeat(9);
        format!("{text}a{}: &a{} [{}]\n", n + 1, n + 1, alias.trim_end_matches(", "))
    });
    let deep = format!("input_schema: {}1{}\n", "{a: ".repeat(5_000), "}".repeat(5_000));
    let schema = |schema: &str| good.replace("{ type: object }", schema);
    for (manifest, part) in [
        (format!("{bomb}{good}"), ""),
        (good.replace("input_schema: { type: object }\n", &deep), ""),
        (format!("{good}{}", "#".repeat(2 << 20)), "longer than"),
        ("\0\0\0".to_owned(), ""),
        ("- a\n- b\n".to_owned(), ""),
        (good.replace("name: evil", "name: ../evil"), "is no name"),
        (good.replace("name: evil", "name: \"evil\\nERROR(FORGED)\""), "is no name"),
        (good.replace("script: x", "script_file: ../../../etc/passwd"), "outside"),
        (good.replace("script: x", "script_file: /etc/passwd"), "outside"),
        (good.replace("script: x", "script_file: evil.tool.yaml"), "is no script"),
        (good.replace("script: x", "command: rm -rf /"), "unknown field `command`"),
        (good.replace("type: script", "type: shell"), "execution.type"),
        (schema("{ type: object, properties: { a: { $ref: 'file:///etc/passwd' } } }"), "input_schema"),
        (schema("{ type: object, properties: { a: { $ref: 'http://127.0.0.1/x' } } }"), "input_schema"),
        (schema("{ type: object, properties: { a: { pattern: '(' } } }"), "input_schema"),
        (format!("{good}timeout_ms: 99999999999\n"), "timeout_ms"),
        (format!("{good}timeout_ms: -1\n"), ""),
        (format!("{good}retry_policy: {{ max_attempts: 1000000 }}\n"), "max_attempts"),
        (format!("{good}retry_policy: {{ multiplier: .nan }}\n"), "multiplier"),
        (
            format!("{good}state: [{{ name: s, key_prefix: k, scope_kind: shared, scope_id: '../x' }}]\n"),
            "scope_id",
        ),
        (format!("{good}state: [{{ name: s, key_prefix: \"k\\0\", scope_kind: task }}]\n"), "key_prefix"),
        (format!("{good}vault: [{{ key: '../x', scope_kinds: [profile] }}]\n"), "vault[0].key"),
        (format!("{good}env: ['PATH; rm']\n"), "env"),
        (format!("{good}? [complex, key]\n: 1\n"), ""),
    ] {
        world.home.write("tools/evil.tool.yaml", manifest.clone());
        let start: String = manifest.chars().take(300).collect();
        let reply = world.say("main", "/tool:evil").await.content;
        assert!(reply.starts_with("ERROR(INVALID_MANIFEST)"), "{start}\n{reply}");
        assert!(reply.contains("evil.tool.yaml:") && reply.contains(part), "{start}\n{reply}");
        assert!(reply.len() < 2_000 && !reply.contains("\nERROR("), "{start}\n{reply}");
        assert!(world.ok("tool", "/list").await.contains("Not usable:"), "{start}");
    }
    // A pattern that would take a backtracking engine forever is harmless.
    let slow = schema("{ type: object, properties: { a: { type: string, pattern: '^(a+)+$' } } }");
    world
        .home
        .write("tools/evil.tool.yaml", slow.replace("script: x", "script: 'export const run = () => 1'"));
    world.fails("main", &format!("/tool:evil --a {}b", "a".repeat(5_000)), "INVALID_PARAMS").await;
    std::fs::remove_file(world.home.path().join("tools/evil.tool.yaml")).unwrap();
    rustix::fs::mkfifoat(
        rustix::fs::CWD,
        world.home.path().join("tools/pipe.tool.yaml"),
        rustix::fs::Mode::RWXU,
    )
    .unwrap();
    unharmed(&world, "manifests").await;
}
