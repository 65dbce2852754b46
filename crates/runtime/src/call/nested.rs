//! `flo.callTool`: a script calls another tool, in the same task.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::DEPTH_MAX;
use super::failure::refused;
use super::host::{Answer, Host, raw, typed};
use crate::manifest::{Listed, Tool};

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
        match self.calls.invoke(tool, input, self.depth + 1).await {
            Ok(output) => raw(&json!({ "status": "success", "output": output })),
            Err(failure) => raw(&failure.to_result()),
        }
    }

    pub(super) fn not_allowed(&self, tool: &str) -> Value {
        let message = format!("{} may not call {tool}: name it in script_tools", self.tool.name);
        refused("failed", "tool_not_allowed", &message, false)
    }

    fn may_call(&self, tool: &Tool) -> bool {
        tool.name == self.tool.name || tool.direct_call || self.tool.script_tools.contains(&tool.name)
    }
}
