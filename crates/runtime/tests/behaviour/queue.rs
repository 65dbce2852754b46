//! Turns: one command at a time in a topic, in order of arrival, within limits.

use std::pin::Pin;
use std::sync::Arc;

use futures::poll;
use runtime::Reply;
use runtime::activity::{Event, Phase, What};
use runtime::session::WAITING_MAX;
use runtime::sink::Discard;
use testkit::{Fault, World};
use tokio::sync::broadcast::Receiver;
use tokio_util::sync::CancellationToken;

type Waiting<'a> = Pin<Box<dyn Future<Output = Reply> + 'a>>;

/// A world in which `/add first` runs in the topic `agent` until a write is released.
async fn busy() -> (World, tokio::task::JoinHandle<Reply>) {
    let world = World::new().await;
    world.store.set_fault(Fault::Hold);
    let running = world.spawn(world.request("agent", "/add first"));
    world.store.until_held(1).await;
    (world, running)
}

/// A command that has taken its place in the queue.
async fn queued<'a>(world: &'a World, payload: &'a str) -> Waiting<'a> {
    let mut waiting: Waiting<'a> = Box::pin(world.say("agent", payload));
    // Everything up to the wait for the turn happens in the first poll.
    assert!(poll!(&mut waiting).is_pending(), "{payload}");
    waiting
}

fn seen(watched: &mut Receiver<Event>) -> Vec<String> {
    std::iter::from_fn(|| watched.try_recv().ok())
        .map(|event| match event.what {
            What::Command { command, phase: Phase::Started, .. } => format!("start {command}"),
            What::Command { command, phase: Phase::Ended { code, .. }, .. } => {
                format!("end {command} {}", code.map_or("ok", |code| code.as_str()))
            }
            other => format!("{other:?}"),
        })
        .collect()
}

/// Requests that have come in, in this order, and of which none runs yet.
fn lined<const COUNT: usize>(
    world: &World,
    topic: &str,
    payloads: [&str; COUNT],
) -> [Waiting<'static>; COUNT] {
    payloads.map(|payload| -> Waiting<'static> {
        let request = world.request(topic, payload);
        Box::pin(world.runtime.enqueue(request, Arc::new(Discard), CancellationToken::new()).run())
    })
}

/// Whoever comes first is first, also where another one is run before it, and only while it wants to.
#[tokio::test]
async fn a_place_is_taken_before_anything_runs() {
    let world = World::new().await;
    let mut watched = world.runtime.activity.watch();
    let [first, given_up, mut last] = lined(&world, "main", ["/set {a} = 1", "/set {b} = 1", "/set {c} = 1"]);
    assert!(poll!(&mut last).is_pending());
    drop(given_up);
    assert!(first.await.ok());
    assert!(last.await.ok());
    let order = ["start /set {a} = …", "end /set {a} = … ok", "start /set {c} = …", "end /set {c} = … ok"];
    assert_eq!(seen(&mut watched), order);
}

#[tokio::test]
async fn commands_of_one_topic_run_one_at_a_time_in_order_of_arrival() {
    let (world, first) = busy().await;
    let mut watched = world.runtime.activity.watch();
    let second = queued(&world, "/add second").await;
    let third = queued(&world, "/add third").await;
    assert!(seen(&mut watched).is_empty(), "nothing starts while the first one runs");
    world.store.release(1);
    let mut others = Box::pin(futures::future::join(second, third));
    tokio::select! {
        () = world.store.until_held(2) => {}
        _ = &mut others => panic!("the second command waits for its own write"),
    }
    assert!(first.await.unwrap().ok());
    assert_eq!(seen(&mut watched), ["end /add first ok", "start /add second"]);
    world.store.release(2);
    let (second, third) = others.await;
    assert!(second.ok() && third.ok());
    assert_eq!(seen(&mut watched), ["end /add second ok", "start /add third", "end /add third ok"]);
}

#[tokio::test]
async fn other_topics_and_agents_go_on_beside_a_busy_topic() {
    let (world, running) = busy().await;
    world.ok("main", "/info").await;
    world.ok("system", "/status").await;
    assert!(world.ok("main", "/topics").await.contains("agent                hub"), "a busy topic is listed");
    assert!(!running.is_finished());
    world.store.release(1);
    assert!(running.await.unwrap().ok());
    let reply = world.run(world.request_as("first", "agent", "/current")).await;
    assert_eq!(reply.content, "first");
}

#[tokio::test]
async fn sixteen_wait_and_the_next_is_refused() {
    let (world, running) = busy().await;
    let mut waiting = Vec::new();
    for _ in 0..WAITING_MAX {
        waiting.push(queued(&world, "/current").await);
    }
    assert_eq!(waiting.len(), 16);
    let content = world.fails("agent", "/current", "QUEUE_FULL").await;
    assert_eq!(
        content,
        "ERROR(QUEUE_FULL): 16 commands already wait for agent.\n  Running: /add first\n  \
         Stop it with /interrupt, or use another topic: topics run in parallel."
    );
    drop(waiting.pop());
    let last = queued(&world, "/current").await;
    world.store.release(1);
    assert!(running.await.unwrap().ok());
    for waiting in waiting.into_iter().chain([last]) {
        assert!(waiting.await.ok());
    }
}

#[tokio::test]
async fn a_payload_that_finds_no_place_says_what_was_not_run() {
    let (world, running) = busy().await;
    let mut waiting = Vec::new();
    for _ in 0..WAITING_MAX {
        waiting.push(queued(&world, "/current").await);
    }
    let content = world.fails("main", "/info\n/open agent\n/close", "QUEUE_FULL").await;
    assert!(content.starts_with("Session info\n---\n"), "{content}");
    assert!(
        content.contains("\n\nERROR(QUEUE_FULL): ") && content.ends_with("\n  Not run: /close"),
        "{content}"
    );
    drop(waiting);
    world.store.release(1);
    assert!(running.await.unwrap().ok());
}

#[tokio::test(start_paused = true)]
async fn a_command_waits_for_a_minute_at_most() {
    let (world, running) = busy().await;
    let asked = tokio::time::Instant::now();
    let content = world.fails("agent", "/current", "QUEUE_TIMEOUT").await;
    assert_eq!(asked.elapsed().as_secs(), 60);
    assert!(content.starts_with("ERROR(QUEUE_TIMEOUT): agent was busy for 60 s."), "{content}");
    assert!(content.contains("Running: /add first"), "{content}");
    world.store.release(1);
    assert!(running.await.unwrap().ok());
    assert_eq!(world.ok("agent", "/current").await, "default");
}

#[tokio::test]
async fn a_caller_that_goes_away_takes_its_waiting_command_with_it() {
    let (world, running) = busy().await;
    let gone = queued(&world, "/add gone").await;
    let stays = queued(&world, "/add stays").await;
    drop(gone);
    world.store.set_fault(Fault::None);
    world.store.release(1);
    assert!(running.await.unwrap().ok());
    assert!(stays.await.ok());
    let list = world.ok("agent", "/list").await;
    assert!(list.contains("stays") && !list.contains("gone"), "{list}");
}

#[tokio::test]
async fn a_running_command_goes_on_when_its_caller_goes_away() {
    let world = World::new().await;
    world.store.set_fault(Fault::Hold);
    {
        let mut caller = Box::pin(world.say("agent", "/add codex"));
        tokio::select! {
            () = world.store.until_held(1) => {}
            _ = &mut caller => panic!("the write is held"),
        }
    }
    world.store.release(1);
    assert!(world.ok("agent", "/list").await.contains("codex"));
}

#[tokio::test]
async fn interrupt_stops_the_running_command_without_waiting() {
    let (world, running) = busy().await;
    let next = queued(&world, "/current").await;
    assert_eq!(world.ok("agent", "/interrupt").await, "Interrupted: /add first");
    let reply = running.await.unwrap();
    assert_eq!(reply.content, "ERROR(INTERRUPTED): Stopped: /add first");
    assert_eq!(next.await.content, "default", "what waited gets its turn");
    world.store.set_fault(Fault::None);
    assert!(!world.ok("agent", "/list").await.contains("first"));
    world.ok("agent", "/add first").await;
}

#[tokio::test]
async fn what_comes_after_an_interrupt_is_run_after_it() {
    let world = World::new().await;
    world.ok("main", "/info").await;
    let mut watched = world.runtime.activity.watch();
    let [first, mut second, mut next] = lined(&world, "main", ["/interrupt", "/interrupt", "/set {a} = 1"]);
    assert!(poll!(&mut next).is_pending());
    assert!(poll!(&mut second).is_pending());
    assert_eq!(seen(&mut watched), [] as [&str; 0]);
    assert!(!first.await.ok(), "nothing runs");
    assert!(poll!(&mut next).is_pending(), "there is another one before it");
    assert!(!second.await.ok());
    assert!(next.await.ok());
    let order = ["end /interrupt NOT_FOUND", "end /interrupt NOT_FOUND", "start /set {a} = …"];
    assert_eq!(seen(&mut watched)[..3], order);
}

#[tokio::test]
async fn an_interrupt_that_was_given_up_keeps_nobody_waiting() {
    let world = World::new().await;
    world.ok("main", "/info").await;
    let [act, next] = lined(&world, "main", ["/interrupt", "/info"]);
    drop(act);
    assert!(next.await.ok());
}

#[tokio::test]
async fn an_interrupt_waits_for_no_command_and_not_for_its_own_next() {
    let (world, running) = busy().await;
    let [before, act, after] = lined(&world, "agent", ["/current", "/interrupt\n/current", "/current"]);
    let (after, act, before) = tokio::join!(after, act, before);
    assert_eq!(running.await.unwrap().code.unwrap().as_str(), "INTERRUPTED");
    assert_eq!(act.content, "Interrupted: /add first\n\ndefault");
    assert_eq!((before.content.as_str(), after.content.as_str()), ("default", "default"));
}

#[tokio::test]
async fn a_daemon_that_stops_interrupts_what_runs_and_gives_up_what_waits() {
    let (world, running) = busy().await;
    let next = queued(&world, "/current").await;
    world.runtime.stop.cancel();
    assert_eq!(
        running.await.unwrap().content,
        "ERROR(INTERRUPTED): Stopped: /add first\n  The daemon was told to stop. The next command starts it again."
    );
    let next = next.await;
    assert!(next.ok() || next.content.starts_with("ERROR(INTERRUPTED): "), "{}", next.content);
}

#[tokio::test]
async fn interrupt_stops_one_command_of_a_payload_and_the_rest_is_not_run() {
    let world = World::new().await;
    world.store.set_fault(Fault::Hold);
    let running = world.spawn(world.request("agent", "/add first\n/add second"));
    world.store.until_held(1).await;
    world.ok("agent", "/interrupt").await;
    let reply = running.await.unwrap();
    assert_eq!(reply.content, "ERROR(INTERRUPTED): Stopped: /add first\n  Not run: /add second");
}

#[tokio::test]
async fn with_nothing_running_there_is_nothing_to_interrupt() {
    let world = World::new().await;
    for topic in ["main", "app:x", "agent"] {
        let content = world.fails(topic, "/interrupt", "NOT_FOUND").await;
        assert_eq!(content, format!("ERROR(NOT_FOUND): Nothing is running in {topic}."));
    }
    assert!(world.ok("main", "/topics").await.ends_with("1 topic open."), "asking creates nothing");
    let (world, running) = busy().await;
    world.fails("main", "/interrupt", "NOT_FOUND").await;
    world.store.release(1);
    assert!(running.await.unwrap().ok());
}

#[tokio::test]
async fn a_command_that_waited_for_a_topic_that_was_removed_gets_a_fresh_one() {
    let (world, running) = busy().await;
    let waiting = queued(&world, "/topics").await;
    world.ok("main", "/session close agent").await;
    assert_eq!(running.await.unwrap().code.unwrap().as_str(), "INTERRUPTED");
    let reply = waiting.await;
    assert!(reply.content.contains("main                 tab"), "{}", reply.content);
    assert!(reply.content.contains("agent                hub"), "{}", reply.content);
    assert_eq!(world.ok("agent", "/current").await, "default");
}
