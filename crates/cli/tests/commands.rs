//! Commands at the edge: texts that look like something else, and directories that are gone.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use testkit::World;

async fn world() -> World {
    World::with_program(env!("CARGO_BIN_EXE_string")).await
}

#[tokio::test]
async fn a_command_is_text_for_bash_whatever_it_looks_like() {
    let world = world().await;
    let unknown = world.fails("main", "/exec -e", "EXIT_127").await;
    assert!(unknown.ends_with("-e: command not found"), "{unknown}");
    assert_eq!(world.ok("main", "/exec --timeout=20s echo hi").await, "exit: 0 | cwd: ~/\n---\nhi");
    world.fails("main", "/exec echo a\0b", "INVALID_PARAMS").await;
}

#[tokio::test]
async fn a_command_whose_directory_is_gone_names_it_and_the_way_out() {
    let world = world().await;
    world.home.write("docs/a.md", "# A\n");
    world.ok("main", "/open docs/a.md").await;
    std::fs::remove_dir_all(world.home.path().join("docs")).unwrap();
    let gone = world.fails("main", "/exec pwd", "NOT_FOUND").await;
    assert!(gone.contains("The directory ~/docs is gone.") && gone.contains("/open ~"), "{gone}");
    world.ok("main", "/open ~").await;
    assert!(world.ok("main", "/exec echo alive").await.ends_with("alive"));
}

#[tokio::test]
async fn a_shell_whose_directory_is_gone_says_so_wherever_it_is_named() {
    let world = world().await;
    let reply = world.ok("bash:a", "mkdir gone; cd gone; rmdir ../gone").await;
    assert!(reply.starts_with("exit: 0 | cwd: ~/gone (deleted)\n"), "{reply}");
    for (topic, line, shown) in [
        ("bash:a", "//info", "cwd:       ~/gone/ (deleted)\n"),
        ("main", "/topics", "cwd: ~/gone (deleted)\n"),
        ("bash", "/list", "~/gone (deleted)"),
    ] {
        let reply = world.ok(topic, line).await;
        assert!(reply.contains(shown), "{line}: {reply}");
    }
}
