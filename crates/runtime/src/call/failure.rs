//! Why a tool gave no output, for agents and for the scripts that called it.

use serde_json::{Value, json};

use super::help;
use crate::error::{Code, Error, one_line};
use crate::manifest::Tool;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The input does not fit the schema: each place, with the reason.
    Input(Vec<String>),
    Script(script::Error),
    /// The output cannot be read as JSON.
    Output(String),
}

impl Failure {
    /// Whether the same call may succeed later.
    pub fn is_retryable(&self) -> bool {
        matches!(self, Self::Script(error) if error.is_retryable())
    }

    /// What the agent reads.
    pub fn into_error(self, tool: &Tool) -> Error {
        match self {
            Self::Input(places) => {
                let fields = places.iter().filter_map(|place| help::field_line(tool, field_of(place)));
                let mut lines: Vec<String> = Vec::new();
                for line in fields {
                    if !lines.contains(&line) {
                        lines.push(line);
                    }
                }
                Error::new(Code::InvalidParams, format!("The input of {} is not right.", tool.name))
                    .hints(places.iter().map(|place| one_line(place)))
                    .hints(lines)
                    .hint(help::usage(tool))
                    .hint(format!("Try /tool:{} {}", tool.name, help::own_flag(tool, "help")))
            }
            Self::Output(why) => {
                Error::new(Code::ToolFailed, format!("{} returned what is no JSON: {why}", tool.name))
            }
            Self::Script(error) => {
                let mut lines = error.to_string().lines().map(str::to_owned).collect::<Vec<_>>().into_iter();
                let first = lines.next().unwrap_or_default();
                let failed = Error::new(Code::ToolFailed, format!("{}: {first}", tool.name)).hints(lines);
                let failed = failed.hints(code_of(&error).map(|code| format!("code: {code}")));
                failed.hints(error.position().map(|position| format!("at {position}")))
            }
        }
    }

    /// What a script that called the tool gets.
    pub fn to_result(&self) -> Value {
        let (status, code, message) = self.describe();
        refused(status, &code, &message, self.is_retryable())
    }

    /// The error alone, as a program reads it.
    pub fn details(&self) -> Value {
        self.to_result().get_mut("error").map(Value::take).unwrap_or_default()
    }

    fn describe(&self) -> (&'static str, String, String) {
        match self {
            Self::Input(places) => ("validation_error", "validation_error".to_owned(), places.join("; ")),
            Self::Output(why) => ("failed", "invalid_output".to_owned(), why.clone()),
            Self::Script(error) => {
                let (status, code) = match error {
                    script::Error::TimedOut { .. } => ("timeout", "timeout"),
                    script::Error::OutOfMemory { .. } => ("failed", "out_of_memory"),
                    script::Error::Program { .. } => ("failed", "invalid_script"),
                    script::Error::InputTooLarge(_) | script::Error::OutputTooLarge(_) => {
                        ("failed", "too_large")
                    }
                    script::Error::Stuck => ("failed", "never_settles"),
                    _ => ("failed", "tool_failed"),
                };
                (status, code_of(error).unwrap_or(code).to_owned(), error.to_string())
            }
        }
    }
}

/// A result of `flo.callTool` without output.
pub fn refused(status: &str, code: &str, message: &str, retryable: bool) -> Value {
    let error = json!({ "code": code, "message": message, "retryable": retryable, "continuable": false });
    json!({ "status": status, "error": error })
}

/// The field that a failing place names: `at.x: …`, or what is missing.
fn field_of(place: &str) -> &str {
    let missing = place.strip_prefix('"').and_then(|rest| rest.split_once('"')).map(|(name, _)| name);
    missing.or_else(|| place.split_once(": ").map(|(path, _)| path)).unwrap_or(place)
}

fn code_of(error: &script::Error) -> Option<&str> {
    match error {
        script::Error::Thrown(thrown) => thrown.code.as_deref(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn wrong_input_shows_the_fields_and_the_usage() {
        let manifest = "name: t
description: d
input_schema:
  type: object
  properties:
    by: { type: integer, minimum: 1, maximum: 9 }
    at: { type: object, properties: { x: { type: string, minLength: 2 } } }
    mode: { const: fast }
    size: { $ref: '#/$defs/size' }
    who: { type: string, description: \"Whom\" }
  required: [who]
  $defs: { size: { type: integer, minimum: 1, default: 3 } }
execution: { type: script, script: x }
";
        let tool = Tool::parse(Path::new("/t.tool.yaml"), manifest).unwrap();
        let failures = tool.schema.failures(&json!({"by": 12, "at": {"x": "a"}, "mode": "slow", "size": 0}));
        let error = Failure::Input(failures).into_error(&tool).to_string();
        for line in [
            "--by: integer (min 1, max 9)",
            "--at.x: string (min length 2)",
            "--mode: string (only \"fast\")",
            "--size: integer (default 3, min 1)",
            "--who: string (required) \"Whom\"",
            "Usage: /tool:t [--by …] [--at …] [--mode …] [--size …] --who … [--task …] [--json …]",
        ] {
            assert!(error.lines().any(|shown| shown.trim() == line), "{line} in {error}");
        }
        assert!(error.ends_with("\n  Try /tool:t --help"), "{error}");
    }

    #[test]
    fn a_field_named_help_leaves_help_its_own_flag() {
        let manifest = "name: t
description: d
input_schema: { type: object, properties: { help: { type: boolean } } }
execution: { type: script, script: x }
";
        let tool = Tool::parse(Path::new("/t.tool.yaml"), manifest).unwrap();
        let failures = tool.schema.failures(&json!({"help": 1}));
        let error = Failure::Input(failures).into_error(&tool).to_string();
        let end = "Usage: /tool:t [--help …] [--task …] [--json …] [--@help]\n  Try /tool:t --@help";
        assert!(error.ends_with(end), "{error}");
    }
}
