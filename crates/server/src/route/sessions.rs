//! `/sessions`: an agent's open topics over HTTP.

use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use runtime::command::detail;
use runtime::session::{Session, Topics};
use runtime::topic::Topic;
use wire::{ErrorBody, NewSession, SessionInfo, Sessions};

use super::App;
use super::exec::topic_type;
use crate::failure::Failure;
use crate::json::JsonBody;

#[utoipa::path(
    get,
    path = "/sessions",
    params(("X-Agent-Id" = Option<String>, Header, description = "whose topics; `default` when absent")),
    responses((status = 200, body = Sessions), (status = 404, description = "no such agent", body = ErrorBody))
)]
pub async fn list(State(app): State<App>, headers: HeaderMap) -> Result<Json<Sessions>, Failure> {
    let sessions = topics(&app, &headers)?.list();
    Ok(Json(Sessions { sessions: sessions.iter().map(|session| info(session)).collect() }))
}

#[utoipa::path(
    post,
    path = "/sessions",
    params(("X-Agent-Id" = Option<String>, Header, description = "whose topics; `default` when absent")),
    request_body = NewSession,
    responses(
        (status = 201, description = "open now, or already before", body = SessionInfo),
        (status = 400, description = "a malformed topic", body = ErrorBody),
        (status = 404, description = "no such agent", body = ErrorBody),
        (status = 429, description = "the agent has as many topics open as it may", body = ErrorBody),
    )
)]
pub async fn create(
    State(app): State<App>,
    headers: HeaderMap,
    JsonBody(new): JsonBody<NewSession>,
) -> Result<(StatusCode, Json<SessionInfo>), Failure> {
    let topic = Topic::parse(&new.topic)?;
    let session = topics(&app, &headers)?.enter(&topic)?;
    Ok((StatusCode::CREATED, Json(info(&session))))
}

#[utoipa::path(
    delete,
    path = "/sessions/{topic}",
    params(("topic" = String, Path), ("X-Agent-Id" = Option<String>, Header, description = "whose topics; `default` when absent")),
    responses(
        (status = 204, description = "removed, with everything it held"),
        (status = 400, description = "a malformed topic", body = ErrorBody),
        (status = 404, body = ErrorBody),
        (status = 409, description = "the only open topic", body = ErrorBody),
    )
)]
pub async fn remove(
    State(app): State<App>,
    headers: HeaderMap,
    topic: Result<Path<String>, PathRejection>,
) -> Result<StatusCode, Failure> {
    let Path(topic) = topic?;
    let agent = app.runtime.agents.named(&super::agent(&headers))?;
    app.runtime.close_topic(&agent.id, &Topic::parse(&topic)?, None).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn topics(app: &App, headers: &HeaderMap) -> Result<Arc<Topics>, Failure> {
    let agent = app.runtime.agents.named(&super::agent(headers))?;
    Ok(app.runtime.sessions.of(&agent.id))
}

pub fn info(session: &Session) -> SessionInfo {
    SessionInfo {
        topic: session.topic.to_string(),
        topic_type: topic_type(session.topic.kind()),
        detail: detail(session),
        running: session.running(),
    }
}
