//! `SCRIPT` actions: one Markdown file with a script is an application with durable state.

use crate::support::world;

const PAGE: &str = r#"---
title: Notes
env:
  - GREETING: "What to say"
    default: "hello"
  - NAME: "Whom"
    default: "you"
state:
  - { name: notes, key_prefix: notes., scope_kind: profile }
  - { name: seen, key_prefix: seen., scope_kind: session }
vault:
  - { key: API_TOKEN, scope_kinds: [profile] }
---
# Notes

```act.add
SCRIPT ./scripts/notes.ts add
  text: string (required) "What to note"
  times: integer = 1
```
```act.add.response
{count} = {Response.body.count}
{count} notes, the last one is {Response.body.last}; {mood}
```
```act.list
SCRIPT ./scripts/notes.ts
```
```act.greet
SCRIPT ./scripts/notes.ts greet
```
```act.fail
SCRIPT ./scripts/notes.ts fail
```
```act.caught
SCRIPT ./scripts/notes.ts fail
```
```act.caught.response
if: failed
It said {Response.error.code}: {Response.error.message}
end:
```
```act.denied
SCRIPT ./scripts/notes.ts denied
```
```act.slow
SCRIPT ./scripts/notes.ts slow --timeout 100ms
```
```act.secret
SCRIPT ./scripts/notes.ts secret
```
```act.context
SCRIPT ./scripts/notes.ts context
```
"#;

const SCRIPT: &str = r#"import { flo, string } from "flo:runtime";
const key = { scope_kind: "profile" as const, key: "notes.all" };
type Input = { text: string; times: number };

export async function add({ text, times }: Input) {
  let all: string[] = [];
  for (let i = 0; i < times; i++) all = (await flo.state.append<string>({ ...key, item: text })).entry!.value;
  string.vars.set("mood", "fine");
  return { last: all.at(-1), count: all.length };
}
export const run = async () => (await flo.state.get<string[]>(key))?.value ?? [];
export const greet = () => `${string.env.get("GREETING")} ${string.env.get("NAME")}`;
export function fail() {
  throw Object.assign(new Error("no luck"), { code: "E_LUCK" });
}
export const denied = () => flo.state.get({ scope_kind: "profile", key: "other.x" });
export const slow = () => { for (;;) {} };
export const secret = async () => {
  const token = await flo.vault.get({ scope: "profile", key: "API_TOKEN" });
  console.log("it is", token);
  string.vars.set("kept", token);
  return { token, length: token.length };
};
export const context = () => flo.task.getContext();
"#;

#[tokio::test(flavor = "multi_thread")]
async fn a_document_with_a_script_is_an_application() {
    let world = world().await;
    world.home.write("page.md", PAGE);
    world.home.write("scripts/notes.ts", SCRIPT);
    world.ok("main", "/open page.md").await;
    assert_eq!(world.ok("main", "/act.add \"buy milk\"").await, "1 notes, the last one is buy milk; fine");
    assert_eq!(world.ok("main", "/act.add tea --times 2").await, "3 notes, the last one is tea; fine");
    assert_eq!(world.ok("main", "/act.list").await, "[\n  \"buy milk\",\n  \"tea\",\n  \"tea\"\n]");
    assert_eq!(world.ok("main", "/set {first} = {Response.body[0]}").await, "{first} = \"buy milk\"");
    assert_eq!(world.ok("main", "/act.greet").await, "hello you");
    world.ok("main", "/set $GREETING = good day").await;
    assert_eq!(world.ok("main", "/act.greet").await, "good day you");
    world.fails("main", "/act.add", "INVALID_PARAMS").await;
    world.fails("main", "/act.add x --times many", "INVALID_PARAMS").await;
    let world = world.restart().await;
    world.ok("other", "/open page.md").await;
    assert!(world.ok("other", "/act.list").await.contains("buy milk"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_script_that_fails_says_where_and_a_template_may_handle_it() {
    let world = world().await;
    world.home.write("page.md", PAGE);
    world.home.write("scripts/notes.ts", SCRIPT);
    world.ok("main", "/open page.md").await;
    assert_eq!(
        world.fails("main", "/act.fail", "TOOL_FAILED").await,
        "ERROR(TOOL_FAILED): ~/page.md: no luck\n  code: E_LUCK\n  at scripts/notes.ts:14:27"
    );
    assert_eq!(world.ok("main", "/set {s} = {Response.status}").await, "{s} = \"1\"");
    assert_eq!(world.ok("main", "/act.caught").await, "It said E_LUCK: no luck");
    assert!(world.fails("main", "/act.denied", "TOOL_FAILED").await.contains("state_binding_denied"));
    assert!(world.fails("main", "/act.slow", "TOOL_FAILED").await.contains("stopped after 100 ms"));
    let context = world.ok("main", "/act.context").await;
    assert!(context.contains("\"tool_id\": \"~/page.md\""), "{context}");
    world.home.write("scripts/notes.ts", SCRIPT.replace("no luck", "much luck"));
    assert!(world.fails("main", "/act.fail", "TOOL_FAILED").await.contains("much luck"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_document_declares_wrongly_is_known_when_it_is_opened() {
    let world = world().await;
    world.home.write("scripts/notes.ts", SCRIPT);
    let page =
        PAGE.replace("key_prefix: notes., scope_kind: profile", "key_prefix: notes., scope_kind: shared");
    world.home.write("page.md", page);
    let reply = world.say("main", "/open page.md").await;
    assert!(reply.meta.warnings[0].contains("page.md:9: state[0].scope_id"), "{:?}", reply.meta.warnings);
    let refused = world.fails("main", "/act.list", "INVALID_MANIFEST").await;
    assert!(refused.contains("page.md:9"), "{refused}");
    world.home.write("page.md", PAGE.replace("./scripts/notes.ts greet", "../notes.ts"));
    let reply = world.say("main", "/open page.md").await;
    assert!(reply.meta.warnings[0].contains("outside the folder"), "{:?}", reply.meta.warnings);
    world.ok("main", "/act.list").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_that_a_script_was_shown_is_in_nothing_it_leaves() {
    let world = world().await;
    world.home.write("page.md", PAGE);
    world.home.write("scripts/notes.ts", SCRIPT);
    world.ok("main", "/open page.md").await;
    world.ok("main", "/set $API_TOKEN = sk-12345678").await;
    let reply = world.ok("main", "/act.secret").await;
    assert_eq!(reply, "{\n  \"token\": \"$API_TOKEN\",\n  \"length\": 11\n}");
    assert_eq!(world.ok("main", "/set {t} = {Response.body.token}").await, "{t} = \"$API_TOKEN\"");
    let info = world.ok("main", "/info").await;
    assert!(!info.contains("sk-12345678") && info.contains("{kept}"), "{info}");
    let tasks = world.ok("tool", "/tasks --json").await;
    let id = tasks.split("\"id\": \"").nth(1).unwrap().split('"').next().unwrap();
    let task = world.ok("tool", &format!("/task {id}")).await;
    assert!(task.contains("it is $API_TOKEN"), "{task}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_from_the_web_may_not_run_scripts() {
    let (world, web) = (world().await, testkit::Web::start().await);
    world.home.write("scripts/notes.ts", SCRIPT);
    web.page("/page.md", "text/markdown", PAGE);
    world.ok("main", &format!("/open {}", web.url("/page.md"))).await;
    let refused = world.fails("main", "/act.list", "NOT_ALLOWED").await;
    assert!(refused.contains("A page from the web may not run scripts"), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_script_of_a_document_reaches_no_hidden_files() {
    let world = world().await;
    world.ok("main", "/set $TOKEN = sk-87654321").await;
    world.home.write("page.md", "```act.go\nSCRIPT ./s.ts\n```\n");
    std::os::unix::fs::symlink(".string", world.home.path().join("plain")).unwrap();
    world.ok("main", "/open page.md").await;
    for path in ["./.string/config.json", "./plain/config.json", "../x.json", "/etc/hostname.json"] {
        world.home.write("s.ts", format!("import x from '{path}';\nexport const run = () => x;\n"));
        let error = world.fails("main", "/act.go", "TOOL_FAILED").await;
        assert!(!error.contains("sk-8765") && error.contains("s.ts:1:"), "{path}: {error}");
    }
}
