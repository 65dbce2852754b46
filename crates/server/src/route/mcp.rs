//! `/mcp`: the Model Context Protocol over Streamable HTTP, behind the same door as everything else.

use axum::body::Body;
use axum::extract::{FromRequestParts, Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use http_body_util::BodyExt;
use mcp::Refused;
use wire::{ErrorBody, ServerSentEvent};

use super::App;
use super::endless::Place;
use super::speaker::Speaker;
use crate::failure::Failure;
use crate::json;

/// Says what a request asks for, in the revision without sessions.
const METHOD: &str = "mcp-method";
/// What is answered until the client has had enough.
const LISTEN: &str = "subscriptions/listen";

#[utoipa::path(
    post,
    path = "/mcp",
    params(
        ("tools" = Option<String>, Query, description = "`1`: list the agent's installed tools too"),
        Speaker,
        ("Mcp-Session-Id" = Option<String>, Header, description = "the session, in the revisions that have them"),
        ("MCP-Protocol-Version" = Option<String>, Header, description = "2025-03-26, 2025-06-18, 2025-11-25 or 2026-07-28"),
    ),
    request_body(content = serde_json::Value, content_type = "application/json", description = "one JSON-RPC message"),
    responses(
        (status = 200, description = "the answer, as a stream of events or as JSON", content((ServerSentEvent = "text/event-stream"), (serde_json::Value = "application/json"))),
        (status = 202, description = "a notification was taken"),
        (status = 400, description = "not a message", body = ErrorBody),
        (status = 403, description = "the session belongs to another agent", body = ErrorBody),
        (status = 404, description = "no such session or agent", body = ErrorBody),
        (status = 406, description = "the client must accept both content types", body = ErrorBody),
        (status = 415, description = "the content type is not JSON", body = ErrorBody),
        (status = 429, description = "too many sessions, or streams", body = ErrorBody),
    )
)]
pub async fn post(State(app): State<App>, _: Speaker, request: Request) -> Result<Response, Failure> {
    json::check_type(request.headers(), &["application/json"])?;
    // The revision that has this method has the header, too, and the protocol's library compares them.
    if request.headers().get(METHOD).is_none_or(|method| method != LISTEN) {
        return handle(&app, request).await;
    }
    let (mut parts, body) = request.into_parts();
    let place = Place::from_request_parts(&mut parts, &app).await?;
    Ok(place.of(handle(&app, Request::from_parts(parts, body)).await?))
}

#[utoipa::path(
    get,
    path = "/mcp",
    params(
        Speaker,
        ("Mcp-Session-Id" = String, Header, description = "the session"),
        ("MCP-Protocol-Version" = Option<String>, Header, description = "one of the revisions with sessions"),
        ("Last-Event-ID" = Option<String>, Header, description = "go on behind this event, with notifications or the answer of a request"),
    ),
    responses(
        (status = 200, description = "notifications of the session, or the rest of an answer", body = ServerSentEvent, content_type = "text/event-stream"),
        (status = 400, description = "no session is named, or there is no such revision or event", body = ErrorBody),
        (status = 403, description = "the session belongs to another agent", body = ErrorBody),
        (status = 404, description = "no such session or agent", body = ErrorBody),
        (status = 405, description = "a revision without sessions", body = ErrorBody),
        (status = 406, description = "the client must accept `text/event-stream`", body = ErrorBody),
        (status = 429, description = "too many streams are open", body = ErrorBody),
    )
)]
pub async fn get(
    State(app): State<App>,
    _: Speaker,
    place: Place,
    request: Request,
) -> Result<Response, Failure> {
    Ok(place.of(handle(&app, request).await?))
}

#[utoipa::path(
    delete,
    path = "/mcp",
    params(
        Speaker,
        ("Mcp-Session-Id" = String, Header, description = "the session"),
        ("MCP-Protocol-Version" = Option<String>, Header, description = "one of the revisions with sessions"),
    ),
    responses(
        (status = 204, description = "the session has ended"),
        (status = 400, description = "no session is named, or there is no such revision", body = ErrorBody),
        (status = 403, description = "the session belongs to another agent", body = ErrorBody),
        (status = 404, description = "no such session or agent", body = ErrorBody),
        (status = 405, description = "a revision without sessions", body = ErrorBody),
    )
)]
pub async fn delete(State(app): State<App>, _: Speaker, request: Request) -> Result<Response, Failure> {
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
        Ok(response) => in_our_shape(response.map(Body::new).into_response()).await,
        Err(Refused::NoSession) => {
            Err(Failure::new(StatusCode::NOT_FOUND, "NOT_FOUND", "No such MCP session."))
        }
        Err(Refused::OtherAgent) => Err(Failure::forbidden("The MCP session belongs to another agent.")
            .hint("Name in X-Agent-Id the agent that opened it, or open another session.")),
        Err(Refused::NoEvent) => Err(Failure::bad_request("The session keeps nothing behind that event.")
            .hint("Without Last-Event-ID the stream goes on with what comes.")),
        Err(Refused::TooMany) => {
            let message = format!("{} MCP sessions are open, which is the limit.", app.limits.mcp_sessions);
            Err(Failure::new(StatusCode::TOO_MANY_REQUESTS, "QUEUE_FULL", message)
                .hint("End one with DELETE /mcp. One that nobody uses ends by itself after five minutes."))
        }
    }
}

/// The protocol's library says in plain text what is wrong; ours is one shape for every route. What it answers in
/// JSON is a message of the protocol, and stays.
async fn in_our_shape(response: Response) -> Result<Response, Failure> {
    let status = response.status();
    let is_message = response
        .headers()
        .get(header::CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
    if is_message || !(status.is_client_error() || status.is_server_error()) {
        return Ok(response);
    }
    let body = response.into_body().collect().await.map(|collected| collected.to_bytes()).unwrap_or_default();
    let said = String::from_utf8_lossy(&body).into_owned();
    // The content type has been checked: what it calls the wrong type is a body that is no message.
    let status = if status == StatusCode::UNSUPPORTED_MEDIA_TYPE { StatusCode::BAD_REQUEST } else { status };
    let code = match status {
        StatusCode::NOT_FOUND => "NOT_FOUND",
        StatusCode::METHOD_NOT_ALLOWED => "METHOD_NOT_ALLOWED",
        StatusCode::NOT_ACCEPTABLE => "NOT_ACCEPTABLE",
        StatusCode::PAYLOAD_TOO_LARGE => "PAYLOAD_TOO_LARGE",
        status if status.is_server_error() => "INTERNAL_ERROR",
        _ => "INVALID_PARAMS",
    };
    Err(Failure::new(status, code, said))
}
