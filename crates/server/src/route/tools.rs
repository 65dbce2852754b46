//! `/tools`: an agent's tools with the schemas of their inputs.

use axum::Json;
use axum::extract::State;
use runtime::Runtime;
use runtime::agent::Agent;
use wire::{ToolInfo, Tools};

use super::App;
use super::speaker::Speaker;
use crate::failure::Failure;

#[utoipa::path(
    get,
    path = "/tools",
    params(Speaker),
    responses(
        (status = 200, description = "the tools that manifests declare", body = Tools),
    )
)]
pub async fn list(State(app): State<App>, Speaker(agent): Speaker) -> Result<Json<Tools>, Failure> {
    Ok(Json(Tools { tools: installed(&app.runtime, &agent).await }))
}

pub async fn installed(runtime: &Runtime, agent: &Agent) -> Vec<ToolInfo> {
    let catalogue = runtime.tools.of(agent.workspace.home()).await;
    let info = |tool: &std::sync::Arc<runtime::manifest::Tool>| ToolInfo {
        name: tool.name.clone(),
        description: tool.description.clone(),
        input_schema: tool.schema.document.clone(),
    };
    catalogue.tools().map(info).collect()
}
