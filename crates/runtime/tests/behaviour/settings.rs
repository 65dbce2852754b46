//! `config.json`: which agent is the current one, in a file that people edit too.

use serde_json::{Value, json};
use testkit::World;

const CONFIG: &str = ".string/config.json";

fn config(world: &World, path: &str) -> Value {
    serde_json::from_str(&world.home.read(path)).unwrap()
}

#[tokio::test]
async fn use_writes_the_current_agent_and_keeps_unknown_keys() {
    let world = World::new().await;
    world.home.write(CONFIG, r#"{"mine": {"z": 1, "a": [2]}, "currentAgent": "old", "env": {"A": "b"}}"#);
    world.ok("agent", "/add codex").await;
    assert_eq!(
        world.ok("agent", "/use codex").await,
        "Current agent: codex, home ~/.string/agents/codex, boundary workspace"
    );
    let expected = json!({"mine": {"z": 1, "a": [2]}, "currentAgent": "codex", "env": {"A": "b"}});
    assert_eq!(config(&world, CONFIG), expected);
    world.fails("agent", "/use nobody", "NOT_FOUND").await;
    assert_eq!(config(&world, CONFIG), expected);
}

#[tokio::test]
async fn use_local_counts_in_the_callers_directory() {
    let world = World::new().await;
    world.ok("agent", "/add codex").await;
    let dir = world.home.path().join("project");
    std::fs::create_dir(&dir).unwrap();
    let reply = world.run(world.request_from(&dir, "agent", "/use codex --local")).await;
    let start = format!("Current agent in {}: codex, home ", dir.display());
    assert!(reply.content.starts_with(&start), "{}", reply.content);
    assert_eq!(config(&world, "project/.string/config.json"), json!({"currentAgent": "codex"}));
    assert!(!world.home.exists(CONFIG));
    world.fails("agent", "/use codex --local", "INVALID_PARAMS").await;
}

#[tokio::test]
async fn removing_the_current_agent_makes_default_the_current_one() {
    let world = World::new().await;
    world.ok("agent", "/add codex\n/add other\n/use codex").await;
    world.ok("agent", "/rm other").await;
    assert_eq!(config(&world, CONFIG)["currentAgent"], "codex");
    world.ok("agent", "/rm codex").await;
    assert_eq!(config(&world, CONFIG), json!({}));
}

#[tokio::test]
async fn a_corrupt_file_is_reported_by_name_and_nothing_changes() {
    let world = World::new().await;
    world.ok("agent", "/add codex").await;
    let path = world.home.path().join(CONFIG);
    for corrupt in ["{ broken", "", "[]", "{} trailing"] {
        world.home.write(CONFIG, corrupt);
        for command in ["/use codex", "/rm codex"] {
            let content = world.fails("agent", command, "LOAD_ERROR").await;
            assert!(content.contains(&path.display().to_string()), "{content}");
            assert!(content.contains("Repair it by hand"), "{content}");
        }
        assert_eq!(world.home.read(CONFIG), corrupt);
        assert!(world.ok("agent", "/list").await.contains("codex"), "the agent was not removed by halves");
    }
    std::fs::remove_file(&path).unwrap();
    world.ok("agent", "/rm codex").await;
}

#[tokio::test]
async fn edits_by_hand_count_at_once() {
    let world = World::new().await;
    world.ok("agent", "/add codex\n/use codex").await;
    world.home.write(CONFIG, r#"{"currentAgent": "default", "new": true}"#);
    world.ok("agent", "/use codex").await;
    assert_eq!(config(&world, CONFIG), json!({"currentAgent": "codex", "new": true}));
}
