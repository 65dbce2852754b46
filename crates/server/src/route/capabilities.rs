//! `/capabilities`: an agent grants files of its own to whoever holds a token.

use std::time::Duration;

use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use runtime::agent::Agent;
use runtime::audit::format_time;
use runtime::capability::{Capability, Id, Minted, QUOTA, TTL, Terms, Uses, Verbs};
use wire::{Capabilities, CapabilityInfo, ErrorBody, MintedCapability, NewCapability};

use super::App;
use super::speaker::Speaker;
use crate::failure::Failure;
use crate::json::JsonBody;

#[utoipa::path(
    get,
    path = "/capabilities",
    params(Speaker),
    responses(
        (status = 200, description = "without their secrets", body = Capabilities),
    )
)]
pub async fn list(State(app): State<App>, Speaker(agent): Speaker) -> Result<Json<Capabilities>, Failure> {
    let listed = app.runtime.capabilities.list(&agent.id).await?;
    Ok(Json(Capabilities { capabilities: listed.iter().map(|one| info(one, &agent)).collect() }))
}

#[utoipa::path(
    post,
    path = "/capabilities",
    params(Speaker),
    request_body = NewCapability,
    responses(
        (status = 201, description = "the token is in no other answer", body = MintedCapability),
        (status = 400, description = "a malformed agent id, path, verb or time, or a path that the agent may not reach", body = ErrorBody),
        (status = 404, description = "no such agent, or a part of the path is a file", body = ErrorBody),
        (status = 409, description = "the agent has as many capabilities as it may", body = ErrorBody),
    )
)]
pub async fn mint(
    State(app): State<App>,
    Speaker(agent): Speaker,
    JsonBody(new): JsonBody<NewCapability>,
) -> Result<(StatusCode, Json<MintedCapability>), Failure> {
    if new.path.is_empty() {
        return Err(Failure::bad_request("The path is empty. The home itself is ~."));
    }
    let path = agent.workspace.from_home(&new.path);
    let terms = Terms {
        path,
        verbs: Verbs::parse(new.verbs.iter().map(String::as_str))?,
        ttl: ttl(new.ttl_seconds)?,
        uses: if new.single_use { Uses::Once } else { Uses::Many },
        quota: new.quota_bytes.unwrap_or(QUOTA),
    };
    let Minted { capability, token } = app.runtime.capabilities.mint(&agent, terms).await?;
    tracing::info!(agent = %agent.id, capability = %capability.id, "a capability was minted");
    let base = app.runtime.file_url(&capability.path, agent.workspace.home());
    let minted = MintedCapability {
        capability: info(&capability, &agent),
        url: base.map(|base| format!("{base}?cap={}", token.reveal())),
        token: token.reveal(),
    };
    Ok((StatusCode::CREATED, Json(minted)))
}

#[utoipa::path(
    delete,
    path = "/capabilities/{id}",
    params(
        ("id" = String, Path),
        Speaker,
    ),
    responses(
        (status = 204, description = "it opens nothing any more"),
        (status = 404, description = "no such capability or agent", body = ErrorBody),
    )
)]
pub async fn revoke(
    State(app): State<App>,
    id: Result<Path<String>, PathRejection>,
    Speaker(agent): Speaker,
) -> Result<StatusCode, Failure> {
    let id = Id::parse(&id?.0)?;
    app.runtime.capabilities.revoke(&agent.id, id).await?;
    tracing::info!(agent = %agent.id, capability = %id, "a capability was revoked");
    Ok(StatusCode::NO_CONTENT)
}

fn ttl(seconds: Option<u64>) -> Result<Duration, Failure> {
    match seconds {
        None => Ok(TTL),
        Some(0) => Err(Failure::bad_request("A capability lives for at least a second.")),
        Some(seconds) => Ok(Duration::from_secs(seconds)),
    }
}

fn info(one: &Capability, agent: &Agent) -> CapabilityInfo {
    CapabilityInfo {
        id: one.id.to_string(),
        path: agent.workspace.display(&one.path),
        verbs: one.verbs.names().map(str::to_owned).collect(),
        created: format_time(one.created),
        expires: format_time(one.expires),
        single_use: one.uses == Uses::Once,
        used_up: one.used_up,
        quota_bytes: one.quota,
        written_bytes: one.written,
    }
}
