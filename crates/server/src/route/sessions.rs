//! `/sessions`: an agent's open topics over HTTP.

use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use runtime::command::detail;
use runtime::session::Session;
use runtime::topic::Topic;
use wire::{ErrorBody, NewSession, SessionInfo, Sessions};

use super::speaker::Speaker;
use super::{App, topic_type};
use crate::failure::Failure;
use crate::json::JsonBody;

#[utoipa::path(
    get,
    path = "/sessions",
    params(Speaker),
    responses((status = 200, body = Sessions))
)]
pub async fn list(State(app): State<App>, Speaker(agent): Speaker) -> Result<Json<Sessions>, Failure> {
    let sessions = app.runtime.sessions.of(&agent.id).list();
    Ok(Json(Sessions { sessions: sessions.iter().map(|session| info(session)).collect() }))
}

#[utoipa::path(
    post,
    path = "/sessions",
    params(Speaker),
    request_body = NewSession,
    responses(
        (status = 201, description = "open now, or already before", body = SessionInfo),
        (status = 400, description = "a malformed topic", body = ErrorBody),
        (status = 429, description = "the agent has as many topics open as it may", body = ErrorBody),
    )
)]
pub async fn create(
    State(app): State<App>,
    Speaker(agent): Speaker,
    JsonBody(new): JsonBody<NewSession>,
) -> Result<(StatusCode, Json<SessionInfo>), Failure> {
    let topic = Topic::parse(&new.topic)?;
    let session = app.runtime.sessions.of(&agent.id).enter(&topic)?;
    Ok((StatusCode::CREATED, Json(info(&session))))
}

#[utoipa::path(
    delete,
    path = "/sessions/{topic}",
    params(("topic" = String, Path), Speaker),
    responses(
        (status = 204, description = "removed, with everything it held"),
        (status = 404, body = ErrorBody),
        (status = 409, description = "the only open topic", body = ErrorBody),
    )
)]
pub async fn remove(
    State(app): State<App>,
    Speaker(agent): Speaker,
    topic: Result<Path<String>, PathRejection>,
) -> Result<StatusCode, Failure> {
    let Path(topic) = topic?;
    app.runtime.close_topic(&agent.id, &Topic::parse(&topic)?, None).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub fn info(session: &Session) -> SessionInfo {
    SessionInfo {
        topic: session.topic.to_string(),
        topic_type: topic_type(session.topic.kind()),
        detail: detail(session),
        running: session.running(),
    }
}
