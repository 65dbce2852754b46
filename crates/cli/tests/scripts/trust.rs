//! What comes out of a command of a local document remembers what went in, and secrets stay where they were sent.

use serde_json::json;
use testkit::{Web, World};

use crate::support::{tool, world};

/// A page from the web that sends what it gets and names a file, and a document that runs commands.
async fn pages() -> (World, Web) {
    let (world, web) = (world().await, Web::start().await);
    web.page("/ok", "application/json", "{\"a\": 1}");
    let page = "```act.send\nGET WEB/ok?k={k}\n```\n```act.read\nPOST WEB/ok\n  f: string\n  body:\n    {\"d\": \"{f|file}\"}\n```\n\
                ```act.set\nGET WEB/ok\n```\n```act.set.response\n{pick} = \"note.txt\"\n```\n";
    web.page("/app.md", "text/markdown", page.replace("WEB", web.url("").trim_end_matches('/')));
    world.home.write("note.txt", "mine");
    world.home.write(
        "own.md",
        "```act.print\nCLI printf '{\"k\":\"%s\"}' \"$KEY\"\n```\n```act.print.response\n{k} = {Response.body.k}\n```\n\
         ```act.echo\nCLI echo $ARGS\n```\n```act.echo.response\n{k} = {Response.body}\n```\n\
         ```act.fail\nCLI echo {w}; exit 3\n  w: string\n```\n```act.fail.response\nif: failed\n{k} = {Response.body}\nend:\n```\n",
    );
    world.ok("main", "/set $KEY = \"sk-secret\"").await;
    (world, web)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_does_not_make_a_secret_less_secret() {
    let (world, web) = pages().await;
    let page = format!("/open {}", web.url("/app.md"));
    for call in ["/act.print", "/act.echo a $KEY", "/act.fail $KEY"] {
        world.ok("main", "/open own.md").await;
        world.ok("main", call).await;
        // Documents of this machine go on with it.
        assert!(world.ok("main", "/act.echo {k}").await.starts_with("OK"), "{call}");
        world.ok("main", &page).await;
        let error = world.fails("main", "/act.send", "NOT_ALLOWED").await;
        assert!(!error.contains("sk-secret") && error.contains("string agent allow-host"), "{error}");
    }
    world.ok("main", "/open own.md").await;
    world.ok("main", "/act.echo plain").await;
    world.ok("main", &page).await;
    world.ok("main", "/act.send").await;
    assert_eq!(web.seen().pop().unwrap().uri.query(), Some("k=plain"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_does_not_make_a_pages_choice_the_callers() {
    let (world, web) = pages().await;
    let page = format!("/open {}", web.url("/app.md"));
    world.ok("main", &page).await;
    world.ok("main", "/act.set").await;
    for (word, outcome) in [("{pick}", Err("NOT_ALLOWED")), ("note.txt", Ok(()))] {
        world.ok("main", "/open own.md").await;
        world.ok("main", &format!("/act.echo {word}")).await;
        world.ok("main", &page).await;
        match outcome {
            Ok(()) => drop(world.ok("main", "/act.read {k}").await),
            Err(code) => drop(world.fails("main", "/act.read {k}", code).await),
        }
    }
    assert_eq!(&web.seen().pop().unwrap().body[..], b"{\"d\": \"mine\"}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redirect_takes_no_secret_to_another_host() {
    let (world, web, other) = (world().await, Web::start().await, Web::start().await);
    other.page("/ok", "text/plain", "ok");
    web.answer("/away", 302, &[("location", &other.url("/ok?k=sk%2Fsecret"))], "");
    let hosts = [web.url(""), other.url("")].map(|url| url.replace("http://", ""));
    world.home.write(".string/config.json", json!({ "net": { "allow": hosts } }).to_string());
    world.ok("main", "/set $TOKEN = sk/secret").await;
    let body = format!(
        "const key = await flo.vault.get({{ scope: 'profile', key: 'TOKEN' }});\n\
         try {{ return await (await fetch('{}?k=' + encodeURIComponent(key!))).text(); }} catch (e: any) {{ return e.code; }}",
        web.url("/away")
    );
    tool(&world, "send", "vault:\n  - { key: TOKEN, scope_kinds: [profile] }", &body);
    assert_eq!(world.ok("main", "/tool:send").await, "network_denied");
    assert!(other.seen().is_empty());
    web.answer("/away", 302, &[("location", &other.url("/ok"))], "");
    assert_eq!(world.ok("main", "/tool:send").await, "ok");
}
