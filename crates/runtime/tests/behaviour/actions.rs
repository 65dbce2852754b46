//! Actions over the whole runtime: what is sent, what is kept, what is refused.

use serde_json::{Value, json};
use testkit::{Web, World};

pub(crate) const JSON: &str = "application/json";

/// A world with one page open in `main`, whose definitions may name the web as `WEB`.
pub(crate) async fn with_page(content: &str) -> (World, Web) {
    let (world, web) = (World::new().await, Web::start().await);
    web.page("/ok", JSON, r#"{"n": 1.10, "b": [true], "a": "x"}"#);
    let base = web.url("");
    world.home.write("page.md", content.replace("WEB", base.trim_end_matches('/')));
    world.ok("main", "/open page.md").await;
    (world, web)
}

fn sent(web: &Web) -> Value {
    let seen = web.seen().pop().unwrap();
    let header = |name: &str| seen.headers.get(name).map(|value| value.to_str().unwrap().to_owned());
    json!({
        "method": seen.method,
        "uri": seen.uri.to_string(),
        "body": serde_json::from_slice::<Value>(&seen.body).unwrap_or_default(),
        "type": header("content-type"),
        "auth": header("authorization"),
    })
}

#[tokio::test]
async fn fields_go_where_they_belong_and_nowhere_else() {
    let (world, web) = with_page(
        "```act.get\nGET WEB/ok/../ok?own=a%20b&id={id}#part\n  id: string\n  q: string\n  tags: string\n```\n\
         ```act.post\nPOST WEB/ok -H \"Authorization: Bearer {token}\"\n  n: number\n  on: boolean\n  data: json\n  token: string\n```\n\
         ```act.body\nPUT WEB/ok\n  name: string\n  n: number\n  body:\n    {\"q\": \"<{name}>\", \"n\": {n}, \"x\": {missing}}\n  missing: string\n```\n\
         ```act.form\nPOST WEB/ok -H \"Content-Type: application/x-www-form-urlencoded\" -d 'a={a}&b=1'\n  a: string\n```\n\
         ```act.empty\nDELETE WEB/ok\n  a: string\n```\n",
    )
    .await;
    world.ok("main", "/act.get --id \"1&2\" --q \"a/b\" --tags x --tags y").await;
    assert_eq!(sent(&web)["uri"], "/ok?own=a%20b&id=1%262&q=a%2Fb&tags=x&tags=y");
    world.ok("main", "/act.post --token t -- 5 true '{\"b\":1,\"a\":2}'").await;
    let post = sent(&web);
    assert_eq!(post["body"], json!({"n": 5, "on": true, "data": {"b": 1, "a": 2}}));
    assert_eq!((&post["auth"], &post["type"]), (&json!("Bearer t"), &json!("application/json")));
    world.ok("main", "/act.body --name 'say \"{hi}\"' --n 2").await;
    assert_eq!(sent(&web)["body"], json!({"q": "<say \"{hi}\">", "n": 2, "x": null}));
    world.ok("main", "/act.form --a \"x&y z\"").await;
    assert_eq!(String::from_utf8_lossy(&web.seen().pop().unwrap().body), "a=x%26y%20z&b=1");
    world.ok("main", "/act.empty").await;
    assert_eq!(sent(&web)["uri"], "/ok");
    assert!(web.seen().iter().all(|seen| seen.headers["user-agent"] == "String/0.0.0"));
}

#[tokio::test]
async fn an_answer_is_shown_as_it_came_and_kept_until_the_next() {
    let (world, web) = with_page(
        "```act.json\nGET WEB/ok\n```\n```act.text\nGET WEB/text\n```\n```act.html\nGET WEB/html\n```\n\
         ```act.none\nGET WEB/none\n```\n```act.png\nGET WEB/png\n```\n",
    )
    .await;
    web.page("/text", "text/plain", "two\nlines\n");
    web.page(
        "/html",
        "text/html",
        "<html><body><main><h1>Hi</h1><p>There is <b>some</b> text here.</p></main>",
    );
    web.answer("/none", 204, &[], "");
    web.page("/png", "application/octet-stream", &b"\x89PNG\r\n\x1a\n\x00\xff"[..]);
    let pretty = "{\n  \"n\": 1.10,\n  \"b\": [\n    true\n  ],\n  \"a\": \"x\"\n}";
    assert_eq!(world.ok("main", "/act.json").await, pretty);
    assert_eq!(world.ok("main", "/set {n} = {Response.body.b[0]}").await, "{n} = \"true\"");
    let kind = world.ok("main", "/set {h} = {Response.headers.content-type}").await;
    assert_eq!(kind, "{h} = \"application/json\"");
    assert_eq!(world.ok("main", "/act.text").await, "two\nlines");
    assert!(world.ok("main", "/act.html").await.contains("There is **some** text"));
    assert_eq!(world.ok("main", "/act.none").await, "HTTP 204, no body");
    world.ok("main", "/act.png").await;
    assert_eq!(world.ok("main", "/set {p} = {Response.body}").await, "{p} = \"iVBORw0KGgoA/w==\"");
    world.fails("other", "/set {n} = {Response.body}", "UNDEFINED_VARIABLE").await;
}

#[tokio::test]
async fn a_failure_shows_what_an_agent_needs_and_no_secret() {
    let (world, web) = with_page(
        "```act.bad\nGET WEB/bad/$KEY?k=$KEY -H \"X-Key: $KEY\"\n```\n\
         ```act.handled\nGET WEB/bad/x\n```\n```act.handled.response\nif: failed\nno luck: {Response.status} {Response.body.error}\nend:\n```\n\
         ```act.gone\nGET http://127.0.0.1:1/x?k=$KEY\n```\n",
    )
    .await;
    web.answer("/bad/sk-secret", 404, &[("content-type", JSON)], r#"{"error": "no sk-secret here"}"#);
    web.answer("/bad/x", 500, &[("content-type", JSON)], r#"{"error": "broken"}"#);
    world.ok("main", "/set $KEY = \"sk-secret\"").await;
    let error = world.fails("main", "/act.bad", "ACTION_FAILED").await;
    let base = web.url("");
    let base = base.trim_end_matches('/');
    assert!(
        error.starts_with(&format!("ERROR(ACTION_FAILED): HTTP 404 from GET {base}/bad/$KEY\n")),
        "{error}"
    );
    assert!(error.contains("no $KEY here") && !error.contains("sk-secret"), "{error}");
    assert_eq!(world.ok("main", "/set {s} = {Response.status}").await, "{s} = \"404\"");
    assert_eq!(world.ok("main", "/act.handled").await, "no luck: 500 broken");
    let gone = world.fails("main", "/act.gone", "ACTION_FAILED").await;
    assert!(gone.contains("GET http://127.0.0.1:1/x: ") && !gone.contains("sk-secret"), "{gone}");
    assert_eq!(world.ok("main", "/set {s} = {Response.status}").await, "{s} = \"0\"");
    assert_eq!(world.ok("main", "/set {s} = {Response.error.code}").await, "{s} = \"ACTION_FAILED\"");
    world.say("main", "/act.handled --x sk-secret").await;
    world.say("main", "/handled sk-secret").await;
    let log = world.close().read(".string/log/audit.jsonl");
    assert!(log.contains("/act.handled --x $KEY") && !log.contains("sk-secret"), "{log}");
}

#[tokio::test]
async fn nothing_is_sent_unless_every_name_has_a_value() {
    let (world, web) = with_page(
        "---\nenv:\n  - NEEDED: \"Needed\"\n  - KIND: \"Kind\"\n    default: plain\n---\n\
         ```act.go\nGET WEB/ok?a={a}&b={b.c}&k=$NEEDED&d=$KIND&u=$UNDECLARED\n  a: string\n```\n```act.other\nGET WEB/ok\n```\n",
    )
    .await;
    let required = world.fails("main", "/act.other", "ENV_REQUIRED").await;
    assert_eq!(
        required,
        "ERROR(ENV_REQUIRED): document requires $NEEDED — \"Needed\"\n  /set $NEEDED = \"…\""
    );
    assert!(world.ok("main", "/info").await.contains("env:       $NEEDED — \"Needed\""));
    world.ok("main", "/set $NEEDED = \"n\"").await;
    let undefined = world.fails("main", "/act.go", "UNDEFINED_VARIABLE").await;
    assert!(undefined.contains("{b.c}, $UNDECLARED have no value."), "{undefined}");
    assert_eq!(web.seen().len(), 0);
    world.ok("main", "/set {b} = \"x\"\n$UNDECLARED = \"u\"").await;
    assert!(world.fails("main", "/act.go", "UNDEFINED_VARIABLE").await.contains("{b.c} has no value."));
    world.ok("main", "/act.other").await;
    world.ok("main", "/set {b} = {Response}").await;
    world.fails("main", "/act.go", "UNDEFINED_VARIABLE").await;
}

#[tokio::test]
async fn shortcuts_and_files_become_values() {
    let (world, web) = with_page(
        "[@next Next](./sub/next.md) and [Docs](https://docs.example.com/a)\n\n\
         ```act.list\nGET WEB/list\n```\n```act.list.response\nfor: x in Response.body\n{@it} = ({x.id}, {x.name})\n{@it}\nend:\n```\n\
         ```act.show\nGET WEB/ok?id={it[0]}&name={it[1]}\n  it: string\n```\n\
         ```act.say\nPOST WEB/ok\n  text: string\n  n: number\n```\n\
         ```act.pack\nPOST WEB/ok\n  f: path\n  body:\n    {\"file\": \"{f|base64file}\"}\n```\n",
    )
    .await;
    web.page("/list", JSON, r#"[{"id": "a", "name": "A&B"}, {"id": "b", "name": "@it-1"}]"#);
    world.home.write("note.txt", "{x} $KEY");
    assert_eq!(world.ok("main", "/act.list").await, "@it-1\n@it-2");
    world.ok("main", "/act.show @it-1").await;
    assert_eq!(sent(&web)["uri"], "/ok?id=a&name=A%26B");
    world.ok("main", "/act.show @it-2").await;
    assert_eq!(sent(&web)["uri"], "/ok?id=b&name=%40it-1");
    let home = world.home.path().display().to_string();
    for (call, text) in [
        ("@next", format!("{home}/sub/next.md")),
        ("@docs", "https://docs.example.com/a".to_owned()),
        ("@@it-1", "@it-1".to_owned()),
        ("'@it-1'", "@it-1".to_owned()),
        ("@nobody", "@nobody".to_owned()),
        ("--text-file note.txt", "{x} $KEY".to_owned()),
    ] {
        world.ok("main", &format!("/act.say {call}")).await;
        assert_eq!(sent(&web)["body"], json!({"text": text}), "{call}");
    }
    world.fails("main", "/act.say --n @nobody", "NOT_FOUND").await;
    world.fails("main", "/act.say --text-file ../../etc/passwd", "INVALID_PATH").await;
    world.fails("main", "/act.say --text-file ~/.string/config.json", "INVALID_PATH").await;
    world.ok("main", "/act.pack note.txt").await;
    assert_eq!(sent(&web)["body"], json!({"file": "e3h9ICRLRVk="}));
    world.fails("main", "/act.pack /etc/passwd", "INVALID_PATH").await;
}

#[tokio::test]
async fn the_first_word_may_be_an_action() {
    let (world, _web) =
        with_page("```act.search\nGET WEB/ok\n  q: string\n```\n```act.status\nGET WEB/ok\n```\n").await;
    for call in [
        "/search x",
        "/act search x",
        "/action.search x",
        "/ACT.search x",
        "/act.search \"two\nlines\"",
        "/status",
    ] {
        assert!(world.ok("main", call).await.starts_with('{'), "{call}");
    }
    let unknown = world.fails("main", "/serch x", "COMMAND_UNSUPPORTED").await;
    assert!(unknown.contains("Did you mean the action /act.search?"), "{unknown}");
    assert!(world.fails("other", "/opne x", "COMMAND_UNSUPPORTED").await.contains("Did you mean /open?"));
    assert!(
        world.fails("other", "/status", "COMMAND_UNSUPPORTED").await.contains("works in: the system hub")
    );
    world.fails("other", "/act.search", "NOT_FOUND").await;
    world.fails("bash:x", "//search", "COMMAND_UNSUPPORTED").await;
    assert!(world.fails("main", "/act.serch", "ACTION_NOT_FOUND").await.contains("Actions: search, status"));
    assert_eq!(
        world.ok("main", "/act").await,
        "Actions\n---\nsearch\n  --q: string\n  Usage: /act.search [--q \"…\"]\n\nstatus\n  Usage: /act.status"
    );
    assert!(
        world.ok("main", "/help").await.ends_with("Actions of this document: search, status · /act --help")
    );
}

#[tokio::test]
async fn an_interrupted_action_changes_nothing() {
    let (world, web) =
        with_page("```act.wait\nGET WEB/wait\n```\n```act.wait.response\n{x} = {Response.body}\n```\n").await;
    let _gate = web.gated("/wait", "text/plain", "late");
    let waiting = world.spawn(world.request("main", "/act.wait"));
    while web.seen().is_empty() {
        tokio::task::yield_now().await;
    }
    world.ok("main", "/interrupt").await;
    let reply = waiting.await.unwrap();
    assert_eq!(reply.code.map(|code| code.as_str()), Some("INTERRUPTED"));
    assert_eq!(world.ok("main", "/set").await, "No variables set.");
}

#[tokio::test]
async fn a_default_action_runs_on_open_back_and_refresh() {
    let (world, web) = with_page(
        "---\ndefault: now\n---\n# Live\n\n<!-- #part -->\nA part.\n<!-- /part -->\n\n```act.now\nGET WEB/ok\n```\n\
         ```act.now.response\n{seen} = {Response.body.a}\nNow: {seen}\n```\n",
    )
    .await;
    world.home.write("other.md", "# Other\n");
    let shown = "[actions] now · /act --help\n\n# Live\n\nA part.\n\n---\n\nNow: x";
    assert_eq!(web.seen().len(), 1);
    assert_eq!(world.ok("main", "/set").await, "Variables\n---\n{seen} = \"x\"");
    assert_eq!(world.ok("main", "/refresh").await, format!("Refreshed ~/page.md\n---\n{shown}"));
    assert_eq!(world.ok("main", "/open #part").await, "Opened ~/page.md#part\n---\nA part.");
    world.ok("main", "/open page.md#part").await;
    world.ok("main", "/open other.md").await;
    assert_eq!(web.seen().len(), 2);
    world.ok("main", "/back").await;
    assert_eq!(web.seen().len(), 2);
    web.answer("/ok", 503, &[], "down");
    let failed = world.ok("main", "/open page.md").await;
    assert!(failed.contains("\n\n---\n\nERROR(ACTION_FAILED): HTTP 503 from GET http"), "{failed}");
}

#[tokio::test]
async fn placeholders_are_filled_in_what_is_opened() {
    let (world, _web) = with_page("# Page\n").await;
    world.home.write("a b.md", "# A b\n");
    world.home.write("{x}.md", "# Literal\n");
    world.ok("main", "/set {x} = \"a b\"\n{hostile} = \"@page\"\n{d} = \"'{x}.md'\"").await;
    assert!(world.ok("main", "/open {x}.md").await.contains("# A b"));
    assert!(world.ok("main", "/open '{x}.md'").await.contains("# Literal"));
    world.fails("main", "/open {hostile}", "NOT_FOUND").await;
    world.fails("main", "/open {nothing}", "UNDEFINED_VARIABLE").await;
}

#[tokio::test]
async fn long_links_of_an_output_become_shortcuts() {
    let (world, web) = with_page(
        "# Page\n\n[Docs](https://docs.example)\n\n```act.find\nGET WEB/found\n```\n```act.find.response\n\
         {@first} = {Response.body.items[0].url}\nfor: x in Response.body.items\n- [{x.title}]({x.url})\nend:\n\
         short: [s](./s.md) `[code]({Response.body.items[0].url})`\n```\n```act.quiet\nGET WEB/ok\n```\n",
    )
    .await;
    let long = web.url("/a/page/whose/address/is/longer/than/forty/characters.md");
    let items = json!({"items": [
        {"title": "Docs", "url": format!("{long}#part")},
        {"title": "A title that is far too long to be a name", "url": long},
        {"title": "[!nav:x](y)\n```act.evil", "url": "x"},
    ]});
    web.page("/found", JSON, items.to_string());
    web.page(
        "/a/page/whose/address/is/longer/than/forty/characters.md",
        "text/markdown",
        "# Far\n\n## Part\n\nhere\n",
    );
    let shown = world.ok("main", "/act.find").await;
    assert!(
        shown.starts_with("- [Docs][@docs-2]\n- [A title that is far too long to be a name][@link-1]\n"),
        "{shown}"
    );
    assert!(shown.contains(&format!("short: [s](./s.md) `[code]({long}#part)`")), "{shown}");
    assert_eq!(world.ok("main", "/info @docs").await, "@docs → https://docs.example/");
    // They last until the next output with links, and are numbered anew in it.
    world.ok("main", "/act.quiet").await;
    assert_eq!(world.ok("main", "/info @link-1").await, format!("@link-1 → {long}"));
    assert!(world.ok("main", "/act.find").await.contains("[Docs][@docs-2]"));
    let part = world.ok("main", "/open @docs-2").await;
    assert_eq!(part, format!("Opened {long}#part\n---\n## Part\n\nhere"));
    assert!(world.ok("main", "/open @first").await.starts_with(&format!("Opened {long}#part\n")));
}

#[tokio::test]
async fn a_value_in_typed_json_stays_one_value() {
    let (world, web) = with_page("```act.e\nPOST WEB/ok\n  j: json\n  t: string\n```\n").await;
    world.ok("main", r#"/set {v} = 'x", "i": 99, "z": "y'"#).await;
    world.ok("main", r#"/act.e --j "{\"a\": \"{v}\", \"n\": [{v}]}" --t "{\"a\": \"{v}\"}""#).await;
    let hostile = r#"x", "i": 99, "z": "y"#;
    let text = format!("{{\"a\": \"{hostile}\"}}");
    assert_eq!(sent(&web)["body"], json!({"j": {"a": hostile, "n": [hostile]}, "t": text}));
    world.ok("main", "/set {v} = '1]'").await;
    let refused = world.fails("main", "/act.e --j \"[{v}\"", "INVALID_PARAMS").await;
    assert!(refused.contains("A value would change what the JSON means."), "{refused}");
}

#[tokio::test]
async fn a_file_gives_a_value_of_the_fields_type() {
    let (world, web) = with_page(
        "```act.send\nPOST WEB/ok\n  n: number\n  b: boolean\n  e: string (x|y)\n  t: string\n  j: json\n```\n",
    )
    .await;
    for (file, content) in [("n", "42\n"), ("b", "true\r\n"), ("e", "y\n"), ("t", "text\n"), ("j", "[1]\n")] {
        world.home.write(file, content);
    }
    world.ok("main", "/act.send --n-file n --b-file b --e-file e --t-file t --j-file j").await;
    let sent: Value = serde_json::from_slice(&web.seen().pop().unwrap().body).unwrap();
    assert_eq!(sent, serde_json::json!({"n": 42, "b": true, "e": "y", "t": "text\n", "j": [1]}));
    world.home.write("n", "42\n\n");
    world.fails("main", "/act.send --n-file n", "INVALID_PARAMS").await;
    world.fails("main", "/act.send --j [12345678901234567890123]", "INVALID_PARAMS").await;
}

#[tokio::test]
async fn json_is_json_whatever_it_is_called() {
    let (world, web) = with_page("```act.a\nGET WEB/raw\n```\n").await;
    for (body, path, value) in [
        (r#"{"a": {"b": 1.50}}"#, "Response.body.a.b", "1.5"),
        ("[1, 2]\n", "Response.body[1]", "2"),
        ("12", "Response.body", "12"),
        ("[draft] {x}", "Response.body", "[draft] {x}"),
    ] {
        web.page("/raw", "text/plain", body);
        assert_eq!(world.ok("main", "/act.a").await, body.trim_end(), "it is shown as it came");
        assert_eq!(
            world.ok("main", &format!("/set {{x}} = {{{path}}}")).await,
            format!("{{x}} = \"{value}\"")
        );
    }
}

#[tokio::test]
async fn a_call_without_a_body_says_that_it_has_none() {
    let (world, web) = with_page(
        "```act.post\nPOST WEB/ok\n```\n```act.put\nPUT WEB/ok\n```\n```act.patch\nPATCH WEB/ok\n```\n\
         ```act.get\nGET WEB/ok\n```\n```act.delete\nDELETE WEB/ok\n```\n",
    )
    .await;
    for (call, length) in
        [("post", Some("0")), ("put", Some("0")), ("patch", Some("0")), ("get", None), ("delete", None)]
    {
        world.ok("main", &format!("/act.{call}")).await;
        let seen = web.seen().pop().unwrap();
        let sent = seen.headers.get("content-length").map(|value| value.to_str().unwrap().to_owned());
        assert_eq!(sent.as_deref(), length, "{call}");
    }
}

#[tokio::test]
async fn a_filter_that_does_not_exist_stops_the_call() {
    let (world, web) = with_page("```act.req\nGET WEB/ok\n  s: string\n```\n").await;
    world.ok("main", "/set {s} = \"a b\"").await;
    for call in ["/act.req {s|nofilter}", "/act.req --s \"x {s|nofilter}\"", "/tool:echo --s {s|nofilter}"] {
        let content = world.fails("main", call, "INVALID_PARAMS").await;
        assert!(
            content.contains("there is no filter |nofilter") && content.contains("|urlencode"),
            "{content}"
        );
    }
    assert!(web.seen().is_empty());
    world.ok("main", "/act.req '{s|nofilter}'").await;
    assert_eq!(sent(&web)["uri"], "/ok?s=%7Bs%7Cnofilter%7D");
}

#[tokio::test]
async fn a_part_that_a_field_lacks_is_said_to_be_missing_in_what_was_given() {
    let (world, _web) = with_page(
        "```act.go\nGET WEB/ok?a={a[0]}\n  a: string\n```\n```act.obj\nGET WEB/ok?a={a.z}\n  a: json\n```\n",
    )
    .await;
    let missing = world.fails("main", "/act.go --a text", "UNDEFINED_VARIABLE").await;
    assert!(missing.contains("{a} has a value, but not this part of it: it is a text."), "{missing}");
    let missing = world.fails("main", r#"/act.obj --a '{"x": 1, "y": 2}'"#, "UNDEFINED_VARIABLE").await;
    assert!(missing.contains("it is an object with x, y."), "{missing}");
}
