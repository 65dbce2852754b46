//! `/tools`: an agent's tools with the schemas of their inputs.

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use runtime::Runtime;
use runtime::agent::Agent;
use wire::{ErrorBody, ToolInfo, Tools};

use super::App;
use crate::failure::Failure;

#[utoipa::path(
    get,
    path = "/tools",
    params(("X-Agent-Id" = Option<String>, Header, description = "whose tools; `default` when absent")),
    responses(
        (status = 200, description = "the tools that manifests declare", body = Tools),
        (status = 404, description = "no such agent", body = ErrorBody),
    )
)]
pub async fn list(State(app): State<App>, headers: HeaderMap) -> Result<Json<Tools>, Failure> {
    let agent = app.runtime.agents.named(&super::agent(&headers))?;
    Ok(Json(Tools { tools: installed(&app.runtime, &agent) }))
}

pub fn installed(runtime: &Runtime, agent: &Agent) -> Vec<ToolInfo> {
    let catalogue = runtime.tools.of(agent.workspace.home());
    let info = |tool: &std::sync::Arc<runtime::manifest::Tool>| ToolInfo {
        name: tool.name.clone(),
        description: tool.description.clone(),
        input_schema: tool.schema.document.clone(),
    };
    catalogue.tools().map(info).collect()
}
