//! Watches: one event for each, whatever happens in between.

use runtime::state::{Condition, Durable, Place, Write};
use runtime::task::{Id, Outcome, Record};
use runtime::watch::{Running, WATCHES_MAX};
use runtime::{agent, event};
use serde_json::json;
use testkit::{Fault, World};

fn default_agent() -> agent::Id {
    agent::Id::parse("default").unwrap()
}

/// The texts of the events that wait.
async fn told(world: &World) -> Vec<String> {
    let limit = store::Limit::entries(1_000);
    let page = world.runtime.events.list(&default_agent(), event::Show::Unacked, None, limit).await;
    page.unwrap().events.into_iter().map(|event| event.text).collect()
}

fn ended(outcome: Outcome) -> Record {
    let (tool, topic) = ("weather".to_owned(), "main".to_owned());
    Record { tool, topic, started_at: 0, ended_at: 1, outcome, calls: 1 }
}

#[tokio::test]
async fn a_key_that_changes_is_told_once() {
    let world = World::new().await;
    world.ok("system", "/state put profile build.status '\"red\"'").await;
    let reply = world.ok("main", "/watch state build.status").await;
    assert!(reply.starts_with("Watch 1: state profile build.status (it is at r"), "{reply}");
    world.ok("main", "/watch state shared:ci build.status").await;
    world.ok("system", "/state put profile other 1").await;
    assert_eq!(told(&world).await, Vec::<String>::new());
    world.ok("system", "/state put profile build.status '\"green\"'").await;
    world.ok("system", "/state put profile build.status '\"blue\"'").await;
    let told = told(&world).await;
    assert!(
        told.len() == 1 && told[0].contains("changed to r") && told[0].ends_with(": \"green\""),
        "{told:?}"
    );
    let left = world.ok("main", "/watch").await;
    assert!(left.contains("2  state shared:ci build.status") && !left.contains("profile"), "{left}");
}

#[tokio::test]
async fn a_key_that_goes_away_is_told() {
    let world = World::new().await;
    for (set, gone) in [
        ("/state put profile a 1", "/state rm profile a"),
        ("/state put task:job a 1", "/purge job"),
        ("/state put session:notes a 1", "/session close notes"),
    ] {
        world.ok("system", set).await;
        let scope = set.split(' ').nth(2).unwrap();
        world.ok("main", &format!("/watch state {scope} a")).await;
        let topic = if gone.starts_with("/purge") { "tool" } else { "system" };
        world.ok(topic, gone).await;
        assert_eq!(told(&world).await.last().unwrap(), &format!("state {scope} a was removed."));
    }
}

#[tokio::test]
async fn a_task_that_ends_is_told_to_its_agent_alone() {
    let world = World::new().await;
    world.ok("agent", "/add codex").await;
    world.run(world.request_as("codex", "main", "/watch task job-1")).await;
    world.ok("main", "/watch task job-1").await;
    let (watches, id) = (&world.runtime.watches, Id::parse("job-1").unwrap());
    watches.task_ended(&default_agent(), &Id::parse("job-2").unwrap(), &ended(Outcome::Ok)).await;
    watches.task_ended(&default_agent(), &id, &ended(Outcome::Failed)).await;
    watches.task_ended(&default_agent(), &id, &ended(Outcome::Ok)).await;
    let expected = "task job-1 has ended: failed (weather in main)\nSee more: string tool task job-1";
    assert_eq!(told(&world).await, [expected]);
    let codex = world.run(world.request_as("codex", "main", "/watch")).await.content;
    assert!(codex.contains("task job-1"), "{codex}");
}

#[tokio::test]
async fn a_call_that_is_given_up_is_told_too() {
    let world = World::new().await;
    world.ok("main", "/watch task job-1").await;
    let (watches, id) = (&world.runtime.watches, Id::parse("job-1").unwrap());
    drop(Running::new(watches, &default_agent(), &id, ended(Outcome::Failed)));
    let mut follower = event::Follower::new(world.runtime.events.clone(), default_agent(), None);
    let told = follower.next().await.unwrap().unwrap().text;
    assert!(told.starts_with("task job-1 has ended: failed"), "{told}");
    world.ok("main", "/watch task job-1").await;
    Running::new(watches, &default_agent(), &id, ended(Outcome::Failed)).ended(&ended(Outcome::Ok)).await;
    let told = follower.next().await.unwrap().unwrap().text;
    assert!(told.starts_with("task job-1 has ended: ok"), "{told}");
}

#[tokio::test]
async fn watches_outlive_the_daemon() {
    let world = World::new().await;
    world.ok("system", "/state put profile kept 1").await;
    for what in ["state kept", "state written", "task job-1"] {
        world.ok("main", &format!("/watch {what}")).await;
    }
    // The daemon dies between a write and its event: the store knows of the write alone.
    let crashed = Durable::new(world.store.clone(), world.clock.clone());
    let space = Place::Profile.space(&default_agent());
    crashed.write(&space, "written", Write::Put(json!(2)), None, &Condition::Always).await.unwrap();
    let world = world.restart().await;
    let mut told_after = told(&world).await;
    told_after.sort();
    assert_eq!(told_after.len(), 2, "{told_after:?}");
    assert!(told_after[0].starts_with("state profile written has changed to r"), "{told_after:?}");
    assert!(told_after[1].starts_with("task job-1 is lost if it was running"), "{told_after:?}");
    let world = world.restart().await;
    assert_eq!(told(&world).await.len(), 2);
    world.ok("system", "/state put profile kept 3").await;
    assert_eq!(told(&world).await.len(), 3);
    assert_eq!(world.ok("main", "/watch").await, "Watches\n---\nNothing is watched.");
}

#[tokio::test]
async fn a_watch_that_cannot_be_told_is_told_later() {
    let world = World::new().await;
    world.ok("main", "/watch state a").await;
    let (watches, space) = (&world.runtime.watches, Place::Profile.space(&default_agent()));
    world.store.set_fault(Fault::Full);
    watches.state_changed(&space, "a", runtime::watch::Change::Removed).await;
    world.store.set_fault(Fault::None);
    assert_eq!(told(&world).await, Vec::<String>::new());
    world.ok("system", "/state put profile a 1").await;
    assert_eq!(told(&world).await.len(), 1);
}

/// Nothing but the first telling knows what happened: a shell says it once.
#[tokio::test]
async fn what_there_was_no_room_for_is_told_when_there_is_some() {
    let mut world = World::new().await;
    for number in 0..event::EVENTS_MAX {
        let (events, text) = (&world.runtime.events, number.to_string());
        events.post(&default_agent(), event::Source::Webhook, text, None).await.unwrap();
    }
    for restarts in [0, 1] {
        let id = Id::parse(&format!("job-{restarts}")).unwrap();
        world.runtime.watches.set_task(&default_agent(), id.clone()).await.unwrap();
        world.runtime.watches.task_ended(&default_agent(), &id, &ended(Outcome::Ok)).await;
        assert_eq!(world.runtime.watches.list(&default_agent()).len(), 1, "it could not be told");
        if restarts > 0 {
            world = world.restart().await;
        }
        world.ok("event", "/clear --all").await;
        let told = told(&world).await;
        assert!(told.len() == 1 && told[0].starts_with(&format!("task {id} has ended: ok")), "{told:?}");
        assert_eq!(world.runtime.watches.list(&default_agent()), []);
        for number in 1..event::EVENTS_MAX {
            let (events, text) = (&world.runtime.events, number.to_string());
            events.post(&default_agent(), event::Source::Webhook, text, None).await.unwrap();
        }
    }
}

#[tokio::test]
async fn watches_are_bounded_listed_and_removed() {
    let world = World::new().await;
    assert_eq!(world.ok("main", "/watch").await, "Watches\n---\nNothing is watched.");
    for number in 0..WATCHES_MAX {
        world.ok("main", &format!("/watch state k{number}")).await;
    }
    world.fails("main", "/watch state more", "QUEUE_FULL").await;
    assert_eq!(world.ok("main", "/watch rm 1 2").await, "Removed 2 watches.");
    world.fails("main", "/watch rm 1", "NOT_FOUND").await;
    let reply = world.ok("main", "/watch state more").await;
    assert!(reply.starts_with("Watch 101: state profile more (it does not exist yet)"), "{reply}");
    let json: Vec<serde_json::Value> =
        serde_json::from_str(&world.ok("event", "/watch --json").await).unwrap();
    assert_eq!((json.len(), &json[0]["watch"]), (99, &json!("state profile k2")));
    assert_eq!(world.ok("main", "/watch rm --all").await, "Removed 99 watches.");
    world.ok("system", "/state put profile k5 1").await;
    assert_eq!(told(&world).await, Vec::<String>::new());
}

#[tokio::test]
async fn what_cannot_be_watched_is_said() {
    let world = World::new().await;
    for (line, code, hint) in [
        ("/watch bash:dev exit", "NOT_FOUND", "Any input starts one"),
        ("/watch bash:dev match 'x'", "NOT_FOUND", "string bash list"),
        ("/watch bash:dev match", "INVALID_PARAMS", "Usage: /watch"),
        ("/watch bash:dev enter", "INVALID_PARAMS", "its exit or for a match"),
        ("/watch main exit", "INVALID_PARAMS", "it has no shell"),
        ("/watch state", "INVALID_PARAMS", "KEY is missing"),
        ("/watch state nowhere:x k", "INVALID_PARAMS", "A scope is profile"),
        ("/watch task ../x", "INVALID_PARAMS", "A task is named"),
        ("/watch rm", "INVALID_PARAMS", "Usage: /watch"),
        ("/watch rm one", "INVALID_PARAMS", "Not a number"),
    ] {
        let reply = world.fails("main", line, code).await;
        assert!(reply.contains(hint), "{line}: {reply}");
    }
    let long = format!("/watch bash:dev match {}", "x".repeat(600));
    assert!(world.fails("main", &long, "INVALID_PARAMS").await.contains("512 are allowed"));
}

#[tokio::test]
async fn the_watches_of_an_agent_go_with_it() {
    let world = World::new().await;
    world.ok("agent", "/add codex").await;
    world.run(world.request_as("codex", "main", "/watch state a")).await;
    world.ok("agent", "/rm codex").await;
    world.ok("agent", "/add codex").await;
    let listed = world.run(world.request_as("codex", "main", "/watch")).await.content;
    assert_eq!(listed, "Watches\n---\nNothing is watched.");
}
