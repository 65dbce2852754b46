//! `POST /webhook/{token}`: others put texts into an agent's inbox; `/agents/{id}/webhook`: the address for that.

use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, StatusCode};
use runtime::agent::Id;
use runtime::event::{IdempotencyKey, Source, TEXT_MAX, Token};
use wire::{ErrorBody, Received, Webhook};

use super::App;
use crate::failure::Failure;
use crate::json::{self, NoBody};

#[utoipa::path(
    post,
    path = "/webhook/{token}",
    params(
        ("token" = String, Path, description = "the secret part of the address"),
        ("Idempotency-Key" = Option<String>, Header, description = "makes a retry with the same text the same event"),
    ),
    request_body(content = String, content_type = "text/plain", description = "any UTF-8 text, at most 64 KiB, of any content type"),
    responses(
        (status = 202, description = "it is on disk", body = Received),
        (status = 400, description = "not UTF-8, or a malformed idempotency key", body = ErrorBody),
        (status = 404, description = "no such address", body = ErrorBody),
        (status = 409, description = "the idempotency key was used with another text", body = ErrorBody),
        (status = 413, description = "longer than 64 KiB", body = ErrorBody),
        (status = 429, description = "the inbox is full of events that are not acknowledged", body = ErrorBody),
    ),
    security(())
)]
pub async fn post(
    State(app): State<App>,
    token: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
    request: Request,
) -> Result<(StatusCode, Json<Received>), Failure> {
    // The address is looked at last: whatever else is wrong is said to everyone alike, and a wrong address
    // takes as long as a right one up to here.
    let bytes = json::read(request, &app.limits, TEXT_MAX).await?;
    let text = String::from_utf8(bytes).map_err(|_| Failure::bad_request("The body is not UTF-8."))?;
    let key = headers
        .get(wire::header::IDEMPOTENCY_KEY)
        .map(|value| IdempotencyKey::parse(value.to_str().unwrap_or_default()));
    let key = key.transpose()?;
    let owner = token.ok().and_then(|Path(token)| app.runtime.webhooks.agent_of(&token));
    let agent = owner.and_then(|id| app.runtime.agents.get(&id).ok()).ok_or_else(no_such_address)?;
    let posted = app.runtime.events.post(&agent.id, Source::Webhook, text, key.as_ref()).await?;
    let received = Received { ok: true, agent_id: agent.id.to_string(), event_id: posted.id.to_string() };
    Ok((StatusCode::ACCEPTED, Json(received)))
}

#[utoipa::path(
    get,
    path = "/agents/{id}/webhook",
    params(("id" = String, Path)),
    responses(
        (status = 200, body = Webhook),
        (status = 503, description = "the daemon has no port", body = ErrorBody),
    )
)]
pub async fn show(
    State(app): State<App>,
    id: Result<Path<String>, PathRejection>,
) -> Result<Json<Webhook>, Failure> {
    let agent = app.runtime.agents.get(&Id::parse(&id?.0)?)?;
    let token = app.runtime.webhooks.show(&agent.id).await?;
    address(&app, &agent.id, &token)
}

#[utoipa::path(
    post,
    path = "/agents/{id}/webhook",
    params(("id" = String, Path)),
    responses(
        (status = 200, description = "a new address; the old one is dead", body = Webhook),
        (status = 503, description = "the daemon has no port", body = ErrorBody),
    )
)]
pub async fn rotate(
    State(app): State<App>,
    id: Result<Path<String>, PathRejection>,
    _: NoBody,
) -> Result<Json<Webhook>, Failure> {
    let agent = app.runtime.agents.get(&Id::parse(&id?.0)?)?;
    let token = app.runtime.webhooks.rotate(&agent.id).await?;
    tracing::info!(agent = %agent.id, "the webhook was rotated");
    address(&app, &agent.id, &token)
}

fn address(app: &App, agent: &Id, token: &Token) -> Result<Json<Webhook>, Failure> {
    let url = app.runtime.webhook_url(token).ok_or_else(|| {
        Failure::new(StatusCode::SERVICE_UNAVAILABLE, "LOAD_ERROR", "The daemon has no port.")
    })?;
    Ok(Json(Webhook { agent_id: agent.to_string(), url }))
}

fn no_such_address() -> Failure {
    Failure::new(StatusCode::NOT_FOUND, "NOT_FOUND", "No such webhook.")
}
