//! `POST /exec`: one command to one topic, and its reply as JSON or as a stream of events.

use serde::{Deserialize, Deserializer, Serialize};

/// Names of the events of a streamed reply, in the order they come.
pub mod event {
    /// Where the reply comes from; always first.
    pub const HEAD: &str = "head";
    /// Live output of a command that is still running, a JSON string.
    pub const OUTPUT: &str = "output";
    /// How far a long command has come, a JSON string.
    pub const PROGRESS: &str = "progress";
    /// The whole reply, a JSON string.
    pub const CONTENT: &str = "content";
    /// The outcome; always last.
    pub const DONE: &str = "done";
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ExecRequest {
    /// Where to: `main`, `app:gmail:work`, `bash:dev`, `agent`. Empty, null or missing is `main`.
    #[serde(default, deserialize_with = "null_as_default")]
    #[cfg_attr(feature = "openapi", schema(nullable))]
    pub topic: String,
    /// The command line and, below it, its body or further commands.
    pub cmd: String,
    /// The caller's working directory, which `./x` means while no document is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Names the task a tool call belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// Echoed in the reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}

fn null_as_default<'de, D: Deserializer<'de>>(value: D) -> Result<String, D::Error> {
    Option::deserialize(value).map(Option::unwrap_or_default)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum TopicType {
    Tab,
    App,
    Bash,
    Hub,
}

/// Where the session stands after the command.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Meta {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_block: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// The whole reply as one JSON object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ExecReply {
    pub ok: bool,
    /// The error code, such as `NOT_FOUND`; absent on success.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The canonical topic that answered; empty when the topic was malformed.
    pub topic: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topic_type: Option<TopicType>,
    #[serde(default)]
    pub meta: Meta,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// The reply as the agent reads it: status line, or status line, `---` and body.
    pub content: String,
}

/// The first event of a streamed reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Head {
    /// `null` while live output comes before the outcome is known: then `done` tells.
    pub ok: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    pub topic: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topic_type: Option<TopicType>,
    #[serde(default)]
    pub meta: Meta,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}

/// The last event of a streamed reply: the outcome, with everything in it final.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Done {
    pub ok: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    pub topic: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topic_type: Option<TopicType>,
    #[serde(default)]
    pub meta: Meta,
}
