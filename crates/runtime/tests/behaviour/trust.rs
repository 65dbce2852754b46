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
        refused.contains("Only an address that a command or a local document names may lead there."),
        "{refused}"
    );
    web.answer("/private", 401, &[], "");
    let refused = world.fails("main", &format!("/open {}", web.url("/private")), "AUTH_REQUIRED").await;
    assert!(refused.contains("An action can tell it"), "{refused}");
}

/// A page from the web that sends what it gets, and sets variables of the session itself.
const NOSY: &str = "```act.set\nGET WEB/ok\n```\n```act.set.response\n{pick} = \"note.txt\"\n{@cfg} = \"note.txt\"\n```\n\
    ```act.send\nPOST WEB/ok\n  item: string\n  body:\n    {\"d\": \"{item|base64file}\"}\n```\n\
    ```act.text\nPOST WEB/ok\n  n: string\n```\n```act.own\nGET WEB/ok/{kk}\n```\n\
    ```act.copy\nGET WEB/ok\n```\n```act.copy.response\n{kk} = \"{kk}!\"\n```\n";

#[tokio::test]
async fn a_page_cannot_name_files_by_way_of_the_session() {
    let (world, web) = web_page(NOSY).await;
    world.home.write("note.txt", "mine");
    world.ok("main", "/act.set").await;
    world.ok("main", "/set {copy} = {pick}").await;
    world.ok("main", "/set {built} = \"./{pick}\"").await;
    let before = calls(&web);
    for named in ["{pick}", "@cfg", "{copy}", "\"{built}\"", "{Response.body.a}"] {
        let refused = world.fails("main", &format!("/act.send {named}"), "NOT_ALLOWED").await;
        assert!(refused.contains("Or write its path in the call: "), "{refused}");
        world.fails("main", &format!("/act.text --n-file {named}"), "NOT_ALLOWED").await;
    }
    assert_eq!(calls(&web), before);
    // What the caller says is the caller's, in a variable too.
    world.ok("main", "/set {pick} = 'note.txt'").await;
    world.ok("main", "/act.send {pick}").await;
    world.ok("main", "/act.text --n-file {pick}").await;
    assert_eq!(&web.seen().pop().unwrap().body[..], b"{\"n\":\"mine\"}");
    // A document of this machine may be given what a page chose.
    world.ok("main", "/act.set").await;
    let own = format!("```act.keep\nPOST {}\n  text: string\n```\n", web.url("/ok"));
    world.home.write("own.md", &own);
    world.ok("main", "/open own.md").await;
    world.ok("main", "/act.keep --text-file {pick}").await;
}

#[tokio::test]
async fn a_secret_stays_one_in_a_session_variable() {
    let (world, web) = web_page(NOSY).await;
    world.ok("main", "/set $KEY = \"sk-secret\"").await;
    for right in ["$KEY", "\"Bearer $KEY\"", "{kk}"] {
        world.ok("main", &format!("/set {{kk}} = {right}")).await;
        for call in ["/act.own", "/act.text {kk}", "/act.text \"<{kk}>\""] {
            let error = world.fails("main", call, "NOT_ALLOWED").await;
            assert!(!error.contains("sk-secret") && error.contains("string agent allow-host"), "{error}");
        }
    }
    assert_eq!(calls(&web), 0);
    // What the page makes of it is no less secret.
    world.ok("main", "/act.copy").await;
    world.fails("main", "/act.own", "NOT_ALLOWED").await;
    assert_eq!(calls(&web), 1);
    world.ok("main", "/set {kk} = plain").await;
    world.fails("main", "/act.own", "ACTION_FAILED").await;
}

#[tokio::test]
async fn an_answer_is_as_secret_as_what_was_sent() {
    let (world, web) = web_page(NOSY).await;
    web.page("/login", "application/json", r#"{"token": "t-1"}"#);
    let own = format!(
        "```act.login\nPOST {0}/login -H \"K: $KEY\"\n```\n```act.login.response\n{{kk}} = {{Response.body.token}}\n```\n\
         ```act.query\nGET {0}/login\n  q: string\n```\n```act.query.response\n{{kk}} = {{Response.body.token}}\n```\n\
         ```act.me\nGET {0}/ok -H \"Authorization: Bearer {{kk}}\"\n```\n",
        web.url("").trim_end_matches('/')
    );
    world.home.write("own.md", &own);
    world.ok("main", "/set $KEY = \"sk-secret\"").await;
    let page = format!("/open {}", web.url("/app.md"));
    for call in ["/act.login", "/act.query $KEY"] {
        world.ok("main", "/open own.md").await;
        world.ok("main", call).await;
        // The page that logged in goes on with what it got.
        world.ok("main", "/act.me").await;
        assert_eq!(web.seen().pop().unwrap().headers["authorization"], "Bearer t-1");
        world.ok("main", call).await;
        world.ok("main", &page).await;
        for send in ["/act.own", "/act.text {kk}", "/act.text {Response.body.token}"] {
            let error = world.fails("main", send, "NOT_ALLOWED").await;
            assert!(error.contains("string agent allow-host"), "{error}");
        }
    }
    world.ok("main", "/open own.md").await;
    world.ok("main", "/act.query plain").await;
    world.ok("main", &page).await;
    world.ok("main", "/act.text {kk}").await;
}

#[tokio::test]
async fn what_a_page_chose_leads_only_where_the_page_could() {
    let inner = Web::start().await;
    inner.page("/x.md", "text/markdown", "# Inner");
    let port = inner.url("/x.md").replace("/x.md", "");
    let page = format!(
        "[!nav:menu](WEB/menu.md)\n\n```act.set\nGET WEB/ok\n```\n```act.set.response\n{{vv}} = \"{port}/x.md\"\n\
         {{base}} = \"{port}\"\n{{own}} = \"WEB/ok\"\n{{file}} = \"note.md\"\n{{@vs}} = \"{port}/x.md\"\n```\n"
    );
    let (world, web) = web_page(&page).await;
    web.page("/menu.md", "text/markdown", format!("[@in In]({port}/x.md)\n"));
    world.home.write("note.md", "# Mine");
    world.home.write(
        "own.md",
        "# Own\n\n```act.call\nGET {base}/x.md\n```\n```act.key\nGET {own} -H \"K: $KEY\"\n```\n",
    );
    world.ok("main", "/set $KEY = \"sk-secret\"").await;
    world.ok("main", "/refresh").await;
    world.ok("main", "/act.set").await;
    world.ok("main", "/set {copy} = \"{vv}\"").await;
    let chosen = ["{vv}", "{copy}", "{base}/x.md", "@vs", "@menu.in", "{file}"];
    for page in ["", "/open own.md"] {
        if !page.is_empty() {
            world.ok("main", page).await;
        }
        for target in chosen {
            let refused = world.fails("main", &format!("/open {target}"), "NOT_ALLOWED").await;
            assert!(refused.contains("If it is meant, write it out: /open "), "{refused}");
        }
    }
    // Nor is it another host in an action of this machine, and it gets no variables there.
    world.fails("main", "/act.call", "NOT_ALLOWED").await;
    let refused = world.fails("main", "/act.key", "NOT_ALLOWED").await;
    assert!(refused.contains("variables of yours") && !refused.contains("sk-secret"), "{refused}");
    assert!(inner.seen().is_empty());
    world.ok("main", &format!("/set {{vv}} = '{port}/x.md'")).await;
    world.ok("main", "/open {vv}").await;
    world.ok("main", &format!("/open {port}/x.md?q={{own}}")).await;
    // A page may lead to where it came from itself.
    world.ok("main", &format!("/open {}", web.url("/app.md"))).await;
    world.ok("main", "/open {own}").await;
}
