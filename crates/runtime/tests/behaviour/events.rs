//! The inbox: what comes in stays until it is dealt with, and belongs to one agent.

use std::sync::Arc;
use std::time::Duration;

use runtime::agent;
use runtime::event::{EVENTS_MAX, Follower, Id, IdempotencyKey, Source, State};
use runtime::reply::REPLY_MAX;
use testkit::{Fault, World};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

fn default_agent() -> agent::Id {
    agent::Id::parse("default").unwrap()
}

async fn post(world: &World, text: &str) -> Id {
    let posted = world.runtime.events.post(&default_agent(), Source::Webhook, text.into(), None).await;
    posted.unwrap().id
}

fn follow(world: &World, after: Option<Id>) -> Follower {
    Follower::new(Arc::clone(&world.runtime.events), default_agent(), after)
}

#[tokio::test]
async fn an_event_waits_until_it_is_acknowledged() {
    let world = World::new().await;
    assert_eq!(world.ok("main", "/events").await, "Events\n---\nNo events wait.");
    let id = post(&world, "Run the follow-up now.\n\u{1b}[31msecond line").await;
    let listed = world.ok("main", "/events").await;
    assert!(
        listed
            .contains(&format!("{id}  pending  webhook  2024-01-02T03:04:05.678Z  Run the follow-up now. …")),
        "{listed}"
    );
    assert_eq!(world.ok("event", "/list").await, listed);
    assert_eq!(
        world.ok("event", &format!("/read {id}")).await,
        format!(
            "Event {id}\n---\nstate: pending | source: webhook | received: 2024-01-02T03:04:05.678Z\n\nRun the follow-up now.\n\\u{{1b}}[31msecond line"
        )
    );
    assert_eq!(world.ok("main", &format!("/events ack {id} {id}")).await, "Acknowledged 1 event.");
    assert_eq!(world.ok("event", "/list").await, "Events\n---\nNo events wait.");
    assert!(world.ok("event", "/list --all").await.contains("acked"));
    assert_eq!(world.ok("event", "/clear").await, "Removed 1 event.");
    assert_eq!(world.ok("event", "/list --all").await, "Events\n---\nNo events.");
    let (first, second) = (post(&world, "first").await, post(&world, "second").await);
    let refused = world.fails("main", &format!("/events ack {first} {id} {second}"), "NOT_FOUND").await;
    assert!(refused.contains("None of them was acknowledged."), "{refused}");
    assert!(!world.ok("event", "/list --all").await.contains("acked"));
    assert_eq!(world.ok("event", "/clear --all").await, "Removed 2 events.");
    world.fails("event", &format!("/read {id}"), "NOT_FOUND").await;
    world.fails("event", "/read evt_x", "NOT_FOUND").await;
    world.fails("main", "/events frobnicate", "INVALID_PARAMS").await;
}

#[tokio::test]
async fn clear_keeps_what_waits_unless_told_otherwise() {
    let world = World::new().await;
    let first = post(&world, "first").await;
    post(&world, "second").await;
    world.ok("event", &format!("/ack {first}")).await;
    assert_eq!(world.ok("event", "/clear").await, "Removed 1 event.");
    assert!(world.ok("event", "/list").await.contains("second"));
    assert_eq!(world.ok("event", "/clear --all").await, "Removed 1 event.");
}

#[tokio::test]
async fn a_retry_with_the_same_key_is_the_same_event() {
    let world = World::new().await;
    world.ok("agent", "/add codex").await;
    let (key, codex) = (IdempotencyKey::parse("order-7").unwrap(), agent::Id::parse("codex").unwrap());
    let inbox = &world.runtime.events;
    let first = inbox.post(&default_agent(), Source::Webhook, "a".into(), Some(&key)).await.unwrap();
    let again = inbox.post(&default_agent(), Source::Webhook, "a".into(), Some(&key)).await.unwrap();
    let other = inbox.post(&codex, Source::Webhook, "a".into(), Some(&key)).await.unwrap();
    assert_eq!(first, again);
    assert_ne!(first, other);
    assert_eq!(world.ok("event", "/list").await.lines().count(), 3);
    // Removing the event does not make the retry a new one.
    world.ok("event", "/clear --all").await;
    let late = inbox.post(&default_agent(), Source::Webhook, "a".into(), Some(&key)).await.unwrap();
    assert_eq!(first, late);
    // Another text is no retry, and must not be taken for one.
    let other = inbox.post(&default_agent(), Source::Webhook, "b".into(), Some(&key)).await.unwrap_err();
    assert_eq!(other.code.as_str(), "CONFLICT");
    assert!(other.message.contains(&first.id.to_string()), "{}", other.message);
    assert_eq!(world.ok("event", "/list --all").await, "Events\n---\nNo events.");
}

#[tokio::test]
async fn events_are_forgotten_in_time() {
    let world = World::new().await;
    let acked = post(&world, "dealt with").await;
    post(&world, "waiting").await;
    world.ok("event", &format!("/ack {acked}")).await;
    world.clock.advance(DAY * 7);
    let listed = world.ok("event", "/list --all").await;
    assert!(!listed.contains("dealt with") && listed.contains("waiting"), "{listed}");
    world.clock.advance(DAY * 23);
    assert_eq!(world.ok("event", "/list --all").await, "Events\n---\nNo events.");
    assert_eq!(world.runtime.sweep().await.unwrap(), 2);
    assert_eq!(world.runtime.sweep().await.unwrap(), 0);
}

#[tokio::test]
async fn a_follower_gets_what_waits_and_then_what_comes() {
    let world = World::new().await;
    let ids = [post(&world, "one").await, post(&world, "two").await, post(&world, "three").await];
    world.ok("event", &format!("/ack {}", ids[1])).await;
    let mut follower = follow(&world, None);
    let mut seen = Vec::new();
    for _ in 0..2 {
        let event = follower.next().await.unwrap().unwrap();
        assert_eq!(event.state, State::Delivered);
        seen.push(event.text);
    }
    assert_eq!(seen, ["one", "three"]);
    assert!(world.ok("event", "/list").await.contains("delivered"));
    let waiting = tokio::spawn(async move { (follower.next().await, follower) });
    post(&world, "four").await;
    let (event, _follower) = waiting.await.unwrap();
    assert_eq!(event.unwrap().unwrap().text, "four");
    // Delivered is not acknowledged: whoever starts anew gets them again, whoever goes on does not.
    assert_eq!(follow(&world, None).next().await.unwrap().unwrap().text, "one");
    assert_eq!(follow(&world, Some(ids[0])).next().await.unwrap().unwrap().text, "three");
}

#[tokio::test]
async fn ids_go_on_growing_when_the_clock_was_set_back() {
    let world = World::new().await;
    let first = post(&world, "one").await;
    // Another runtime on the same store, as after a restart, with a clock that is behind.
    let behind = World::new().await;
    let parts = runtime::Parts {
        root: behind.home.root(),
        home: behind.home.path().to_owned(),
        port: None,
        version: "0.0.0".into(),
        store: world.store.clone(),
        clock: Arc::new(Behind),
        audit: runtime::audit::Log::open(&behind.home.root().join("log")).unwrap(),
        token: None,
        shells: None,
        github: runtime::GitHubHosts::default(),
    };
    let restarted = runtime::Runtime::new(parts).await.unwrap();
    let late = restarted.events.post(&default_agent(), Source::Webhook, "late".into(), None).await.unwrap();
    assert!(late.id > first);
    let mut follower = Follower::new(Arc::clone(&restarted.events), default_agent(), Some(first));
    assert_eq!(follower.next().await.unwrap().unwrap().text, "late");
}

/// One hour behind the clock of the world.
struct Behind;

impl store::Clock for Behind {
    fn now(&self) -> store::Timestamp {
        store::Timestamp::from_millis(1_704_164_645_678 - 3_600_000)
    }
}

#[tokio::test]
async fn an_event_that_cannot_be_stored_is_not_taken() {
    let world = World::new().await;
    world.store.set_fault(Fault::Full);
    let refused = world.runtime.events.post(&default_agent(), Source::Webhook, "lost".into(), None).await;
    assert_eq!(refused.unwrap_err().code.as_str(), "LOAD_ERROR");
    world.store.set_fault(Fault::None);
    post(&world, "kept").await;
    let listed = world.ok("event", "/list").await;
    assert!(listed.contains("kept") && !listed.contains("lost"), "{listed}");
}

#[tokio::test]
async fn nothing_crosses_between_agents_or_outlives_one() {
    let world = World::new().await;
    world.ok("agent", "/add codex").await;
    let codex = agent::Id::parse("codex").unwrap();
    let inbox = &world.runtime.events;
    let id = inbox.post(&codex, Source::Webhook, "for codex".into(), None).await.unwrap().id;
    assert_eq!(world.ok("event", "/list").await, "Events\n---\nNo events wait.");
    world.fails("event", &format!("/read {id}"), "NOT_FOUND").await;
    world.fails("event", &format!("/ack {id}"), "NOT_FOUND").await;
    let url = world.run(world.request_as("codex", "event", "/webhook")).await.content;
    let token = url.rsplit('/').next().unwrap();
    assert_eq!(world.runtime.webhooks.agent_of(token), Some(codex.clone()));
    let mut follower = Follower::new(Arc::clone(inbox), codex.clone(), Some(id));
    world.ok("agent", "/rm codex").await;
    assert_eq!(follower.next().await.unwrap(), None);
    assert_eq!(world.runtime.webhooks.agent_of(token), None);
    world.ok("agent", "/add codex").await;
    let listed = world.run(world.request_as("codex", "event", "/list --all")).await;
    assert_eq!(listed.content, "Events\n---\nNo events.");
}

#[tokio::test]
async fn a_rotated_token_is_dead_at_once_and_the_new_one_stays() {
    let world = World::new().await;
    let token = |url: String| url.lines().next().unwrap().rsplit('/').next().unwrap().to_owned();
    let old = token(world.ok("event", "/webhook show").await);
    assert_eq!(old.len(), "wh_".len() + 48);
    assert_eq!(token(world.ok("main", "/events webhook").await), old);
    let new = token(world.ok("event", "/webhook rotate").await);
    assert_ne!(old, new);
    assert_eq!(world.runtime.webhooks.agent_of(&old), None);
    assert_eq!(world.runtime.webhooks.agent_of(&new), Some(default_agent()));
    for wrong in ["", "wh_", &new[..new.len() - 1], &format!("{new}0")] {
        assert_eq!(world.runtime.webhooks.agent_of(wrong), None, "{wrong}");
    }
}

/// Posts many events, some with a preview as long as there are, and some acknowledged.
async fn fill(world: &World, count: usize) {
    for number in 0..count {
        let text = ["é", "\u{1}", "short"][number % 3].repeat(1 + number % 100);
        let id = post(world, &format!("{number} {text}")).await;
        if number % 7 == 0 {
            world.ok("event", &format!("/ack {id}")).await;
        }
    }
}

fn fills_a_reply(page: &str) -> bool {
    (REPLY_MAX - 2048..=REPLY_MAX).contains(&page.len())
}

#[tokio::test]
async fn lists_as_json_hold_what_a_reply_can_and_lead_on() {
    let world = World::new().await;
    fill(&world, 700).await;
    let (mut next, mut seen) = (Some("/events list --all --json".to_owned()), 0);
    while let Some(command) = next {
        let reply = world.ok("event", &command).await;
        let page: Vec<serde_json::Value> = serde_json::from_str(&reply).unwrap();
        let (last, before) = page.split_last().unwrap();
        assert!(before.iter().all(|event| event.get("more").is_none()));
        next = last.get("more").map(|more| more.as_str().unwrap().to_owned());
        assert!(next.is_none() || fills_a_reply(&reply), "{}", reply.len());
        seen += page.len();
    }
    assert_eq!(seen, 700);
}

#[tokio::test]
async fn lists_hold_what_a_reply_can_and_lead_on() {
    let world = World::new().await;
    fill(&world, 900).await;
    let (mut next, mut seen) = (Some("/events list --all".to_owned()), 0);
    while let Some(command) = next {
        let reply = world.ok("event", &command).await;
        seen += reply.matches("evt_").count();
        next = reply.lines().last().unwrap().strip_prefix("… more: ").map(str::to_owned);
        assert!(next.is_none() || fills_a_reply(&reply), "{}", reply.len());
        seen -= usize::from(next.is_some());
    }
    assert_eq!(seen, 900);
    let page = world.ok("main", "/open event").await;
    assert!(page.len() <= REPLY_MAX && !page.contains("omitted") && page.contains("… more: /events list"));
}

#[tokio::test]
async fn the_words_behind_events_are_those_of_the_hub() {
    let world = World::new().await;
    let ack = world.fails("main", "/events ack --all", "INVALID_PARAMS").await;
    assert!(ack.contains("/events ack ID…") && ack.contains("/events clear --all"), "{ack}");
    assert!(world.ok("main", "/events watch state job").await.starts_with("Watch 1: state profile job"));
    assert_eq!(world.ok("main", "/events watch --json").await, world.ok("event", "/watch --json").await);
    world.ok("main", "/events watch rm 1").await;
    assert!(world.ok("main", "/watch").await.contains("Nothing is watched."));
    let wrong = world.fails("main", "/events watch bash:dev later", "INVALID_PARAMS").await;
    assert!(wrong.contains("Usage: /watch "), "{wrong}");
    world.fails("main", "/events watching", "INVALID_PARAMS").await;
}

#[tokio::test]
async fn the_longest_event_can_be_read_by_its_ends_and_whole_in_a_file() {
    let world = World::new().await;
    let text = format!("first {} last", "x".repeat(65_536 - 11));
    let id = post(&world, &text).await;
    let shown = world.ok("event", &format!("/read {id}")).await;
    assert!(shown.contains("\n\nfirst xxx") && shown.ends_with("xxx last"), "{}", shown.len());
    assert!(shown.len() <= REPLY_MAX);
    let (_, rest) = shown.split_once("full output: ~/").unwrap();
    let (file, _) = rest.split_once(" …").unwrap();
    assert_eq!(std::fs::read_to_string(world.home.path().join(file)).unwrap(), text);
}

#[tokio::test]
async fn a_full_inbox_takes_no_more_until_there_is_room() {
    let world = World::new().await;
    let inbox = &world.runtime.events;
    let mut ids = Vec::new();
    for _ in 0..EVENTS_MAX {
        ids.push(post(&world, "x").await);
    }
    let refused = inbox.post(&default_agent(), Source::Webhook, "x".into(), None).await;
    assert_eq!(refused.unwrap_err().code.as_str(), "QUEUE_FULL");
    // What is acknowledged gives way, the oldest first, and nothing else does.
    for acked in [ids[7], ids[3]] {
        world.ok("event", &format!("/ack {acked}")).await;
    }
    for gone in [ids[3], ids[7]] {
        post(&world, "takes its place").await;
        world.fails("event", &format!("/read {gone}"), "NOT_FOUND").await;
    }
    world.ok("event", &format!("/read {}", ids[0])).await;
    let refused = inbox.post(&default_agent(), Source::Webhook, "x".into(), None).await;
    assert_eq!(refused.unwrap_err().code.as_str(), "QUEUE_FULL");
    assert_eq!(world.ok("event", "/clear --all").await, format!("Removed {EVENTS_MAX} events."));
    post(&world, "there is room").await;
}

#[tokio::test]
async fn an_event_gives_way_only_when_the_one_in_its_place_is_stored() {
    let world = World::new().await;
    let mut first = None;
    for _ in 0..EVENTS_MAX {
        let id = post(&world, "x").await;
        first.get_or_insert(id);
    }
    let acked = first.unwrap();
    world.ok("event", &format!("/ack {acked}")).await;
    // Counted anew, as after a restart or a sweep.
    world.runtime.sweep().await.unwrap();
    world.store.set_fault(Fault::Full);
    let refused = world.runtime.events.post(&default_agent(), Source::Webhook, "lost".into(), None).await;
    assert_eq!(refused.unwrap_err().code.as_str(), "LOAD_ERROR");
    world.store.set_fault(Fault::None);
    world.ok("event", &format!("/read {acked}")).await;
    post(&world, "kept").await;
    world.fails("event", &format!("/read {acked}"), "NOT_FOUND").await;
}
