//! `/agents`: the registry over HTTP. Changes are for people, as everywhere.

use std::path::PathBuf;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::{Extension, Json};
use runtime::agent::{Agent, Boundary, Id};
use wire::{AgentInfo, Agents, ErrorBody, NewAgent};

use super::App;
use crate::failure::Failure;
use crate::json::JsonBody;
use crate::peer::Peer;

#[utoipa::path(get, path = "/agents", responses((status = 200, body = Agents)))]
pub async fn list(State(app): State<App>) -> Json<Agents> {
    let agents = app.runtime.agents.list();
    Json(Agents { agents: agents.iter().map(|agent| info(agent)).collect() })
}

#[utoipa::path(
    post,
    path = "/agents",
    request_body = NewAgent,
    responses(
        (status = 201, body = AgentInfo),
        (status = 400, description = "a malformed id, home, path or boundary", body = ErrorBody),
        (status = 403, description = "not through the local socket by a person", body = ErrorBody),
        (status = 409, description = "it exists already", body = ErrorBody),
    )
)]
pub async fn add(
    State(app): State<App>,
    Extension(peer): Extension<Peer>,
    JsonBody(new): JsonBody<NewAgent>,
) -> Result<(StatusCode, Json<AgentInfo>), Failure> {
    let boundary = new.boundary.as_deref().map_or(Ok(Boundary::default()), Boundary::parse)?;
    let id = Id::parse(&new.id)?;
    // No agent asks, so that `~` is the user's home.
    let user = app.runtime.agents.get(&Id::default_agent())?;
    let path = |text: String| user.workspace.below_home(&text).unwrap_or_else(|| PathBuf::from(text));
    let allow = new.allow.into_iter().map(path).collect();
    let agent = app.runtime.add_agent(peer.origin(), id, new.home.map(path), allow, boundary).await?;
    Ok((StatusCode::CREATED, Json(info(&agent))))
}

#[utoipa::path(
    delete,
    path = "/agents/{id}",
    params(("id" = String, Path)),
    responses(
        (status = 204, description = "forgotten; its files stay"),
        (status = 403, description = "not through the local socket by a person, or `default`", body = ErrorBody),
        (status = 404, body = ErrorBody),
    )
)]
pub async fn remove(
    State(app): State<App>,
    Extension(peer): Extension<Peer>,
    id: Result<Path<String>, PathRejection>,
) -> Result<StatusCode, Failure> {
    let Path(id) = id?;
    app.runtime.remove_agent(peer.origin(), &Id::parse(&id)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn info(agent: &Agent) -> AgentInfo {
    let shown = |path: &std::path::Path| path.display().to_string();
    AgentInfo {
        id: agent.id.to_string(),
        home: shown(agent.workspace.home()),
        allow: agent.workspace.allowed().iter().map(|path| shown(path)).collect(),
        boundary: agent.boundary.as_str().to_owned(),
    }
}
