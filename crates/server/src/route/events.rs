//! `/events`: an agent's inbox over HTTP, as pages and as a stream.

use std::convert::Infallible;
use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use axum::response::sse::{Event as SseEvent, KeepAlive};
use axum::response::{Response, Sse};
use futures::{StreamExt, stream};
use runtime::audit::format_time;
use runtime::event::{self, Clear, Event, Follower, Id, Show};
use serde::Deserialize;
use store::Limit;
use wire::{Cleared, ErrorBody, EventInfo, EventState, Events, STREAM_EVENT, ServerSentEvent};

use super::App;
use super::endless::Place;
use super::speaker::Speaker;
use crate::failure::Failure;
use crate::json::{NoBody, json_event};

/// How many events a page holds unless the caller asks for fewer or more.
const PAGE: usize = 100;
const PAGE_MAX: usize = 1_000;
/// Texts may be long: a page ends where it gets larger than this.
const PAGE_BYTES: usize = 4 * 1024 * 1024;
/// What a browser's `EventSource` sends when it connects again.
const LAST_EVENT_ID: &str = "last-event-id";

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct Which {
    /// Acknowledged ones too.
    #[serde(default)]
    all: bool,
    /// Only events behind this one.
    after: Option<String>,
    /// At most so many.
    limit: Option<usize>,
}

#[utoipa::path(
    get,
    path = "/events",
    params(Which, Speaker),
    responses(
        (status = 200, body = Events),
    )
)]
pub async fn list(
    State(app): State<App>,
    which: Result<Query<Which>, QueryRejection>,
    Speaker(agent): Speaker,
) -> Result<Json<Events>, Failure> {
    let Query(which) = which?;
    let show = if which.all { Show::All } else { Show::Unacked };
    let after = which.after.map(|id| Id::parse(&id)).transpose()?;
    let limit = Limit::entries(which.limit.unwrap_or(PAGE).clamp(1, PAGE_MAX)).bytes(PAGE_BYTES);
    let event::Page { events, has_more } = app.runtime.events.list(&agent.id, show, after, limit).await?;
    Ok(Json(Events { events: events.into_iter().map(info).collect(), has_more }))
}

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct Doomed {
    /// Those that are not acknowledged too.
    #[serde(default)]
    all: bool,
}

#[utoipa::path(
    delete,
    path = "/events",
    params(Doomed, Speaker),
    responses(
        (status = 200, description = "how many acknowledged events were removed, or of all", body = Cleared),
    )
)]
pub async fn clear(
    State(app): State<App>,
    doomed: Result<Query<Doomed>, QueryRejection>,
    Speaker(agent): Speaker,
) -> Result<Json<Cleared>, Failure> {
    let Query(doomed) = doomed?;
    let which = if doomed.all { Clear::All } else { Clear::Acked };
    Ok(Json(Cleared { removed: app.runtime.clear_events(&agent.id, which).await? }))
}

#[utoipa::path(
    get,
    path = "/events/{id}",
    params(
        ("id" = String, Path),
        Speaker,
    ),
    responses(
        (status = 200, body = EventInfo),
        (status = 404, description = "no such event or agent", body = ErrorBody),
    )
)]
pub async fn read(
    State(app): State<App>,
    id: Result<Path<String>, PathRejection>,
    Speaker(agent): Speaker,
) -> Result<Json<EventInfo>, Failure> {
    let event = app.runtime.events.read(&agent.id, Id::parse(&id?.0)?).await?;
    Ok(Json(info(event)))
}

#[utoipa::path(
    post,
    path = "/events/{id}/ack",
    params(
        ("id" = String, Path),
        Speaker,
    ),
    responses(
        (status = 200, description = "acknowledged, now or before", body = EventInfo),
        (status = 404, description = "no such event or agent", body = ErrorBody),
    )
)]
pub async fn ack(
    State(app): State<App>,
    id: Result<Path<String>, PathRejection>,
    Speaker(agent): Speaker,
    _: NoBody,
) -> Result<Json<EventInfo>, Failure> {
    let event = app.runtime.events.ack(&agent.id, Id::parse(&id?.0)?).await?;
    Ok(Json(info(event)))
}

#[utoipa::path(
    get,
    path = "/events/stream",
    params(
        Speaker,
        ("Last-Event-ID" = Option<String>, Header, description = "go on behind this event; one that was never given out counts as none"),
    ),
    responses(
        (status = 200, description = "everything that is not acknowledged, then whatever comes, each as `event: event` with its id and an `EventInfo` as its data; a comment now and then keeps the connection alive", body = ServerSentEvent, content_type = "text/event-stream"),
        (status = 429, description = "too many streams are open", body = ErrorBody),
    )
)]
pub async fn stream(
    State(app): State<App>,
    Speaker(agent): Speaker,
    headers: HeaderMap,
    place: Place,
) -> Result<Response, Failure> {
    // An id that was never given out says nothing about where to go on: then everything is sent.
    let mut after = headers.get(LAST_EVENT_ID).and_then(|value| Id::parse(value.to_str().ok()?).ok());
    if let Some(id) = after
        && !app.runtime.events.was_given_out(&agent.id, id).await?
    {
        after = None;
    }
    let follower = Follower::new(Arc::clone(&app.runtime.events), agent.id.clone(), after);
    let events = stream::unfold(follower, async |mut follower| match follower.next().await {
        Ok(event) => Some((Ok::<_, Infallible>(to_sse(event?)), follower)),
        Err(error) => {
            tracing::warn!(error = %error.message, "a stream of events ends");
            None
        }
    });
    let stop = app.runtime.stop.clone();
    let until_stop = events.take_until(async move { stop.cancelled().await });
    Ok(place.of(Sse::new(until_stop).keep_alive(KeepAlive::default())))
}

fn to_sse(event: Event) -> SseEvent {
    let id = event.id.to_string();
    json_event(STREAM_EVENT, &info(event)).id(id)
}

pub fn info(event: Event) -> EventInfo {
    let Event { id, received, source, state, text } = event;
    EventInfo {
        id: id.to_string(),
        state: state_of(state),
        source: source.as_str().to_owned(),
        received: format_time(received),
        text,
    }
}

pub fn state_of(state: event::State) -> EventState {
    match state {
        event::State::Pending => EventState::Pending,
        event::State::Delivered => EventState::Delivered,
        event::State::Acked => EventState::Acked,
    }
}
