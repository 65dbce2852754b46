//! Bugs and a full disk: the command fails, the topic and the runtime go on.

use testkit::{Fault, World};

#[tokio::test]
async fn a_panic_is_an_error_with_an_id_and_the_topic_lives_on() {
    let world = World::new().await;
    world.ok("agent", "/current").await;
    world.store.set_fault(Fault::Panic);
    let content = world.fails("agent", "/add codex\n/list", "INTERNAL_ERROR").await;
    let id = content.split(['(', ')']).nth(3).unwrap();
    assert_eq!(id.len(), 26, "{content}");
    assert!(id.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{content}");
    assert!(!content.contains("told to panic"), "details belong into the log: {content}");
    assert!(content.ends_with("Not run: /list"), "{content}");
    let again = world.fails("agent", "/add codex", "INTERNAL_ERROR").await;
    assert!(!again.contains(id), "each failure has its own id");
    world.store.set_fault(Fault::None);
    assert_eq!(world.ok("agent", "/current").await, "default");
    world.ok("main", "/info").await;
    world.ok("agent", "/add codex").await;
}

#[tokio::test]
async fn a_full_disk_registers_nothing_and_says_so() {
    let world = World::new().await;
    world.store.set_fault(Fault::Full);
    let content = world.fails("agent", "/add codex", "LOAD_ERROR").await;
    assert!(content.starts_with("ERROR(LOAD_ERROR): The store failed: "), "{content}");
    assert!(content.contains("Nothing was changed."), "{content}");
    assert!(!world.ok("agent", "/list").await.contains("codex"));
    let reply = world.run(world.request_as("codex", "main", "/info")).await;
    assert_eq!(reply.code.unwrap().as_str(), "NOT_FOUND");
    world.fails("agent", "/boundary off", "LOAD_ERROR").await;
    assert_eq!(world.ok("agent", "/boundary").await, "boundary: workspace");
    world.store.set_fault(Fault::None);
    world.ok("agent", "/add codex").await;
    world.store.set_fault(Fault::Full);
    world.fails("agent", "/rm codex", "LOAD_ERROR").await;
    assert!(world.ok("agent", "/list").await.contains("codex"));
}

#[tokio::test]
async fn an_agent_left_half_way_can_be_added_later() {
    let world = World::new().await;
    world.store.set_fault(Fault::Hold);
    let running = world.spawn(world.request("agent", "/add codex"));
    world.store.until_held(1).await;
    world.ok("agent", "/interrupt").await;
    assert!(!running.await.unwrap().ok());
    world.store.set_fault(Fault::None);
    world.ok("agent", "/add codex").await;
}

#[tokio::test]
async fn names_that_no_file_can_have_are_refused_in_few_words() {
    let world = World::new().await;
    let long = "x".repeat(100_000);
    for command in ["/open", "/write", "/ls", "/source"] {
        let reply = world.say("main", &format!("{command} {long}")).await;
        assert!(!reply.ok() && reply.content.len() < 2_000, "{command}: {}", reply.content.len());
    }
    let refused = world.fails("main", "/open a\0b", "INVALID_PATH").await;
    assert!(refused.contains("holds a NUL byte"), "{refused}");
    for (topic, line, way) in [
        ("main", "/open file:r.md", "by its path"),
        ("main", "/open mailto:a@b", "by its path"),
        ("tool", "/info nope", "string tool list"),
    ] {
        let reply = world.say(topic, line).await;
        assert!(!reply.ok() && reply.content.contains(way), "{line}: {}", reply.content);
    }
}
