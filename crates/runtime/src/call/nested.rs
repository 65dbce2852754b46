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
        let tool = match self.calls.catalogue.get(&tool_id) {
            Some(Listed::Tool(tool)) => tool,
            Some(Listed::Invalid(invalid)) => {
                return raw(&refused("failed", "invalid_manifest", &invalid.to_string(), false));
            }
            None => {
                return raw(&refused(
                    "failed",
                    "tool_not_found",
                    &format!("there is no tool {tool_id}"),
                    false,
                ));
            }
        };
        if !self.may_call(tool) {
            let message = format!("{} may not call {tool_id}: name it in script_tools", self.tool.name);
            return raw(&refused("failed", "tool_not_allowed", &message, false));
        }
        if self.depth + 1 > DEPTH_MAX {
            let message = format!("calls nest at most {DEPTH_MAX} deep");
            return raw(&refused("failed", "depth_exceeded", &message, false));
        }
        let input = input.unwrap_or_else(|| Value::Object(Map::new()));
        match self.calls.invoke(tool, input, self.depth + 1).await {
            Ok(output) => raw(&json!({ "status": "success", "output": output })),
            Err(failure) => raw(&failure.to_result()),
        }
    }

    fn may_call(&self, tool: &Tool) -> bool {
        tool.name == self.tool.name || tool.direct_call || self.tool.script_tools.contains(&tool.name)
    }
}
