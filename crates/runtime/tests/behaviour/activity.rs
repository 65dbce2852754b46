//! What those who watch are told, beside commands: the inbox and topics that go.

use std::sync::Arc;

use runtime::activity::{Event, What};
use runtime::agent;
use runtime::event::{Clear, Follower, Source};
use testkit::World;
use tokio::sync::broadcast::Receiver;

fn told(watching: &mut Receiver<Event>) -> Vec<String> {
    let events = std::iter::from_fn(|| watching.try_recv().ok());
    let shown = events.filter_map(|event| match event.what {
        What::Command { .. } => None,
        What::Inbox { state, .. } => Some(format!("event {}", state.as_str())),
        What::Cleared { count } => Some(format!("cleared {count}")),
        What::Closed { topic } => Some(format!("closed {topic}")),
        other => panic!("{other:?}"),
    });
    shown.collect()
}

#[tokio::test]
async fn what_becomes_of_an_event_is_told_once() {
    let world = World::new().await;
    let agent = agent::Id::parse("default").unwrap();
    let inbox = &world.runtime.events;
    let mut watching = world.runtime.activity.watch();
    let id = inbox.post(&agent, Source::Webhook, "text".into(), None).await.unwrap().id;
    assert_eq!(told(&mut watching), ["event pending"]);
    Follower::new(Arc::clone(inbox), agent.clone(), None).next().await.unwrap();
    assert_eq!(told(&mut watching), ["event delivered"]);
    for _ in 0..2 {
        world.ok("event", &format!("/ack {id}")).await;
    }
    assert_eq!(told(&mut watching), ["event acked"]);
    for _ in 0..2 {
        inbox.clear(&agent, Clear::All).await.unwrap();
    }
    assert_eq!(told(&mut watching), ["cleared 1"]);
}

#[tokio::test]
async fn a_topic_that_is_closed_is_told() {
    let world = World::new().await;
    world.ok("docs", "/info").await;
    world.ok("main", "/info").await;
    let mut watching = world.runtime.activity.watch();
    world.ok("main", "/session close docs").await;
    world.fails("main", "/session close docs", "NOT_FOUND").await;
    assert_eq!(told(&mut watching), ["closed docs"]);
}
