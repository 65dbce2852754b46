//! Manifests as they are written, with the place of every value.

use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_saphyr::Spanned;

use super::invalid::Invalid;

/// The longest manifest, inline source included.
pub(super) const BYTES_MAX: usize = 1 << 20;
/// Enough for large schemas; stops alias bombs early.
const NODES_MAX: usize = 20_000;
/// A schema a thousand deep is fine for its compiler; three thousand are not.
const DEPTH_MAX: usize = 64;
const ALIASES_MAX: usize = 100;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Tool {
    pub(super) name: Spanned<String>,
    pub(super) description: Spanned<String>,
    pub(super) input_schema: Spanned<Value>,
    pub(super) execution: Spanned<Execution>,
    pub(super) timeout_ms: Option<Spanned<Value>>,
    pub(super) retry_policy: Option<Spanned<Retry>>,
    #[serde(default)]
    pub(super) state: Vec<Spanned<Binding>>,
    #[serde(default)]
    pub(super) vault: Vec<Spanned<Vault>>,
    #[serde(default)]
    pub(super) env: Vec<Spanned<Value>>,
    #[serde(default)]
    pub(super) script_tools: Vec<Spanned<String>>,
    #[serde(default)]
    pub(super) direct_call: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Execution {
    #[serde(rename = "type")]
    pub(super) kind: Option<Spanned<String>>,
    pub(super) script_file: Option<Spanned<String>>,
    pub(super) script: Option<Spanned<String>>,
    pub(super) entrypoint: Option<Spanned<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Retry {
    pub(super) max_attempts: Option<u32>,
    pub(super) initial_backoff_ms: Option<u64>,
    pub(super) multiplier: Option<f64>,
    pub(super) max_backoff_ms: Option<u64>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Binding {
    pub(super) name: Option<Spanned<String>>,
    pub(super) key_prefix: Option<Spanned<String>>,
    pub(super) scope_kind: Option<Spanned<String>>,
    pub(super) scope_id: Option<Spanned<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Vault {
    pub(super) key: Spanned<String>,
    pub(super) scope_kinds: Vec<Spanned<String>>,
}

/// What the frontmatter of a document grants its scripts; the rest of it is none of theirs.
#[derive(Debug, Deserialize)]
pub(super) struct Grants {
    pub(super) state: Option<Vec<Spanned<Binding>>>,
    pub(super) vault: Option<Vec<Spanned<Vault>>>,
    pub(super) script_tools: Option<Vec<Spanned<String>>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Skill {
    pub(super) skill_id: Spanned<String>,
    pub(super) name: Spanned<String>,
    pub(super) description: Spanned<String>,
    pub(super) instruction: Option<Spanned<String>>,
    pub(super) instruction_file: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) tools: Vec<Spanned<String>>,
    #[serde(default)]
    pub(super) script_tools: Vec<Spanned<String>>,
    #[serde(default)]
    pub(super) tool_definitions: Vec<Tool>,
    #[serde(default)]
    pub(super) requires_skills: Vec<Spanned<String>>,
}

pub(super) fn parse<T: DeserializeOwned>(file: &Path, text: &str) -> Result<T, Invalid> {
    if text.len() > BYTES_MAX {
        return Err(Invalid::whole(file, format!("longer than {} KB", BYTES_MAX >> 10)));
    }
    let options = serde_saphyr::options! {
        strict_booleans: true,
        with_snippet: false,
        budget: serde_saphyr::budget! {
            max_nodes: NODES_MAX,
            max_depth: DEPTH_MAX,
            max_aliases: ALIASES_MAX,
            max_total_scalar_bytes: BYTES_MAX,
        },
    };
    serde_saphyr::from_str_with_options(text, options).map_err(|error| Invalid::of_yaml(file, text, &error))
}
