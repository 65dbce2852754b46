//! The one tool: what agents are told about it, and its arguments.

use std::sync::Arc;

use rmcp::model::{CallToolResult, ContentBlock, JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};
use wire::ToolInfo;
use wire::chanflow::envelope;

use crate::{Call, Outcome};

pub(crate) const NAME: &str = "string";

/// As over every other way: a document to write, with room.
const CMD_MAX: usize = 10 * 1024 * 1024;

/// Teaches the surface. Every word is read by every agent in every conversation: below 150 of them.
const DESCRIPTION: &str = "Send a command to a topic and read Markdown back. Topics are sessions that keep their \
state: any name, such as `main`, is a tab for files and web pages; `bash:NAME` is a live shell; `app:NAME` is an \
installed app; app, bash, tool, event, system and agent are hubs that manage the rest. Commands start with `/`: \
`/open FILE|URL|#block`, `/nav`, `/back`, `/info`, `/exec CMD`, `/topics`, `/events`. `/help` lists those valid in a \
topic, and the actions of the open page. In a bash topic plain text is shell input, and `//wait`, `//interrupt`, \
`//help` reach String. Lines below a command are its body, or further commands. A reply is a status line, `---` and a \
body; a failed one reads `ERROR(CODE): …` with hints that repair the call. Topics run in parallel, commands of one \
topic in order.";

pub(crate) fn definition() -> Tool {
    let schema = json!({
        "type": "object",
        "properties": {
            "topic": { "type": "string", "description": "main, docs, bash:dev, app:mail, event, …", "default": "main" },
            "cmd": { "type": "string", "description": "the command line and, below it, its body" },
            "task": { "type": "string", "description": "names the task of a /tool: call, to come back to it" },
        },
        "required": ["cmd"],
        "additionalProperties": false,
    });
    let schema = schema.as_object().cloned().unwrap_or_default();
    // A command may do anything that its agent may.
    let hints = ToolAnnotations::from_raw(None, Some(false), Some(true), Some(false), Some(true));
    Tool::new(NAME, DESCRIPTION, Arc::new(schema)).with_title("String").with_annotations(hints)
}

/// The same, where an installed tool has its name and cannot be listed beside it.
pub(crate) fn definition_in_place_of_another() -> Tool {
    let mut own = definition();
    let left_out = "The installed tool of the same name is left out here: `/tool:string` runs it.";
    own.description = Some(format!("{DESCRIPTION} {left_out}").into());
    own
}

/// A tool that a manifest declares, with the schema it declares.
pub(crate) fn installed(tool: ToolInfo) -> Tool {
    let mut schema = tool.input_schema.as_object().cloned().unwrap_or_default();
    // The protocol wants it said, where a manifest may leave it out.
    schema.entry("type").or_insert_with(|| "object".into());
    Tool::new(tool.name, tool.description, Arc::new(schema))
}

/// The call of an installed tool, as the command that it stands for. Nothing in the input is filled in.
pub(crate) fn call_of(name: &str, arguments: Option<JsonObject>) -> Call {
    let input = Value::Object(arguments.unwrap_or_default());
    Call { topic: String::new(), cmd: format!("/tool:{name}\n{input}"), task: None }
}

/// Reads the arguments; what is wrong with them is for the agent to read and repair.
pub(crate) fn parse(arguments: Option<JsonObject>) -> Result<Call, Outcome> {
    let mut arguments = arguments.unwrap_or_default();
    let mut optional = |name: &str| match arguments.remove(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(wrong(&format!("{name} must be a string."))),
    };
    let (topic, task) = (optional("topic")?.unwrap_or_default(), optional("task")?);
    let cmd = match arguments.remove("cmd") {
        Some(Value::String(cmd)) => cmd,
        Some(_) => return Err(wrong("cmd must be a string.")),
        None => return Err(wrong("cmd is missing.")),
    };
    match arguments.keys().next() {
        Some(unknown) => Err(wrong(&format!("There is no argument {unknown:?}."))),
        None => Ok(Call { topic, cmd, task }),
    }
}

pub(crate) fn check_length(call: Call) -> Result<Call, Outcome> {
    if call.cmd.len() <= CMD_MAX { Ok(call) } else { Err(wrong("cmd is longer than 10 MiB.")) }
}

pub(crate) fn result(outcome: &Outcome) -> CallToolResult {
    let content = vec![ContentBlock::text(envelope(&outcome.topic, &outcome.content))];
    if outcome.ok { CallToolResult::success(content) } else { CallToolResult::error(content) }
}

fn wrong(message: &str) -> Outcome {
    let content = format!(
        "ERROR(INVALID_PARAMS): {message}\n  For example: {{\"topic\": \"main\", \"cmd\": \"/help\"}}"
    );
    Outcome { topic: String::new(), ok: false, content }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_description_is_short_and_the_list_of_tools_small() {
        assert!(DESCRIPTION.split_whitespace().count() < 150, "{}", DESCRIPTION.split_whitespace().count());
        assert!(serde_json::to_string(&definition()).unwrap().len() < 4096 - 200);
    }

    #[test]
    fn arguments_are_read_or_explained() {
        let read = |value: Value| parse(value.as_object().cloned());
        let call = |topic: &str, cmd: &str| Call { topic: topic.into(), cmd: cmd.into(), task: None };
        assert_eq!(read(json!({"cmd": "/info"})), Ok(call("", "/info")));
        assert_eq!(read(json!({"topic": "bash:x", "cmd": ""})), Ok(call("bash:x", "")));
        assert_eq!(read(json!({"topic": null, "cmd": "/info"})), Ok(call("", "/info")));
        let named = Call { task: Some("job".into()), ..call("", "/tool:x") };
        assert_eq!(read(json!({"cmd": "/tool:x", "task": "job"})), Ok(named));
        let long = |length| check_length(call("", &"x".repeat(length)));
        assert!(long(CMD_MAX).is_ok() && long(CMD_MAX + 1).unwrap_err().content.contains("10 MiB"));
        for wrong in [
            json!({}),
            json!({"cmd": "/info", "task": 1}),
            json!({"cmd": 1}),
            json!({"topic": 1, "cmd": "/info"}),
            json!({"cmd": "/info", "cwd": "/"}),
            Value::Null,
        ] {
            let outcome = read(wrong.clone()).unwrap_err();
            assert!(outcome.content.starts_with("ERROR(INVALID_PARAMS): "), "{wrong}");
            assert_eq!(result(&outcome).is_error, Some(true));
        }
    }
}
