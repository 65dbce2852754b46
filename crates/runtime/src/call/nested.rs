//! `flo.callTool`: a script calls another tool, in the same task.

use script::HostError;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::DEPTH_MAX;
use super::failure::refused;
use super::host::{Answer, Host, raw, refusal, typed};
use crate::error::Error;
use crate::manifest::{Listed, Tool};
use crate::variable::{Claimant, missing, required};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CallTool {
    tool_id: String,
    #[serde(default)]
    input: Option<Value>,
}

impl Host<'_> {
    /// Whatever comes of the other tool is an answer, not an error: its caller decides what it means.
    pub(super) async fn call_tool(&self, arguments: &str) -> Answer {
        let CallTool { tool_id, input } = typed(arguments)?;
        let input = input.unwrap_or_else(|| Value::Object(Map::new()));
        let tool = match self.calls.catalogue.get(&tool_id) {
            Some(Listed::Tool(tool)) => tool,
            Some(Listed::Invalid(invalid)) => {
                return raw(&refused("failed", "invalid_manifest", &invalid.to_string(), false));
            }
            None => {
                let answer = self.call_document(&tool_id, &input).await;
                let missing = format!("there is no tool {tool_id}");
                return raw(&answer.unwrap_or_else(|| refused("failed", "tool_not_found", &missing, false)));
            }
        };
        if !self.may_call(tool) {
            return raw(&self.not_allowed(&tool_id));
        }
        if self.depth + 1 > DEPTH_MAX {
            let message = format!("calls nest at most {DEPTH_MAX} deep");
            return raw(&refused("failed", "depth_exceeded", &message, false));
        }
        if let Some(error) = self.unmet(tool).await? {
            return raw(&refused("failed", "env_required", &error.message, false));
        }
        match self.calls.invoke(tool, input, self.depth + 1).await {
            Ok(output) => raw(&json!({ "status": "success", "output": output })),
            Err(failure) => raw(&failure.to_result()),
        }
    }

    /// The error for `$NAME` values that the tool requires and that have none.
    async fn unmet(&self, tool: &Tool) -> Result<Option<Error>, HostError> {
        if tool.requirements.is_empty() {
            return Ok(None);
        }
        let settings = self.calls.settings().await;
        let settings = settings.map_err(|error| refusal("unavailable", error.message))?;
        Ok(required(Claimant::Tool, &missing(&tool.requirements, settings), None))
    }

    pub(super) fn not_allowed(&self, tool: &str) -> Value {
        let message = format!("{} may not call {tool}: name it in script_tools", self.tool.name);
        refused("failed", "tool_not_allowed", &message, false)
    }

    fn may_call(&self, tool: &Tool) -> bool {
        tool.name == self.tool.name || tool.direct_call || self.tool.script_tools.contains(&tool.name)
    }
}
