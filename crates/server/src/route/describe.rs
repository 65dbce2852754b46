//! `GET /health`, `/describe`, `/openapi.json`: what the daemon says about itself.

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use axum::routing::{MethodRouter, get};
use runtime::command::table;
use runtime::topic::{Hub, Kind};
use wire::{CommandInfo, Describe, Health, Limits};

use super::App;

/// What clients may ask for by name.
const CAPABILITIES: [&str; 9] =
    ["exec", "chanflow", "agents", "sessions", "activity", "events", "mcp", "capabilities", "fs"];

#[utoipa::path(get, path = "/health", responses((status = 200, body = Health)), security(()))]
pub async fn health(State(app): State<App>) -> Json<Health> {
    Json(Health { ok: true, version: app.runtime.version.clone() })
}

#[utoipa::path(get, path = "/describe", responses((status = 200, body = Describe)))]
pub async fn describe(State(app): State<App>) -> Json<Describe> {
    let commands = table::commands().map(|spec| CommandInfo {
        name: spec.name.to_owned(),
        usage: spec.usage.to_owned(),
        summary: spec.summary.to_owned(),
        places: spec.place.names().into_iter().map(str::to_owned).collect(),
    });
    Json(Describe {
        name: "string".to_owned(),
        version: app.runtime.version.clone(),
        port: app.runtime.port,
        capabilities: CAPABILITIES.map(str::to_owned).into(),
        topic_types: Kind::ALL.map(|kind| kind.as_str().to_owned()).into(),
        hubs: Hub::ALL.map(|hub| hub.as_str().to_owned()).into(),
        commands: commands.collect(),
        limits: Limits {
            request_bytes: app.limits.body_bytes as u64,
            reply_bytes: runtime::reply::REPLY_MAX as u64,
            document_bytes: runtime::document::DOCUMENT_MAX,
            waiting_commands: runtime::session::WAITING_MAX as u64,
            waiting_seconds: runtime::session::WAIT_MAX.as_secs(),
        },
    })
}

#[utoipa::path(
    get,
    path = "/openapi.json",
    responses((status = 200, description = "this document", body = serde_json::Value, content_type = "application/json"))
)]
#[expect(dead_code, reason = "describes what `serve_openapi` serves")]
pub fn openapi() {}

/// The document is made once, from the routes themselves.
pub fn serve_openapi(api: &utoipa::openapi::OpenApi) -> MethodRouter<App> {
    let text = api.to_json().expect("an OpenAPI document is always JSON");
    get(async move || ([(header::CONTENT_TYPE, "application/json")], text.clone()).into_response())
}
