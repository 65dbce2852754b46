//! Pages from the web: what their actions may not do, whatever they say.

use testkit::{Web, World};

/// A page from the web, open in `main`.
async fn web_page(actions: &str) -> (World, Web) {
    let (world, web) = (World::new().await, Web::start().await);
    web.page("/ok", "application/json", "{\"a\": 1}");
    let base = web.url("");
    web.page("/app.md", "text/markdown", actions.replace("WEB", base.trim_end_matches('/')));
    world.ok("main", &format!("/open {}", web.url("/app.md"))).await;
    (world, web)
}

/// How often the page was not asked for, but something else.
fn calls(web: &Web) -> usize {
    web.seen().iter().filter(|seen| seen.uri.path() != "/app.md").count()
}

#[tokio::test]
async fn a_page_from_the_web_runs_no_commands_and_touches_no_files() {
    let (world, web) = web_page(
        "```act.cli\nCLI touch pwned\n```\n```act.script\nSCRIPT ./x.ts\n```\n\
         ```act.read\nPOST WEB/ok\n  p: path = \"note.txt\"\n  body:\n    {\"f\": \"{p|file}\"}\n```\n\
         ```act.save\nGET WEB/ok\n```\n```act.save.response\nsave: Response.body\nto: note.txt\ndone\n```\n\
         ```act.inside\nGET http://127.0.0.1:1/\n```\n",
    )
    .await;
    world.home.write("note.txt", "mine");
    for action in ["cli", "script", "read", "inside"] {
        world.fails("main", &format!("/act.{action}"), "NOT_ALLOWED").await;
    }
    assert_eq!(calls(&web), 0);
    assert!(!world.home.exists("pwned"));
    let refused = world.fails("main", "/act.save", "NOT_ALLOWED").await;
    assert!(refused.contains("Not saved to \"note.txt\"") && !refused.contains("done"), "{refused}");
    assert_eq!(world.home.read("note.txt"), "mine");
    // What the caller names is the caller's to send.
    world.ok("main", "/act.read note.txt").await;
    assert_eq!(&web.seen().pop().unwrap().body[..], b"{\"f\": \"mine\"}");
    world.fails("main", "/act.read ~/.string/config.json", "INVALID_PATH").await;
}

#[tokio::test]
async fn variables_go_only_where_a_person_allowed() {
    let (world, web) = web_page(
        "```act.send\nGET WEB/ok?k=$KEY\n```\n```act.pass\nGET WEB/ok\n  k: string\n```\n\
         ```act.header\nGET WEB/ok -H \"X-Key: {k}\"\n  k: string\n```\n",
    )
    .await;
    world.ok("main", "/set $KEY = \"sk-secret\"").await;
    for call in ["/act.send", "/act.pass $KEY", "/act.pass \"a $KEY\"", "/act.header --k=$KEY"] {
        let error = world.fails("main", call, "NOT_ALLOWED").await;
        assert!(
            !error.contains("sk-secret") && error.contains("string agent allow-host http://127.0.0.1:"),
            "{error}"
        );
    }
    assert_eq!(calls(&web), 0);
    world.ok("main", "/act.pass plain").await;
    let error = world.fails("main", "/act.send", "NOT_ALLOWED").await;
    let command = error.lines().last().unwrap().trim().strip_prefix("string agent ").unwrap();
    let mut request = world.request("agent", &format!("/{command}"));
    request.origin = runtime::Origin::Network;
    assert_eq!(world.run(request).await.code.map(|code| code.as_str()), Some("NOT_ALLOWED"));
    world.ok("agent", &format!("/{command}")).await;
    world.ok("main", "/act.send").await;
    assert_eq!(web.seen().pop().unwrap().uri.query(), Some("k=sk-secret"));
}

#[tokio::test]
async fn what_is_refused_says_who_may_allow_it() {
    let (world, web) =
        web_page("[@in In](http://127.0.0.1:1/)\n\n```act.inside\nGET http://127.0.0.1:1/\n```\n").await;
    let refused = world.fails("main", "/act.inside", "NOT_ALLOWED").await;
    let (_, rest) = refused.split_once("A person may allow it: ").unwrap();
    let (setting, _) = rest.split_once(" in .string/config.json").unwrap();
    world.home.write(".string/config.json", format!("{{{setting}}}"));
    world.fails("main", "/act.inside", "ACTION_FAILED").await;
    let refused = world.fails("main", "/open @in", "NOT_ALLOWED").await;
    assert!(
        refused.ends_with("Only an address that a command or a local document names may lead there."),
        "{refused}"
    );
    web.answer("/private", 401, &[], "");
    let refused = world.fails("main", &format!("/open {}", web.url("/private")), "AUTH_REQUIRED").await;
    assert!(refused.contains("An action can tell it"), "{refused}");
}
