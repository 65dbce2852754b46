//! `GET /activity/stream`: what happens, as server-sent events.

use std::convert::Infallible;

use axum::extract::State;
use axum::response::sse::KeepAlive;
use axum::response::{Response, Sse};
use futures::{StreamExt, stream};
use runtime::activity::{self, Life, Person, Phase, What};
use runtime::audit::format_time;
use runtime::task::Outcome;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use wire::{Activity, Deed, ErrorBody, ServerSentEvent, TaskOutcome};

use super::App;
use super::endless::Place;
use super::events::state_of;
use crate::json::json_event;

#[utoipa::path(
    get,
    path = "/activity/stream",
    responses(
        (status = 200, description = "what happens, as it happens, each with an `Activity` as its data", body = ServerSentEvent, content_type = "text/event-stream"),
        (status = 429, description = "too many streams are open", body = ErrorBody),
    )
)]
pub async fn stream(State(app): State<App>, place: Place) -> Response {
    let events = stream::unfold(app.runtime.activity.watch(), async |mut watched| {
        let next = next(&mut watched).await?;
        Some((Ok::<_, Infallible>(json_event(next.kind(), &next)), watched))
    });
    let stop = app.runtime.stop.clone();
    let until_stop = events.take_until(async move { stop.cancelled().await });
    place.of(Sse::new(until_stop).keep_alive(KeepAlive::default()))
}

async fn next(watched: &mut Receiver<activity::Event>) -> Option<Activity> {
    match watched.recv().await {
        Ok(event) => Some(to_wire(event)),
        Err(RecvError::Lagged(count)) => Some(Activity::Missed { count }),
        Err(RecvError::Closed) => None,
    }
}

fn to_wire(event: activity::Event) -> Activity {
    let activity::Event { time, agent, what } = event;
    let (time, agent) = (format_time(time), agent.to_string());
    match what {
        What::Command { topic, command, phase: Phase::Started } => {
            Activity::Command { time, agent, topic, command }
        }
        What::Command { topic, command, phase: Phase::Ended { code, ms } } => {
            let ok = code.is_none();
            let code = code.map(|code| code.as_str().to_owned());
            Activity::Reply { time, agent, topic, command, ok, code, ms }
        }
        What::Person { topic, did } => {
            let (did, command) = match did {
                Person::Attached => (Deed::Attached, None),
                Person::Ran { command } => (Deed::Ran, Some(command)),
                Person::Typed => (Deed::Typed, None),
                Person::Detached => (Deed::Detached, None),
            };
            Activity::Person { time, agent, topic, did, command }
        }
        What::Inbox { id, state } => {
            Activity::Event { time, agent, event_id: id.to_string(), state: state_of(state) }
        }
        What::Cleared { count } => Activity::Cleared { time, agent, count: count as u64 },
        What::Closed { topic } => Activity::Closed { time, agent, topic },
        What::Shell { topic, life } => {
            let did = match life {
                Life::Started => wire::Life::Started,
                Life::Ended => wire::Life::Ended,
            };
            Activity::Shell { time, agent, topic, did }
        }
        What::Task { id, tool, topic, outcome } => {
            let outcome = match outcome {
                Outcome::Running => TaskOutcome::Running,
                Outcome::Ok => TaskOutcome::Ok,
                Outcome::Failed => TaskOutcome::Failed,
            };
            Activity::Task { time, agent, topic, task: id.to_string(), tool, outcome }
        }
    }
}
