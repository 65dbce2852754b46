//! `/capabilities`: what lets others reach an agent's files, as JSON.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Capabilities {
    pub capabilities: Vec<CapabilityInfo>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CapabilityInfo {
    pub id: String,
    /// A file, or a directory with all below it; `~/` is the agent's home.
    pub path: String,
    /// `get`, `head`, `put`, `delete`.
    pub verbs: Vec<String>,
    pub created: String,
    pub expires: String,
    pub single_use: bool,
    /// It was for one use, and that has been.
    pub used_up: bool,
    /// How many bytes may be written in all.
    pub quota_bytes: u64,
    pub written_bytes: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NewCapability {
    /// Absolute, or below the home with `~/`.
    pub path: String,
    /// `get`, `head`, `put`, `delete`; `get` includes `head`.
    pub verbs: Vec<String>,
    /// An hour when absent; at most 30 days.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl_seconds: Option<u64>,
    #[serde(default)]
    pub single_use: bool,
    /// 1 GiB when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quota_bytes: Option<u64>,
}

/// The only answer that holds the secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct MintedCapability {
    #[serde(flatten)]
    pub capability: CapabilityInfo,
    /// Sent as `Authorization: Bearer TOKEN`, or as `?cap=TOKEN`.
    pub token: String,
    /// The address of the path with the token in it; absent when the daemon has no port.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}
