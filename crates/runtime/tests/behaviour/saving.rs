//! Files that response templates write: where they may lie, and what is said of those that could not be written.

use serde_json::json;

use crate::actions::{JSON, with_page};

#[tokio::test]
async fn warnings_and_saved_files() {
    let (world, _web) = with_page(
        "```act.a\nGET WEB/ok\n```\n```act.a.response\nsave: Response.body\nto: out.json\nsave: Response.body.a\nto: /etc/x\n{Response.body.nope}.\n```\n",
    )
    .await;
    let reply = world.say("main", "/act.a").await;
    let refused = "ERROR(INVALID_PATH): Not saved to \"/etc/x\": ";
    assert!(reply.content.starts_with(refused), "{}", reply.content);
    assert!(reply.content.contains("{Response} has its answer"), "{}", reply.content);
    assert_eq!(
        world.home.read("out.json"),
        "{\n  \"n\": 1.1,\n  \"b\": [\n    true\n  ],\n  \"a\": \"x\"\n}\n"
    );
    assert!(reply.meta.warnings.iter().any(|warning| warning.contains("{Response.body.nope} has no value")));
    assert!(reply.meta.warnings.iter().any(|warning| warning.starts_with("not saved: ")));
    assert!(world.ok("main", "/info").await.contains("warnings:"));
}

#[tokio::test]
async fn an_answer_names_a_file_and_never_its_folder() {
    let page = "```act.in\nGET WEB/raw\n```\n```act.in.response\nsave: Response.body.data\nto: downloads/{Response.body.name}\n```\n\
        ```act.whole\nGET WEB/raw\n```\n```act.whole.response\n{n} = \"{Response.body.name}\"\nsave: Response.body.data\nto: {n}\n```\n\
        ```act.later\nGET WEB/ok\n```\n```act.later.response\nsave: Response.body.a\nto: {n}\n```\n\
        ```act.given\nGET WEB/ok\n  file: string\n```\n```act.given.response\nsave: Response.body.a\nto: {file}\n```\n";
    let (world, web) = with_page(page).await;
    world.home.write("downloads/kept.txt", "kept");
    for name in ["../.bashrc", "../tools/evil.tool.yaml", "a/b/c.txt", "~/x", "..", ""] {
        web.page("/raw", JSON, json!({"name": name, "data": "pwned"}).to_string());
        for call in ["/act.in", "/act.whole", "/act.later"] {
            let refused = world.fails("main", call, "INVALID_PATH").await;
            assert!(refused.contains("A value in the path would lead to another place."), "{refused}");
        }
    }
    for file in [".bashrc", "tools/evil.tool.yaml", "downloads/a", "a", "x"] {
        assert!(!world.home.exists(file), "{file}");
    }
    web.page("/raw", JSON, r#"{"name": "one.txt", "data": "1"}"#);
    for call in ["/act.in", "/act.whole"] {
        world.ok("main", call).await;
    }
    assert_eq!((world.home.read("downloads/one.txt"), world.home.read("one.txt")), ("1".into(), "1".into()));
    // The caller may name a folder, as in any command.
    world.ok("main", "/act.given --file sub/two.txt").await;
    assert_eq!(world.home.read("sub/two.txt"), "x");
}

#[tokio::test]
async fn an_answer_replaces_only_what_the_topic_has_seen() {
    let page = "```act.in\nGET WEB/raw\n```\n```act.in.response\nsave: Response.body.data\nto: {Response.body.name}\n```\n\
        ```act.given\nGET WEB/raw\n  file: string\n```\n```act.given.response\nsave: Response.body.data\nto: {file}\n```\n\
        ```act.fixed\nGET WEB/raw\n```\n```act.fixed.response\nsave: Response.body.data\nto: fixed.md\n```\n";
    let (world, web) = with_page(page).await;
    let answer = |name: &str, data: &str| json!({"name": name, "data": data}).to_string();
    for name in [".bashrc", " .profile", "a\nb", "\u{7f}"] {
        web.page("/raw", JSON, answer(name, "pwned"));
        world.fails("main", "/act.in", "INVALID_PATH").await;
        assert!(!world.home.exists(name.trim()), "{name:?}");
    }
    for file in ["precious.md", "given.md", "fixed.md"] {
        world.home.write(file, "mine\n");
    }
    web.page("/raw", JSON, answer("precious.md", "one\n"));
    let refused = world.fails("main", "/act.in", "CONFLICT").await;
    assert!(
        refused.contains("this topic has not read it") && refused.contains("/edit ~/precious.md"),
        "{refused}"
    );
    assert_eq!(world.home.read("precious.md"), "mine\n");
    // A variable that an answer chose is no other as an argument.
    world.ok("main", "/set {name} = {Response.body.name}").await;
    world.fails("main", "/act.given --file {name}", "CONFLICT").await;
    // What the author or the caller wrote may be replaced, and taken back.
    world.ok("main", "/act.fixed").await;
    world.ok("main", "/act.given --file given.md").await;
    assert_eq!((world.home.read("fixed.md"), world.home.read("given.md")), ("one\n".into(), "one\n".into()));
    world.ok("main", "/undo").await;
    assert_eq!(world.home.read("given.md"), "mine\n");
    // What it has read, and what it has saved itself, the topic may replace again.
    world.ok("main", "/edit precious.md").await;
    world.ok("main", "/act.in").await;
    web.page("/raw", JSON, answer("precious.md", "two\n"));
    world.ok("main", "/act.in").await;
    assert_eq!(world.home.read("precious.md"), "two\n");
    world.home.write("precious.md", "changed elsewhere\n");
    world.fails("main", "/act.in", "CONFLICT").await;
}

#[tokio::test]
async fn a_template_that_could_not_save_is_not_used() {
    for (template, said) in [
        ("save: Response.body.a", "save: needs a to: line after it"),
        ("save: Response.body.a\nDone.\nto: out.txt", "save: needs a to: line after it"),
        ("save: Response.body.a\ndecode: hex\nto: out.txt", "decode: is base64 or none"),
    ] {
        let page = format!("```act.a\nGET WEB/ok\n```\n```act.a.response\n{template}\n```\n");
        let (world, web) = with_page(&page).await;
        let refused = world.fails("main", "/act.a", "INVALID_PARAMS").await;
        assert!(refused.contains(said) && refused.contains("Nothing was called."), "{refused}");
        assert!(!world.home.exists("out.txt"));
        assert!(web.seen().is_empty());
    }
}

#[tokio::test]
async fn undo_takes_back_what_was_saved_last_and_nothing_before_it() {
    let page = "```act.one\nGET WEB/ok\n```\n```act.one.response\nsave: Response.body.a\nto: one.txt\n```\n\
        ```act.two\nGET WEB/ok\n```\n```act.two.response\nsave: Response.body.a\nto: one.txt\nsave: Response.body.a\nto: two.txt\n```\n";
    let (world, _web) = with_page(page).await;
    world.ok("main", "/write note.md\nfirst").await;
    world.ok("main", "/act.one").await;
    world.ok("main", "/undo").await;
    assert!(!world.home.exists("one.txt") && world.home.exists("note.md"));
    world.ok("main", "/write note.md\nsecond").await;
    world.ok("main", "/act.two").await;
    world.fails("main", "/undo", "NOT_FOUND").await;
    assert_eq!(world.home.read("note.md"), "second\n");
}
