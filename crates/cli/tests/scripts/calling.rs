//! `/tool:NAME`: from flags to input, from output to reply, and what is said when it goes wrong.

use testkit::Fault;

use crate::support::{tool, world};

const SCHEMA: &str = "input_schema:
  type: object
  properties:
    n: { type: integer, default: 1, description: How many }
    on: { type: boolean }
    tags: { type: array, items: { type: string } }
    at: { type: object, properties: { x: { type: number }, y: { type: number, default: 7 } } }
    kind: { enum: [a, b] }
    task: { type: string }
  required: [kind]
  additionalProperties: false";

#[tokio::test(flavor = "multi_thread")]
async fn flags_become_what_the_schema_declares() {
    let world = world().await;
    tool(&world, "echo", SCHEMA, "return JSON.stringify(input);");
    for (flags, input) in [
        ("--kind a", r#"{"kind":"a","n":1}"#),
        ("--kind=b --n 4 --on", r#"{"kind":"b","n":4,"on":true}"#),
        ("--kind a --on false --tags x --tags 2", r#"{"kind":"a","on":false,"tags":["x","2"],"n":1}"#),
        ("--kind a --at.x 1.5", r#"{"kind":"a","at":{"x":1.5,"y":7},"n":1}"#),
        ("--kind a --task mine --@task job-1", r#"{"kind":"a","task":"mine","n":1}"#),
        (r#"--json '{"kind": "a", "n": 9}'"#, r#"{"kind":"a","n":9}"#),
        ("\n{\"kind\": \"b\", \"tags\": [\"{x}\"]}", r#"{"kind":"b","tags":["{x}"],"n":1}"#),
        ("--task 'two\nlines'\n{\"kind\": \"b\"}", r#"{"kind":"b","task":"two\nlines","n":1}"#),
    ] {
        assert_eq!(world.ok("main", &format!("/tool:echo {flags}")).await, input, "{flags}");
    }
    world.ok("main", "/set {k} = b").await;
    assert_eq!(world.ok("main", "/tool:echo --kind {k} --n 2").await, r#"{"kind":"b","n":2}"#);
    let wrong = world.fails("main", "/tool:echo --n many --at.x far", "INVALID_PARAMS").await;
    for part in [
        "n: \"many\" is not of type \"integer\"",
        "at.x: \"far\"",
        "\"kind\" is a required property",
        "/tool:echo --help",
    ] {
        assert!(wrong.contains(part), "{part}: {wrong}");
    }
    let unknown = world.fails("main", "/tool:echo --kindd a", "INVALID_PARAMS").await;
    assert!(unknown.contains("Did you mean --kind?"), "{unknown}");
    assert!(world.ok("tool", "/tasks").await.contains("job-1"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_value_in_typed_json_stays_one_value() {
    let world = world().await;
    let schema = "input_schema: { type: object, properties: { o: { type: object }, ao: { type: array, items: { type: object } }, s: { type: string } } }";
    tool(&world, "echo", schema, "return JSON.stringify(input);");
    world.ok("main", r#"/set {v} = 'x", "i": 99, "z": "y'"#).await;
    let value = r#"x\", \"i\": 99, \"z\": \"y"#;
    for (flags, input) in [
        (r#"--o "{\"q\": \"{v}\"}""#, format!(r#"{{"o":{{"q":"{value}"}}}}"#)),
        (r#"--o="{\"q\": \"{v}\"}""#, format!(r#"{{"o":{{"q":"{value}"}}}}"#)),
        (r#"--ao "{\"q\": \"{v}\"}""#, format!(r#"{{"ao":[{{"q":"{value}"}}]}}"#)),
        (r#"--ao "[{\"q\": \"{v}\"}]""#, format!(r#"{{"ao":[{{"q":"{value}"}}]}}"#)),
        (r#"--json "{\"s\": \"{v}\"}""#, format!(r#"{{"s":"{value}"}}"#)),
        (r#"--s "{v}""#, format!(r#"{{"s":"{value}"}}"#)),
    ] {
        assert_eq!(world.ok("main", &format!("/tool:echo {flags}")).await, input, "{flags}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn long_output_keeps_both_ends_and_is_whole_in_a_file() {
    let world = world().await;
    tool(
        &world,
        "long",
        "input_schema: { type: object }",
        "return 'first\\n' + 'x'.repeat(100000) + '\\nlast';",
    );
    let shown = world.ok("main", "/tool:long").await;
    assert!(
        shown.len() <= runtime::reply::REPLY_MAX
            && shown.starts_with("first\nx")
            && shown.ends_with("x\nlast")
    );
    let (_, rest) = shown.split_once("full output: ~/").unwrap();
    let (file, _) = rest.split_once(" …").unwrap();
    assert_eq!(world.home.read(file).len(), "first\n\nlast".len() + 100_000);
}

#[tokio::test(flavor = "multi_thread")]
async fn help_is_the_schema() {
    let world = world().await;
    tool(&world, "echo", SCHEMA, "return 1;");
    assert_eq!(
        world.ok("main", "/tool:echo --help").await,
        "Tool: echo
---
The tool echo.

Usage: /tool:echo [--n …] [--on …] [--tags …] [--at …] --kind … [--task …] [--@task …] [--json …]

--n: integer (default 1) \"How many\"
--on: boolean
--tags: array of string
--at: object
--at.x: number
--at.y: number (default 7)
--kind: string (required, a|b)
--task: string"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn output_is_a_text_as_it_is_or_json_in_its_order() {
    let world = world().await;
    for (n, (body, reply)) in [
        ("return 'a\\nb  ';", "a\nb  "),
        (
            "return { z: 1, a: [true, null], m: {} };",
            "{\n  \"z\": 1,\n  \"a\": [\n    true,\n    null\n  ],\n  \"m\": {}\n}",
        ),
        ("return 1.5;", "1.5"),
        ("return;", "null"),
        ("return [];", "[]"),
        ("return '';", ""),
    ]
    .into_iter()
    .enumerate()
    {
        let name = format!("t{n}");
        tool(&world, &name, "", body);
        assert_eq!(world.ok("main", &format!("/tool:{name}")).await, reply, "{body}");
    }
    tool(&world, "total", "", "return { total: 5, list: [{ id: 'x' }] };");
    world.ok("main", "/tool:total").await;
    assert_eq!(world.ok("main", "/set {n} = {Response.body.total}").await, "{n} = \"5\"");
    assert_eq!(world.ok("main", "/set {n} = {Response.body.list[0].id}").await, "{n} = \"x\"");
    assert_eq!(world.ok("main", "/set {n} = {Response.status}").await, "{n} = \"0\"");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failure_has_its_message_its_code_and_its_place() {
    let world = world().await;
    tool(
        &world,
        "bad",
        "",
        "  type Long = {\n    gone: string;\n  };\n  if (input) throw Object.assign(new RangeError('too\\nmuch'), { code: 'E_MUCH' });",
    );
    assert_eq!(
        world.fails("main", "/tool:bad", "TOOL_FAILED").await,
        "ERROR(TOOL_FAILED): bad: RangeError: too\n  much\n  code: E_MUCH\n  at bad.ts:7:38"
    );
    tool(&world, "spin", "timeout_ms: 150", "for (;;) {}");
    assert!(world.fails("main", "/tool:spin", "TOOL_FAILED").await.contains("stopped after 150 ms"));
    tool(&world, "eat", "", "const a = []; for (;;) a.push(new Uint8Array(1 << 20).fill(1));");
    assert!(world.fails("main", "/tool:eat", "TOOL_FAILED").await.contains("more than 128 MiB of memory"));
    tool(&world, "syntax", "", "const = 1;");
    assert!(world.fails("main", "/tool:syntax", "TOOL_FAILED").await.contains("at syntax.ts:4:"));
    tool(&world, "never", "", "await new Promise(() => {});");
    assert!(world.fails("main", "/tool:never", "TOOL_FAILED").await.contains("never happens"));
    tool(&world, "imports", "", "return 1;");
    world.home.write("tools/imports.ts", "\nimport { x } from './missing.ts';\nexport const run = () => x;");
    let error = world.fails("main", "/tool:imports", "TOOL_FAILED").await;
    assert!(error.contains("there is no missing.ts") && error.contains("at imports.ts:2:19"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn only_what_may_pass_is_tried_again() {
    let world = world().await;
    let policy = "retry_policy: { max_attempts: 3, initial_backoff_ms: 1, multiplier: 2, max_backoff_ms: 5 }";
    let count = "const n = ((await flo.task.getState<number>({ key: 'n' })) ?? 0) + 1; await flo.task.putState({ key: 'n', value: n });";
    tool(
        &world,
        "again",
        policy,
        &format!(
            "{count} if (n < 3) throw Object.assign(new Error('busy'), {{ retryable: true }}); return n;"
        ),
    );
    assert_eq!(world.ok("main", "/tool:again").await, "3");
    tool(
        &world,
        "still",
        policy,
        &format!("{count} throw Object.assign(new Error('busy ' + n), {{ retryable: true }});"),
    );
    assert!(world.fails("main", "/tool:still", "TOOL_FAILED").await.contains("busy 3"));
    tool(&world, "once", policy, &format!("{count} throw new Error('broken ' + n);"));
    assert!(world.fails("main", "/tool:once", "TOOL_FAILED").await.contains("broken 1"));
    tool(
        &world,
        "plain",
        "",
        &format!("{count} throw Object.assign(new Error('busy ' + n), {{ retryable: true }});"),
    );
    assert!(world.fails("main", "/tool:plain", "TOOL_FAILED").await.contains("busy 1"));
}

#[tokio::test(flavor = "multi_thread")]
async fn edits_count_from_the_next_call() {
    let world = world().await;
    tool(&world, "live", "", "return 1;");
    assert_eq!(world.ok("main", "/tool:live").await, "1");
    tool(&world, "live", "", "return 2;");
    assert_eq!(world.ok("main", "/tool:live").await, "2");
    world.home.write("tools/lib/n.ts", "export const n: number = 3;");
    world.home.write("tools/live.ts", "import { n } from './lib/n.ts'; export const run = () => n;");
    assert_eq!(world.ok("main", "/tool:live").await, "3");
    world.home.write("tools/lib/n.ts", "export const n: number = 4;");
    assert_eq!(world.ok("main", "/tool:live").await, "4");
    tool(&world, "live", "colour: red", "return 5;");
    let invalid = world.fails("main", "/tool:live", "INVALID_MANIFEST").await;
    assert!(invalid.contains("live.tool.yaml:5: colour: unknown field `colour`"), "{invalid}");
    tool(&world, "live", "", "return 6;");
    assert_eq!(world.ok("main", "/tool:live").await, "6");
    std::fs::remove_file(world.home.path().join("tools/live.tool.yaml")).unwrap();
    world.fails("main", "/tool:live", "NOT_FOUND").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_call_is_the_last_result_and_one_that_never_began_is_not() {
    let world = world().await;
    tool(&world, "fine", SCHEMA, "return 'fine';");
    tool(&world, "bad", "", "throw Object.assign(new Error('no luck'), { code: 'E_LUCK' });");
    tool(&world, "spin", "timeout_ms: 150", "for (;;) {}");
    let last = async || world.ok("main", "/set {r} = {Response.status} {Response.error.code}").await;
    for (call, result) in [("bad", "1 E_LUCK"), ("spin", "1 timeout")] {
        world.ok("main", "/tool:fine --kind a").await;
        world.fails("main", &format!("/tool:{call}"), "TOOL_FAILED").await;
        assert_eq!(last().await, format!("{{r}} = \"{result}\""));
        world.fails("main", "/tool:fine --kind none", "INVALID_PARAMS").await;
        assert_eq!(last().await, format!("{{r}} = \"{result}\""));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_called_tool_has_what_it_declares_whatever_its_caller_does() {
    let world = world().await;
    world.ok("main", "/set $API_TOKEN = hunter22").await;
    world.ok("main", "/set $REGION = KR").await;
    tool(
        &world,
        "inner",
        "direct_call: true\nenv: [REGION]\nvault: [{ key: API_TOKEN, scope_kinds: [profile] }]",
        "const token = await flo.vault.get<string>({ scope: 'profile', key: 'API_TOKEN' });
         return [token?.length, string.env.get('REGION')];",
    );
    tool(
        &world,
        "outer",
        "",
        "const inner = await flo.callTool<any>({ tool_id: 'inner' });
         let denied; try { string.env.get('REGION'); } catch (e: any) { denied = e.code; }
         return JSON.stringify([inner.output, denied]);",
    );
    assert_eq!(world.ok("main", "/tool:outer").await, r#"[[8,"KR"],"env_denied"]"#);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_said_names_what_was_done() {
    let world = world().await;
    tool(&world, "echo", "", "return 1;");
    assert_eq!(
        world.fails("main", "/tool:echo.run", "NOT_FOUND").await,
        "ERROR(NOT_FOUND): echo is one script and has no action \"run\".\n  Call it: /tool:echo"
    );
    for (thrown, said) in [
        ("new Error('')", "Error"),
        ("''", "it threw something that does not say why"),
        ("new RangeError('')", "RangeError"),
    ] {
        tool(&world, "mute", "", &format!("throw {thrown};"));
        let error = world.fails("main", "/tool:mute", "TOOL_FAILED").await;
        assert!(error.starts_with(&format!("ERROR(TOOL_FAILED): mute: {said}")), "{error}");
    }
    for (call, said) in [
        ("flo.callTool()", "FloError invalid_argument the argument is an object of fields, not null"),
        ("flo.callTool({ input: {} })", "FloError invalid_argument missing field `tool_id`"),
        ("flo.vault.get({ scope: 'profile', name: 'X' })", "FloError invalid_argument unknown field `name`"),
        ("flo.task.getState(5)", "FloStateError invalid_argument the argument is an object of fields, not 5"),
    ] {
        let body = format!(
            "try {{ await (flo as any).{}; }} catch (e: any) {{ return `${{e.name}} ${{e.code}} ${{e.message}}`; }}",
            &call[4..]
        );
        tool(&world, "wrong", "", &body);
        let answer = world.ok("main", "/tool:wrong").await;
        assert!(answer.starts_with(said), "{call}: {answer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_fails_takes_nothing_from_a_call_that_succeeded() {
    let world = world().await;
    tool(&world, "echo", SCHEMA, "return 'done';");
    world.home.write("a.md", "```act.go\nSCRIPT ./go.ts run\n```\n");
    world.home.write("go.ts", "export const run = () => 'done';\n");
    world.ok("main", "/open a.md").await;
    world.store.set_fault(Fault::Full);
    for line in ["/tool:echo --kind a --@task job-1", "/act.go"] {
        let request = runtime::Request { task: Some("job-1".to_owned()), ..world.request("main", line) };
        let reply = world.run(request).await;
        assert_eq!((reply.ok(), reply.content.as_str()), (true, "done"), "{line}");
        let told = reply
            .meta
            .warnings
            .iter()
            .any(|warning| warning.starts_with("The call was made, but task job-1"));
        assert!(told, "{line}: {:?}", reply.meta.warnings);
    }
    world.store.set_fault(Fault::None);
    assert!(world.ok("tool", "/tasks").await.contains("job-1"));
    assert_eq!(world.ok("main", "/tool:echo --kind a --@task job-1").await, "done");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_manifest_may_require_a_value() {
    let world = world().await;
    let env =
        "env:\n  - TOKEN: \"Need it\"\n  - PLACE: \"Where\"\n    default: here\n  - FREE\ndirect_call: true";
    tool(
        &world,
        "needy",
        env,
        "return [string.env.get('TOKEN'), string.env.get('PLACE'), string.env.get('FREE')].join();",
    );
    assert_eq!(
        world.fails("main", "/tool:needy", "ENV_REQUIRED").await,
        "ERROR(ENV_REQUIRED): tool requires $TOKEN — \"Need it\"\n  /set $TOKEN = \"…\""
    );
    tool(&world, "caller", "", "return (await flo.callTool({ tool_id: 'needy' })).error?.code ?? 'none';");
    assert_eq!(world.ok("main", "/tool:caller").await, "env_required");
    world.ok("main", "/tool:needy --help").await;
    world.ok("main", "/set $TOKEN = abc").await;
    assert_eq!(world.ok("main", "/tool:needy").await, "abc,here,");
    assert_eq!(world.ok("main", "/tool:caller").await, "none");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_read_as_the_input_says_so() {
    let world = world().await;
    tool(
        &world,
        "v",
        "input_schema: { type: object, properties: { n: { type: number }, all: { type: array, items: { type: integer } } } }",
        "return input.n;",
    );
    for flag in ["--n 12345678901234567890123", "--all 12345678901234567890123"] {
        let error = world.fails("main", &format!("/tool:v {flag}"), "INVALID_PARAMS").await;
        assert!(
            error.contains(
                "holds a number with too many digits, which a text could keep: 12345678901234567890123"
            ),
            "{error}"
        );
    }
    for body in ["[1]", "not json", "```json\n{\"n\": 1}\n```"] {
        let error = world.fails("main", &format!("/tool:v\n{body}"), "INVALID_PARAMS").await;
        assert!(error.contains("Lines below the command are its input if they are a JSON object"), "{error}");
    }
    assert_eq!(world.ok("main", "/tool:v\n--n 5").await, "5");
}
