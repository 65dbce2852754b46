//! `/topics` to the letter, and the topics that `/close` and `/session close` leave.

use testkit::{Fault, World};

#[tokio::test]
async fn topics_are_listed_in_columns_in_order_of_creation() {
    let world = World::new().await;
    world.home.write("report.md", "# R\n\n<!-- #summary -->\ntext\n<!-- /summary -->\n");
    world.home.write("docs/a b.md", "# Spaces\n");
    world.ok("zebra", "/open ~/report.md#summary").await;
    world.ok("alpha", "/open docs/a%20b.md").await;
    world.ok("bash:dev", "//help").await;
    world.ok("app:gmail:work", "/info").await;
    world.ok("system", "/open").await;
    assert_eq!(
        world.ok("main", "/topics").await,
        "\
Active topics:

  zebra                tab     current: ~/report.md#summary
  alpha                tab     current: ~/docs/a b.md
  bash:dev             bash    (no shell)
  app:gmail:work       app     (no document)
  system               hub     system
  main                 tab     (no document)

6 topics open."
    );
    assert_eq!(world.ok("main", "/topics").await, world.ok("main", "/sessions").await);
}

#[tokio::test]
async fn the_topic_that_carries_the_command_counts() {
    let world = World::new().await;
    let expected = "Active topics:\n\n  lone                 tab     (no document)\n\n1 topic open.";
    assert_eq!(world.ok("lone", "/topics").await, expected);
}

#[tokio::test]
async fn a_filter_drops_the_heading_and_the_type() {
    let world = World::new().await;
    world.ok("main", "/info").await;
    assert_eq!(
        world.ok("main", "/topics tab").await,
        "  main                 (no document)\n\n1 tab topic open."
    );
    world.ok("docs", "/info").await;
    assert_eq!(
        world.ok("docs", "/sessions tab").await,
        "  main                 (no document)\n  docs                 (no document)\n\n2 tab topics open."
    );
    for kind in ["app", "bash", "hub"] {
        assert_eq!(world.ok("main", &format!("/topics {kind}")).await, format!("0 {kind} topics open."));
    }
    assert_eq!(world.ok("event", "/topics hub").await, "  event                event\n\n1 hub topic open.");
}

#[tokio::test]
async fn a_long_name_widens_the_column() {
    let world = World::new().await;
    let name = "a-name-of-more-than-twenty-characters";
    world.ok(name, "/info").await;
    assert_eq!(
        world.ok("main", "/topics").await,
        format!(
            "Active topics:\n\n  {name} tab     (no document)\n  {:37} tab     (no document)\n\n2 topics open.",
            "main"
        )
    );
}

#[tokio::test]
async fn an_unknown_type_is_refused_with_the_valid_ones() {
    let world = World::new().await;
    for payload in ["/topics web", "/sessions web"] {
        let content = world.fails("main", payload, "INVALID_PARAMS").await;
        assert!(content.starts_with("ERROR(INVALID_PARAMS): Unknown type \"web\"."), "{content}");
        assert!(content.contains("Types: tab, app, bash, hub"), "{content}");
    }
    world.fails("main", "/topics tab app", "INVALID_PARAMS").await;
    world.fails("main", "/topics --all", "INVALID_PARAMS").await;
}

#[tokio::test]
async fn close_drops_the_document_and_keeps_the_topic() {
    let world = World::new().await;
    world.home.write("a.md", "# A\n\n## Part\n");
    world.home.write("b.md", "# B\n");
    world.ok("main", "/open a.md").await;
    world.ok("main", "/open b.md").await;
    assert_eq!(world.ok("main", "/close").await, "Closed: ~/b.md");
    assert!(
        world.fails("main", "/close", "NOT_FOUND").await.starts_with("ERROR(NOT_FOUND): No document open.")
    );
    assert!(world.ok("main", "/topics").await.contains("main                 tab     (no document)"));
    assert!(world.ok("main", "/back").await.starts_with("Back to ~/a.md"), "the history stays");
    world.ok("main", "/open #part").await;
    assert_eq!(world.ok("main", "/close").await, "Closed: ~/a.md#part");
    world.fails("system", "/close", "COMMAND_UNSUPPORTED").await;
}

#[tokio::test]
async fn session_close_removes_a_topic_with_all_it_holds() {
    let world = World::new().await;
    world.home.write("a.md", "# A\n");
    world.home.write("b.md", "# B\n");
    world.ok("research", "/open a.md\n/open b.md").await;
    assert_eq!(world.ok("main", "/session close research").await, "Closed topic: research");
    assert!(world.ok("main", "/topics").await.ends_with("1 topic open."));
    assert!(world.ok("research", "/info").await.contains("(none open)"), "reopened, it starts fresh");
    world.fails("research", "/back", "NO_HISTORY").await;
    assert_eq!(world.ok("main", "/session close file:research").await, "Closed topic: research");
}

#[tokio::test]
async fn a_topic_may_remove_itself_but_never_the_last_one() {
    let world = World::new().await;
    let content = world.fails("main", "/session close main", "LAST_TOPIC").await;
    assert!(content.starts_with("ERROR(LAST_TOPIC): main is the only open topic."), "{content}");
    world.ok("other", "/info").await;
    assert_eq!(world.ok("main", "/session close main").await, "Closed topic: main");
    assert!(world.ok("other", "/topics").await.contains("1 topic open."));
    world.fails("other", "/session close other", "LAST_TOPIC").await;
}

#[tokio::test]
async fn commands_after_the_own_close_run_in_a_fresh_session() {
    let world = World::new().await;
    world.home.write("a.md", "# A\n");
    world.ok("other", "/info").await;
    let content = world.ok("main", "/open a.md\n/session close main\n/info").await;
    assert!(content.contains("\n\nClosed topic: main\n\nSession info\n"), "{content}");
    assert!(content.ends_with("(none open)"), "{content}");
}

#[tokio::test]
async fn an_unknown_topic_is_refused_with_the_open_ones() {
    let world = World::new().await;
    world.ok("research", "/info").await;
    let content = world.fails("main", "/session close reserach", "NOT_FOUND").await;
    assert_eq!(
        content,
        "ERROR(NOT_FOUND): No open topic reserach.\n  Did you mean research?\n  Open topics: research, main"
    );
    world.fails("main", "/session close ../x", "INVALID_TARGET").await;
    for payload in ["/session", "/session close", "/session drop x", "/session close a b"] {
        let content = world.fails("main", payload, "INVALID_PARAMS").await;
        assert!(content.contains("Usage: /session close NAME"), "{content}");
    }
}

#[tokio::test]
async fn closing_a_busy_topic_stops_its_command_and_the_next_use_is_fresh() {
    let world = World::new().await;
    world.store.set_fault(Fault::Hold);
    let running = world.spawn(world.request("agent", "/add codex\n/list"));
    world.store.until_held(1).await;
    assert_eq!(world.ok("main", "/session close agent").await, "Closed topic: agent");
    let reply = running.await.unwrap();
    assert_eq!(reply.code.unwrap().as_str(), "INTERRUPTED");
    assert!(reply.content.ends_with("\n  Not run: /list"), "{}", reply.content);
    assert!(world.ok("main", "/topics").await.ends_with("1 topic open."));
    world.store.set_fault(Fault::None);
    assert!(!world.ok("agent", "/list").await.contains("codex"), "the stopped command registered nothing");
}
