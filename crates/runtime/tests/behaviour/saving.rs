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
