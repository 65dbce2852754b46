//! Removing an agent: nothing that was kept in its name is met by another of that name, however the removal went.

use runtime::agent::Id;
use runtime::event::{Show, Source};
use store::{AtomicWrite, Key, Limit, Space, Store};
use testkit::{Backend, Fault, World};

/// An agent `codex` with something of everything that is kept for an agent; the token of its capability.
async fn settled(world: &World) -> String {
    world.ok("agent", "/add codex").await;
    world.home.write(".string/agents/codex/n.md", "old\n");
    for (topic, line) in [
        ("main", "/open n.md"),
        ("main", "/commit n.md --message first"),
        ("main", "/watch state profile k"),
        ("event", "/webhook"),
    ] {
        let reply = world.run(world.request_as("codex", topic, line)).await;
        assert!(reply.ok(), "{line}: {}", reply.content);
    }
    let id = Id::parse("codex").unwrap();
    world.runtime.events.post(&id, Source::Watch, "hello".to_owned(), None).await.unwrap();
    let space = Space::new("state/profile/codex");
    for space in [space, Space::new("task-state/codex/job"), Space::new("tasks/codex")] {
        let write = AtomicWrite::new().put(&space, &Key::new("k"), "1", None);
        world.store.commit(write).await.unwrap().unwrap();
    }
    let mint = "/capability mint --path ~/n.md --verbs get --json";
    let minted = world.run(world.request_as("codex", "agent", mint)).await;
    let minted: serde_json::Value = serde_json::from_str(&minted.content).unwrap();
    minted["token"].as_str().unwrap().to_owned()
}

/// Nothing of the old agent is there for the new one.
async fn assert_fresh(world: &World, token: &str) {
    let id = Id::parse("codex").unwrap();
    world.ok("agent", "/add codex").await;
    let version = world.run(world.request_as("codex", "main", "/open n.md@c1")).await;
    assert_eq!(version.code.map(|code| code.as_str()), Some("NOT_FOUND"), "{}", version.content);
    let info = world.run(world.request_as("codex", "main", "/info")).await;
    assert!(info.content.ends_with("(none open)"), "{}", info.content);
    assert!(world.runtime.capabilities.opened_by(token).await.unwrap().is_none());
    let inbox = world.runtime.events.list(&id, Show::All, None, Limit::entries(10)).await.unwrap();
    assert_eq!(inbox.events, []);
    assert_eq!(world.runtime.watches.list(&id), []);
    assert_eq!(world.runtime.tasks.list(&id).await.unwrap(), []);
    let state = world.runtime.durable.export(&Space::new("state/profile/codex")).await.unwrap();
    assert!(state.is_empty(), "{state:?}");
    assert!(world.store.get(&Space::new("webhooks"), &Key::new("codex")).await.unwrap().is_none());
}

#[tokio::test]
async fn an_agent_of_the_same_name_begins_with_nothing() {
    let world = World::new().await;
    let token = settled(&world).await;
    world.ok("agent", "/rm codex").await;
    assert_fresh(&world, &token).await;
}

#[tokio::test]
async fn a_removal_that_fails_half_way_can_be_repeated() {
    let world = World::new().await;
    let token = settled(&world).await;
    world.store.set_fault(Fault::Hold);
    let removal = world.spawn(world.request("agent", "/rm codex"));
    world.store.until_held(1).await;
    let meanwhile = world.run(world.request_as("codex", "main", "/info")).await;
    assert_eq!(meanwhile.code.map(|code| code.as_str()), Some("NOT_FOUND"), "{}", meanwhile.content);
    world.store.set_fault(Fault::Full);
    world.store.release(1);
    let failed = removal.await.unwrap();
    assert_eq!(failed.code.map(|code| code.as_str()), Some("LOAD_ERROR"), "{}", failed.content);
    assert!(failed.content.contains("Remove it again: string agent rm codex"), "{}", failed.content);
    assert!(!failed.content.contains("Nothing was changed"), "{}", failed.content);
    world.store.set_fault(Fault::None);
    assert!(world.run(world.request_as("codex", "main", "/open n.md")).await.ok());
    world.ok("agent", "/rm codex").await;
    assert_fresh(&world, &token).await;
}

#[tokio::test]
async fn what_an_agent_without_a_record_has_left_is_not_for_the_next_one() {
    let world = World::new().await;
    let token = settled(&world).await;
    let write = AtomicWrite::new().delete(&Space::new("agents"), &Key::new("codex"));
    world.store.commit(write).await.unwrap().unwrap();
    assert_fresh(&world.restart().await, &token).await;
}

#[tokio::test]
async fn an_agent_that_is_removed_from_its_own_topic_is_removed_as_a_whole() {
    for backend in Backend::ALL {
        let world = World::on(backend).await;
        let token = settled(&world).await;
        let removed = world.run(world.request_as("codex", "agent", "/rm codex")).await;
        assert!(removed.content.starts_with("Removed agent codex."), "{}", removed.content);
        assert_fresh(&world, &token).await;
    }
}
