//! `/health`, `/describe`, `/shutdown`: what the daemon says about itself.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Health {
    pub ok: bool,
    pub version: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Describe {
    pub name: String,
    pub version: String,
    /// The loopback port; absent when another program has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
    /// What this daemon can do, such as `exec`, `chanflow`, `activity`.
    pub capabilities: Vec<String>,
    pub topic_types: Vec<String>,
    pub hubs: Vec<String>,
    pub commands: Vec<CommandInfo>,
    pub limits: Limits,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CommandInfo {
    pub name: String,
    pub usage: String,
    pub summary: String,
    /// Where it is valid: topic types, or the name of one hub.
    pub places: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Limits {
    pub request_bytes: u64,
    /// Of a reply in words; what a command gives with its own `--json` is whole.
    pub reply_bytes: u64,
    pub document_bytes: u64,
    pub waiting_commands: u64,
    pub waiting_seconds: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Shutdown {
    pub ok: bool,
    /// The process to wait for.
    pub pid: u32,
}
