//! Every row of `flo:runtime` that is not `flo.state`: what a script gets, and what it is refused.

use std::time::Duration;

use testkit::{Web, World};

use crate::support::{tool, world};

/// The JSON that a script with this body returns, without spaces.
async fn eval(world: &World, manifest: &str, body: &str) -> String {
    tool(world, "eval", manifest, body);
    let reply = world.ok("main", "/tool:eval").await;
    serde_json::from_str::<serde_json::Value>(&reply).map_or(reply, |value| value.to_string())
}

#[tokio::test(flavor = "multi_thread")]
async fn task_state_is_kept_with_a_named_task_and_apart_for_each_tool() {
    let world = world().await;
    let body = "
        const mine = await flo.task.getToolState<number>({ key: 'n' });
        const all = await flo.task.getState<number>({ key: 'n' });
        await flo.task.putToolState({ key: 'n', value: (mine ?? 0) + 1 });
        await flo.task.putState({ key: 'n', value: (all ?? 0) + 10 });
        return JSON.stringify([mine, all, await flo.task.getToolState({ key: 'n', tool_id: 'one' })]);";
    tool(&world, "one", "", body);
    tool(&world, "two", "", body);
    let call = async |name: &str| world.ok("main", &format!("/tool:{name} --task job-7")).await;
    assert_eq!(call("one").await, "[null,null,1]");
    assert_eq!(call("one").await, "[1,10,2]");
    assert_eq!(call("two").await, "[null,20,2]");
    // Another task, also an unnamed one, has its own.
    assert_eq!(world.ok("main", "/tool:one").await, "[null,null,1]");
    assert_eq!(world.ok("main", "/tool:one --task job-8").await, "[null,null,1]");
    let world = world.restart().await;
    assert_eq!(world.ok("elsewhere", "/tool:two --task job-7").await, "[1,30,2]");
    let purged = world.ok("tool", "/purge job-7 nope").await;
    assert_eq!(purged, "Purged: job-7\nNo such task: nope");
    assert_eq!(world.ok("main", "/tool:two --task job-7").await, "[null,null,null]");
}

#[tokio::test(flavor = "multi_thread")]
async fn task_state_takes_conditions_and_lifetimes() {
    let world = world().await;
    let body = "
        const first = await flo.task.putState({ key: 'k', value: { a: 1 }, if_revision: null });
        const lost = await flo.task.putState({ key: 'k', value: 2, if_revision: null });
        const next = await flo.task.putState({ key: 'k', value: 3, if_revision: first.entry!.revision, ttl_seconds: 60 });
        const codes: string[] = [];
        for (const wrong of [{ key: 'k' }, { key: 'k', value: 1, ifRevision: null }, { key: '', value: 1 }, { key: 'k', value: 1, ttl_seconds: 0 },
            { key: 'k', value: 1, tool_id: 'x' }, 5, null] as any[]) {
          try { await flo.task.putState(wrong); codes.push('written'); } catch (e: any) { codes.push(e.code); }
        }
        try { await flo.task.getState({ key: 'k', tool_id: 'x' } as any); codes.push('read'); } catch (e: any) { codes.push(e.code); }
        return [first.ok, lost.ok, lost.conflict_revision === first.entry!.revision, next.ok, typeof next.entry!.expires_at, [...new Set(codes)]];";
    assert_eq!(eval(&world, "", body).await, r#"[true,false,true,true,"string",["invalid_argument"]]"#);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_timeline_of_a_task_has_what_scripts_print_and_report() {
    let world = world().await;
    tool(
        &world,
        "talk",
        "",
        "console.log('hello', { a: 1 }); console.error(new TypeError('bad'));
         await flo.task.emitEvent({ event_type: 'progress', title: 'Half', message: 'way', level: 'warn', payload: { n: 1 } });
         for (const wrong of [{}, { event_type: '' }, { event_type: 'x', level: 'loud' }, { event_type: 'x', colour: 1 }] as any[]) {
           try { await flo.task.emitEvent(wrong); return 'emitted'; } catch (e: any) { if (e.code !== 'invalid_argument') return e.code; }
         }
         return 'refused';",
    );
    assert_eq!(world.ok("main", "/tool:talk --task t1").await, "refused");
    let task = world.ok("tool", "/task t1").await;
    for line in
        ["info console hello {a: 1}", "error console TypeError: bad", "warn progress Half: way {\"n\":1}"]
    {
        assert!(task.contains(line), "{line}: {task}");
    }
    let world = world.restart().await;
    assert!(world.ok("tool", "/task t1").await.contains("warn progress Half"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_script_knows_its_task_and_its_agent() {
    let world = world().await;
    tool(
        &world,
        "who",
        "",
        "return JSON.stringify([await flo.task.getContext(), await flo.task.getProfile()]);",
    );
    assert_eq!(
        world.ok("desk", "/tool:who --task t-9").await,
        r#"[{"task_id":"t-9","tool_id":"who","agent_id":"default","topic":"desk","depth":0},{"agent_id":"default"}]"#
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn tools_are_called_within_reach_and_every_outcome_is_an_answer() {
    let world = world().await;
    let echo = "input_schema: { type: object, properties: { n: { type: integer, default: 5 } } }";
    tool(&world, "inner", echo, "return { n: input.n, depth: (await flo.task.getContext()).depth };");
    tool(&world, "open", "direct_call: true", "return 'direct';");
    tool(&world, "closed", "", "return 1;");
    tool(&world, "slow", "timeout_ms: 100\ndirect_call: true", "for (;;) {}");
    tool(
        &world,
        "throws",
        "direct_call: true",
        "throw Object.assign(new Error('no'), { code: 'E_NO', retryable: true });",
    );
    tool(&world, "never", "direct_call: true", "await new Promise(() => {});");
    tool(
        &world,
        "caller",
        "script_tools: [inner]",
        "
        const short = (r: any) => [r.status, r.output ?? null, r.error ? r.error.code : null];
        return JSON.stringify([
          short(await flo.callTool({ tool_id: 'inner' })),
          short(await flo.callTool({ tool_id: 'inner', input: { n: 'x' } })),
          short(await flo.callTool({ tool_id: 'open' })),
          short(await flo.callTool({ tool_id: 'closed' })),
          short(await flo.callTool({ tool_id: 'nobody' })),
          short(await flo.callTool({ tool_id: 'slow' })),
          short(await flo.callTool({ tool_id: 'never' })),
          (await flo.callTool({ tool_id: 'throws' })).error,
        ]);",
    );
    assert_eq!(
        world.ok("main", "/tool:caller").await,
        concat!(
            r#"[["success",{"n":5,"depth":1},null],["validation_error",null,"validation_error"],["success","direct",null],"#,
            r#"["failed",null,"tool_not_allowed"],["failed",null,"tool_not_found"],["timeout",null,"timeout"],"#,
            r#"["failed",null,"never_settles"],{"code":"E_NO","message":"no","retryable":true,"continuable":false}]"#
        )
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_timeline_is_in_the_order_of_what_happened() {
    let world = world().await;
    let body =
        "console.log('first'); await flo.task.emitEvent({ event_type: 'second' }); console.log('third');
        await flo.task.emitEvent({ event_type: 'fourth' });";
    tool(&world, "steps", "", body);
    world.ok("main", "/tool:steps --task job").await;
    let shown = world.ok("tool", "/task job").await;
    let places = ["first", "second", "third", "fourth"].map(|word| shown.find(word));
    assert!(places.is_sorted() && places[0].is_some(), "{shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_nest_eight_deep_and_share_the_task_but_not_the_bindings() {
    let world = world().await;
    tool(
        &world,
        "down",
        "",
        "
        const { depth } = await flo.task.getContext();
        await flo.task.putState({ key: 'deepest', value: depth });
        const r = await flo.callTool({ tool_id: 'down' });
        if (r.status !== 'success') return r.error!.code + ' at ' + depth;
        return r.output + (depth === 0 ? ', deepest ' + await flo.task.getState({ key: 'deepest' }) : '');",
    );
    assert_eq!(world.ok("main", "/tool:down").await, "depth_exceeded at 8, deepest 8");
    let binding = "state:\n  - { name: a, key_prefix: a., scope_kind: task }";
    tool(
        &world,
        "keeper",
        &format!("direct_call: true\n{binding}"),
        "
        return (await flo.state.append({ scope_kind: 'task', key: 'a.x', item: 1 })).entry!.value.length;",
    );
    tool(&world, "asker", "", "
        const one = await flo.callTool({ tool_id: 'keeper' }), two = await flo.callTool({ tool_id: 'keeper' });
        try { await flo.state.get({ scope_kind: 'task', key: 'a.x' }); return 'read'; } catch (e: any) { return [one.output, two.output, e.code].join(); }");
    assert_eq!(world.ok("main", "/tool:asker").await, "1,2,state_binding_denied");
}

#[tokio::test(flavor = "multi_thread")]
async fn secrets_come_from_where_they_are_declared_and_nowhere_else() {
    let world = world().await;
    let shared = r#"{"vault": {"api_token": "shared-secret", "billing": {"api_token": "billing-secret"}}}"#;
    let path = world.runtime.root.join("config.json");
    let mut settings: serde_json::Map<String, serde_json::Value> =
        std::fs::read(&path).ok().and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default();
    settings.extend(serde_json::from_str::<serde_json::Map<_, _>>(shared).unwrap());
    std::fs::write(&path, serde_json::to_vec(&settings).unwrap()).unwrap();
    world.ok("main", "/set $api_token = profile-secret").await;
    let manifest = "vault:\n  - { key: api_token, scope_kinds: [profile, shared] }\n  - { key: only_shared, scope_kinds: [shared] }\nenv: [REGION]";
    let body = "
        const length = async (request: any) => (await flo.vault.get(request))?.length ?? null;
        const code = async (run: () => unknown) => { try { return await run(); } catch (e: any) { return e.code; } };
        return [
          await length({ scope: 'profile', key: 'api_token' }),
          await length({ scope: 'shared', key: 'api_token' }),
          await length({ scope: 'shared', scope_id: 'billing', key: 'api_token' }),
          await length({ scope: 'shared', key: 'only_shared' }),
          await code(() => length({ scope: 'profile', key: 'only_shared' })),
          await code(() => length({ scope: 'profile', key: 'OTHER' })),
          await code(() => length({ scope: 'profile', scope_id: 'x', key: 'api_token' })),
          await code(() => length({ scope: 'session', key: 'api_token' })),
          await code(() => string.env.get('OTHER')),
          string.env.get('REGION'),
          string.env.get('api_token')!.length,
        ];";
    assert_eq!(
        eval(&world, manifest, body).await,
        r#"[14,13,14,null,"vault_denied","vault_denied","invalid_argument","vault_denied","env_denied",null,14]"#
    );
    let leak = "const t = await flo.vault.get({ scope: 'profile', key: 'api_token' }); throw new Error('with ' + t);";
    tool(&world, "eval", manifest, leak);
    let error = world.fails("main", "/tool:eval", "TOOL_FAILED").await;
    assert!(error.contains("with $api_token") && !error.contains("profile-secret"), "{error}");
    let log = std::fs::read_dir(world.runtime.root.join("log")).unwrap();
    for file in log.map(|entry| entry.unwrap().path()) {
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(!text.contains("shared-secret") && !text.contains("billing-secret"), "{}", file.display());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn time_passes_and_is_written_as_asked() {
    let world = world().await;
    let body = "
        const before = Date.now(); await flo.sleep(30); const slept = Date.now() - before;
        const code = (run: () => unknown) => { try { return run(); } catch (e: any) { return e.code; } };
        return [slept >= 29, flo.time.formatUnixTimestamp(0, '[year]/[month]/[day] [hour]:[minute]:[second]'),
          flo.time.formatUnixTimestamp(1700000000, '[hour] [what]', 'America/New_York'),
          code(() => flo.time.formatUnixTimestamp(0, '[year]', 'Mars/Base')), code(() => flo.time.formatUnixTimestamp(NaN, 'x'))];";
    assert_eq!(
        eval(&world, "", body).await,
        r#"[true,"1970/01/01 00:00:00","17 [what]","invalid_argument","invalid_argument"]"#
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_json_cannot_hold_is_an_argument_like_any_other() {
    let world = world().await;
    let body = "const cycle: any = {}; cycle.self = cycle;
        const all = [];
        for (const value of [1n, cycle, { toJSON() { throw new Error('mine'); } }]) {
          try { await flo.task.putState({ key: 'k', value }); } catch (e: any) { all.push([e.name, e.code, e.retryable]); }
        }
        try { string.vars.set('n', 1n); } catch (e: any) { all.push(e.code); }
        return all.every((one) => String(one) === 'FloStateError,invalid_argument,false' || one === 'invalid_argument') && all.length;";
    assert_eq!(eval(&world, "", body).await, "4");
}

#[tokio::test(flavor = "multi_thread")]
async fn variables_of_the_session_are_read_and_set_when_the_call_succeeds() {
    let world = world().await;
    world.ok("main", "/set {city} = Seoul").await;
    let body = "string.vars.set('n', 3); string.vars.set('o', { a: [1] });
        const code = (run: () => unknown) => { try { run(); return 'ok'; } catch (e: any) { return e.code; } };
        return [string.vars.get('city'), string.vars.get('none'), string.vars.get('o').a[0], Object.keys(string.vars.all()),
          code(() => string.vars.set('a b', 1)), code(() => string.vars.set('Response', 1))];";
    assert_eq!(
        eval(&world, "", body).await,
        r#"["Seoul",null,1,["city","n","o"],"invalid_argument","invalid_argument"]"#
    );
    assert_eq!(world.ok("main", "/set {x} = {o.a[0]}").await, "{x} = \"1\"");
    tool(&world, "eval", "", "string.vars.set('n', 99); throw new Error('x');");
    world.fails("main", "/tool:eval", "TOOL_FAILED").await;
    assert_eq!(world.ok("main", "/set {x} = {n}").await, "{x} = \"3\"");
}

#[tokio::test(flavor = "multi_thread")]
async fn fetch_obeys_the_network_policy() {
    let (world, web) = (world().await, Web::start().await);
    web.page("/data", "application/json", "{\"n\": 4}");
    let url = web.url("/data");
    let try_fetch = format!(
        "try {{ return (await (await fetch('{url}')).json()).n; }} catch (e: any) {{ return [e.name, e.code]; }}"
    );
    assert_eq!(eval(&world, "", &try_fetch).await, r#"["TypeError","network_denied"]"#);
    for url in [
        "http://127.1:3923/",
        "http://0x7f000001/",
        "http://[::1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://169.254.169.254/",
        "http://10.0.0.1/",
        "http://192.168.1.1/",
        "file:///etc/passwd",
        "data:text/plain,x",
        "javascript:1",
    ] {
        let body = format!(
            "try {{ await fetch('{url}'); return 'fetched'; }} catch (e: any) {{ return e.code === 'network_denied' || e.code === 'invalid_argument' || e.name === 'TypeError'; }}"
        );
        assert_eq!(eval(&world, "timeout_ms: 5000", &body).await, "true", "{url}");
    }
    assert_eq!(web.seen().len(), 0);
    let host = url.strip_prefix("http://").unwrap().split('/').next().unwrap().to_owned();
    let path = world.home.path().join(".string/config.json");
    std::fs::write(&path, format!("{{\"net\": {{\"allow\": [\"{host}\"]}}}}")).unwrap();
    assert_eq!(eval(&world, "", &try_fetch).await, "4");
    web.answer("/moved", 302, &[("location", "/data")], "");
    let moved = web.url("/moved");
    for (redirect, expected) in
        [("follow", r#"[200,true,null]"#), ("manual", r#"[302,false,"/data"]"#), ("error", r#""redirected""#)]
    {
        let body = format!(
            "try {{ const r = await fetch('{moved}', {{ redirect: '{redirect}' }}); \
             return [r.status, r.redirected, r.headers.get('location')]; }} catch (e: any) {{ return JSON.stringify(e.code); }}"
        );
        assert_eq!(eval(&world, "", &body).await, expected, "{redirect}");
    }
    for (body, kind) in [
        ("new Uint8Array([1, 2])", None),
        ("new Uint8Array([1, 2]).buffer", None),
        ("new Blob(['x'])", None),
        ("new Blob(['x'], { type: 'a/b' })", Some("a/b")),
        ("'text'", Some("text/plain;charset=UTF-8")),
    ] {
        eval(&world, "", &format!("await fetch('{url}', {{ method: 'POST', body: {body} }});")).await;
        let sent = web.seen().pop().unwrap().headers;
        assert_eq!(sent.get("content-type").map(|kind| kind.to_str().unwrap()), kind, "{body}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupt_ends_a_busy_script() {
    let world = world().await;
    tool(
        &world,
        "spin",
        "timeout_ms: 60000",
        "console.log('so far'); await flo.task.putState({ key: 'began', value: 1 }); for (;;) {}",
    );
    let running = world.spawn(world.request("main", "/tool:spin --task busy"));
    let began = async {
        while !world.say("tool", "/task busy").await.content.contains("task: began = 1") {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), began).await.unwrap();
    let refused = world.fails("tool", "/purge busy", "CONFLICT").await;
    assert_eq!(world.ok("tool", "/purge --all").await, "No tasks.");
    assert!(refused.contains("running, in main") && refused.contains("string main /interrupt"), "{refused}");
    world.ok("main", "/interrupt").await;
    assert_eq!(running.await.unwrap().code.map(|code| code.as_str()), Some("INTERRUPTED"));
    let left = world.ok("tool", "/task busy").await;
    assert!(left.contains("failed") && left.contains("so far"), "{left}");
    assert!(world.ok("tool", "/tasks").await.contains("busy  spin  main"));
    tool(&world, "spin", "", "return 'again';");
    assert_eq!(world.ok("main", "/tool:spin").await, "again");
}
