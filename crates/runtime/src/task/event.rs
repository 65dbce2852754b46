//! What happened in a task: what its scripts report and print.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The longest text of an event; longer ones are cut.
const TEXT_MAX: usize = 4 << 10;
/// The largest payload.
const PAYLOAD_MAX: usize = 64 << 10;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Milliseconds since the Unix epoch.
    pub at: i64,
    pub tool: String,
    #[serde(rename = "type")]
    pub kind: String,
    pub level: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payload: Option<Value>,
}

/// The arguments of `flo.task.emitEvent`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Emitted {
    event_type: String,
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    message: Option<String>,
    #[serde(default)]
    level: Option<String>,
    #[serde(default)]
    payload: Option<Value>,
}

impl Event {
    /// A line that a script printed.
    pub fn line(at: i64, tool: &str, level: script::Level, text: String) -> Self {
        let level = match level {
            script::Level::Debug => "debug",
            script::Level::Info => "info",
            script::Level::Warn => "warn",
            script::Level::Error => "error",
        };
        Self {
            at,
            tool: tool.to_owned(),
            kind: "console".to_owned(),
            level: level.to_owned(),
            title: None,
            message: Some(cut(text)),
            payload: None,
        }
    }

    /// What a script reports, or what is wrong with it.
    pub fn emitted(at: i64, tool: &str, arguments: Value) -> Result<Self, String> {
        let emitted: Emitted = serde_json::from_value(arguments).map_err(|error| error.to_string())?;
        let level = emitted.level.unwrap_or_else(|| "info".to_owned());
        if !["debug", "info", "warn", "error"].contains(&level.as_str()) {
            return Err(format!("level {level:?} is not debug, info, warn or error"));
        }
        if emitted.event_type.is_empty() || emitted.event_type.chars().any(char::is_control) {
            return Err("event_type is empty or holds control characters".to_owned());
        }
        let size = emitted.payload.as_ref().map_or(0, |payload| payload.to_string().len());
        if size > PAYLOAD_MAX {
            return Err(format!("the payload has {size} bytes, at most {PAYLOAD_MAX} are allowed"));
        }
        Ok(Self {
            at,
            tool: tool.to_owned(),
            kind: cut(emitted.event_type),
            level,
            title: emitted.title.map(cut),
            message: emitted.message.map(cut),
            payload: emitted.payload,
        })
    }
}

fn cut(mut text: String) -> String {
    if text.len() > TEXT_MAX {
        text.truncate(text.floor_char_boundary(TEXT_MAX));
        text.push('…');
    }
    text
}
