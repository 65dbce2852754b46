//! SFMD tools: called from anywhere, at home in the caller's session.

use testkit::World;

#[tokio::test]
async fn a_tool_works_in_the_callers_session() {
    let world = World::new().await;
    world.home.write(
        "tools/shout.md",
        "---\ndefault: up\n---\n```act.up\nCLI printf '%s' {text} | tr a-z A-Z\n  text: string (required)\n```\n\
         ```act.up.response\n{loud} = {Response.body}\n{loud}\n```\n\
         ```act.where\nCLI echo $CURRENT_FILE $STRING_APP_DIR\n```\n",
    );
    world.home.write("page.md", "# Page\n");
    world.ok("main", "/open page.md").await;
    world.ok("main", "/set {what} = \"hi there\"").await;
    assert_eq!(world.ok("main", "/tool:shout {what}").await, "HI THERE");
    let home = world.home.path().display().to_string();
    assert_eq!(world.ok("main", "/tool:shout.where").await, format!("{home}/page.md {home}/tools"));
    let info = world.ok("main", "/info").await;
    assert!(info.contains("file:      page.md") && info.contains("{loud}=\"HI THERE\""), "{info}");
    assert_eq!(world.ok("main", "/set {r} = {Response.status}").await, "{r} = \"0\"");
}

#[tokio::test]
async fn tools_are_found_and_explained() {
    let world = World::new().await;
    world.home.write(
        "tools/shout.md",
        "---\ndefault: up\n---\n```act.up\nCLI echo {text}\n  text: string (required)\n```\n",
    );
    world.home.write(".string/tools/quiet.md", "```act.a\nCLI echo a\n```\n```act.b\nCLI echo b\n```\n");
    assert_eq!(world.ok("main", "/tool:quiet.b").await, "b");
    let error = world.fails("main", "/tool:quiet", "INVALID_PARAMS").await;
    assert!(error.contains("/tool:quiet.a, /tool:quiet.b"), "{error}");
    assert!(world.fails("main", "/tool:quiet.c", "ACTION_NOT_FOUND").await.contains("Actions: a, b"));
    assert!(world.fails("main", "/tool:shuot", "NOT_FOUND").await.contains("Did you mean shout?"));
    assert!(world.fails("main", "/tool:../page", "NOT_FOUND").await.contains("Tools: shout, quiet"));
    let missing = world.fails("main", "/tool:shout", "INVALID_PARAMS").await;
    assert!(missing.contains("Usage: /tool:shout.up --text \"…\""), "{missing}");
    let help = world.ok("main", "/tool:shout --help").await;
    assert_eq!(help, "Actions\n---\nup\n  --text: string (required)\n  Usage: /tool:shout.up --text \"…\"");
    world.fails("main", "/tool:", "INVALID_PARAMS").await;
}
