//! Documents as tools of scripts: their actions are called by the names of their fields.

use testkit::Web;

use crate::support::{tool, world};

#[tokio::test(flavor = "multi_thread")]
async fn a_script_calls_the_actions_of_a_document() {
    let (world, web) = (world().await, Web::start().await);
    web.page("/hello", "application/json", r#"{"said": "hello"}"#);
    let document = format!(
        "---\ndefault: hello\n---\n```act.hello\nGET {}?name={{name}}&loud={{loud}}\n  name: string (required)\n  loud: boolean\n```\n\
         ```act.hello.response\n{{heard}} = {{Response.body.said}}\nIt said {{heard}}.\n```\n\
         ```act.script\nSCRIPT ./x.ts\n```\n",
        web.url("/hello")
    );
    world.home.write("tools/greet.md", &document);
    let calls = "
        const short = (r: any) => [r.status, r.output ?? null, r.error ? r.error.code : null];
        const fields = { name: '@a {b}', loud: false };
        return JSON.stringify([
          short(await flo.callTool({ tool_id: 'greet', input: fields })),
          (await flo.callTool<any>({ tool_id: 'greet.hello', input: fields })).output.body.said,
          short(await flo.callTool({ tool_id: 'greet', input: {} })),
          short(await flo.callTool({ tool_id: 'greet', input: { name: 'n', other: 1 } })),
          short(await flo.callTool({ tool_id: 'greet.none', input: fields })),
          short(await flo.callTool({ tool_id: 'greet.script' })),
          string.vars.get('heard'),
        ]);";
    tool(&world, "caller", "script_tools: [greet]", calls);
    assert_eq!(
        world.ok("main", "/tool:caller").await,
        concat!(
            r#"[["success",{"text":"It said hello.","status":200,"body":{"said":"hello"}},null],"hello","#,
            r#"["validation_error",null,"validation_error"],["validation_error",null,"validation_error"],"#,
            r#"["failed",null,"action_not_found"],["failed",null,"not_allowed"],"hello"]"#
        )
    );
    assert_eq!(world.ok("main", "/set {x} = {heard}").await, "{x} = \"hello\"");
    assert_eq!(web.seen()[0].uri.to_string(), "/hello?name=%40a%20%7Bb%7D&loud=false");
    tool(&world, "stranger", "", "return (await flo.callTool({ tool_id: 'greet' })).error!.code;");
    assert_eq!(world.ok("main", "/tool:stranger").await, "tool_not_allowed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scripts_input_for_a_document_is_no_command_line() {
    let world = world().await;
    world.home.write("five.txt", "mine");
    world.home.write(
        "tools/doc.md",
        "---\ndefault: show\n---\n```act.show\nCLI printf '%s|%s|%s' {t} {b} {j|json}\n  t: string\n  b: boolean\n  j: json\n```\n",
    );
    let calls = "
        const call = async (input: any) => {
          const r = await flo.callTool<any>({ tool_id: 'doc', input });
          return r.output ? r.output.text : r.status;
        };
        const inputs = [{ t: '--b', j: 'str' }, { j: [[1]] }, { t: ['one'] }, { 't-file': 'five.txt' }, { b: 'yes' }, { '': 'pos' }, { 't=x': 'y' }];
        return (await Promise.all(inputs.map(call))).join('\\n');";
    tool(&world, "caller", "script_tools: [doc]", calls);
    let refused = "validation_error";
    assert_eq!(
        world.ok("main", "/tool:caller").await.lines().collect::<Vec<_>>(),
        ["--b||\"str\"", "||[[1]]", "[\"one\"]||", refused, refused, refused, refused]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_of_a_document_can_be_named() {
    let world = world().await;
    world.home.write(
        "tools/tsk.md",
        "---\nstate: [{name: p, key_prefix: tk., scope_kind: task}]\n---\n\
         ```act.go\nSCRIPT ./tsk.ts\n  by: integer = 1\n```\n\
         ```act.own\nSCRIPT ./tsk.ts own\n  task: string\n```\n\
         ```act.shell\nCLI echo $ARGS\n```\n",
    );
    world.home.write(
        "tools/tsk.ts",
        "import { flo } from 'flo:runtime';
         export async function run({ by }: { by: number }) {
           const key = { scope_kind: 'task' as const, key: 'tk.n' };
           const n = ((await flo.state.get<number>(key))?.value ?? 0) + by;
           await flo.state.put({ ...key, value: n });
           return n;
         }
         export const own = async ({ task }: any) => [task, (await flo.task.getContext()).task_id];",
    );
    for (call, total) in [
        ("--task J1", "1"),
        ("--task=J1 --by 2", "3"),
        ("--json '{\"by\": 4}' --task {job}", "7"),
        ("--@task J2", "1"),
        ("", "1"),
    ] {
        world.ok("main", "/set {job} = J1").await;
        assert_eq!(world.ok("main", &format!("/tool:tsk.go {call}")).await, total, "{call}");
    }
    assert_eq!(world.ok("main", "/tool:tsk.own --task mine --@task J3").await, "[\n  \"mine\",\n  \"J3\"\n]");
    for (call, part) in [
        ("--task", "--task needs a value"),
        ("--json [1]", "is not a JSON object"),
        ("--json '{\"by\": 1}'\n{\"by\": 2}", "given twice"),
    ] {
        let error = world.fails("main", &format!("/tool:tsk.go {call}"), "INVALID_PARAMS").await;
        assert!(error.contains(part), "{call}: {error}");
    }
}
