//! `/mcp`: the Model Context Protocol over Streamable HTTP, behind the same door as everything else.

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use mcp::TooMany;
use wire::{ErrorBody, ServerSentEvent};

use super::App;
use crate::failure::Failure;
use crate::json;

#[utoipa::path(
    post,
    path = "/mcp",
    params(
        ("X-Agent-Id" = Option<String>, Header, description = "which agent speaks; `default` when absent"),
        ("Mcp-Session-Id" = Option<String>, Header, description = "the session, in the revisions that have them"),
        ("MCP-Protocol-Version" = Option<String>, Header, description = "2025-03-26, 2025-06-18, 2025-11-25 or 2026-07-28"),
    ),
    request_body(content = serde_json::Value, content_type = "application/json", description = "one JSON-RPC message"),
    responses(
        (status = 200, description = "the answer, as a stream of events or as JSON", content((ServerSentEvent = "text/event-stream"), (serde_json::Value = "application/json"))),
        (status = 202, description = "a notification was taken"),
        (status = 404, description = "no such session"),
        (status = 406, description = "the client must accept both content types"),
        (status = 415, description = "not JSON"),
        (status = 503, description = "too many sessions", body = ErrorBody),
    )
)]
pub async fn post(State(app): State<App>, request: Request) -> Result<Response, Failure> {
    handle(&app, request).await
}

#[utoipa::path(
    get,
    path = "/mcp",
    params(("Mcp-Session-Id" = String, Header, description = "the session")),
    responses(
        (status = 200, description = "notifications of the session", body = ServerSentEvent, content_type = "text/event-stream"),
        (status = 404, description = "no such session"),
    )
)]
pub async fn get(State(app): State<App>, request: Request) -> Result<Response, Failure> {
    handle(&app, request).await
}

#[utoipa::path(
    delete,
    path = "/mcp",
    params(("Mcp-Session-Id" = String, Header, description = "the session")),
    responses(
        (status = 204, description = "the session has ended"),
        (status = 400, description = "no session is named"),
        (status = 404, description = "no such session"),
    )
)]
pub async fn delete(State(app): State<App>, request: Request) -> Result<Response, Failure> {
    let mut response = handle(&app, request).await?;
    // Some clients take nothing but this for an end.
    if response.status() == StatusCode::ACCEPTED {
        *response.status_mut() = StatusCode::NO_CONTENT;
    }
    Ok(response)
}

/// The body is read here, within our own limits of size and time.
async fn handle(app: &App, request: Request) -> Result<Response, Failure> {
    let (parts, body) = request.into_parts();
    let body =
        json::read(Request::from_parts(parts.clone(), body), &app.limits, app.limits.body_bytes).await?;
    let answer = app.mcp.handle(axum::http::Request::from_parts(parts, body.into())).await;
    match answer {
        Ok(response) => Ok(response.map(Body::new).into_response()),
        Err(TooMany) => {
            let message = format!("{} MCP sessions are open, which is the limit.", app.limits.mcp_sessions);
            Err(Failure::new(StatusCode::SERVICE_UNAVAILABLE, "QUEUE_FULL", message)
                .hint("End one with DELETE /mcp. One that nobody uses ends by itself after five minutes."))
        }
    }
}
