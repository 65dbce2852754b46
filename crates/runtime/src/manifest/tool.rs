//! A tool that a manifest declares, checked.

mod checks;
mod env;

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::invalid::Invalid;
use super::raw;
use super::schema::Schema;
use crate::state::{Bindings, Kind};

pub(super) use checks::{
    ENTRYPOINT, TIMEOUT, TIMEOUT_MAX, check_name, one_paragraph, relative_file, script_path,
};

#[derive(Debug)]
pub struct Tool {
    pub name: String,
    pub description: String,
    pub schema: Schema,
    pub program: script::Program,
    pub entrypoint: String,
    pub timeout: Duration,
    pub retry: Retry,
    pub bindings: Bindings,
    pub vault: Vec<VaultKey>,
    /// `$NAME` values that the script may read.
    pub env: Vec<EnvName>,
    /// Those of them without which it is not called.
    pub requirements: Vec<sfmd::Requirement>,
    /// Tools that its script may call.
    pub script_tools: Vec<String>,
    /// Whether any script may call it.
    pub direct_call: bool,
    pub file: PathBuf,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VaultKey {
    pub key: String,
    pub kinds: Vec<Kind>,
}

/// A `$NAME` that a script may read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnvName {
    pub name: String,
    /// What it is without a value of its own.
    pub default: Option<String>,
}

/// What a script may reach besides its input.
#[derive(Debug, Default)]
pub(super) struct Grants {
    pub(super) bindings: Bindings,
    pub(super) vault: Vec<VaultKey>,
    pub(super) script_tools: Vec<String>,
}

/// How often and how patiently a call is repeated that failed for a passing reason.
#[derive(Debug, Clone, PartialEq)]
pub struct Retry {
    pub attempts: u32,
    pub initial: Duration,
    pub multiplier: f64,
    pub longest: Duration,
}

impl Retry {
    pub const ONCE: Self =
        Self { attempts: 1, initial: Duration::ZERO, multiplier: 1.0, longest: Duration::ZERO };

    /// How long to wait after so many attempts.
    pub fn pause_after(&self, attempts: u32) -> Duration {
        let exponent = i32::try_from(attempts.saturating_sub(1)).unwrap_or(i32::MAX);
        let seconds = self.initial.as_secs_f64() * self.multiplier.powi(exponent);
        Duration::try_from_secs_f64(seconds).unwrap_or(self.longest).min(self.longest)
    }
}

impl Tool {
    pub fn parse(file: &Path, text: &str) -> Result<Self, Invalid> {
        Self::check(file, raw::parse(file, text)?)
    }

    pub(super) fn check(file: &Path, raw: raw::Tool) -> Result<Self, Invalid> {
        check_name(file, "name", &raw.name)?;
        let schema = Schema::compile(raw.input_schema.value.clone())
            .map_err(|message| Invalid::at(file, "input_schema", &raw.input_schema, message))?;
        let grants = raw::Grants {
            state: Some(raw.state),
            vault: Some(raw.vault),
            script_tools: Some(raw.script_tools),
        };
        let Grants { bindings, vault, script_tools } = Grants::check(file, &grants)?;
        let declared = raw.env.iter().map(|entry| env::declared(file, entry));
        let declared = declared.collect::<Result<Vec<_>, _>>()?;
        let (program, entrypoint) = checks::execution(file, &raw.execution)?;
        Ok(Self {
            description: one_paragraph(file, &raw.description)?,
            schema,
            program,
            entrypoint,
            timeout: checks::timeout(file, raw.timeout_ms.as_ref())?,
            retry: raw.retry_policy.as_ref().map_or(Ok(Retry::ONCE), |policy| checks::retry(file, policy))?,
            bindings,
            vault,
            env: declared.iter().map(EnvName::from).collect(),
            // A bare name may be read; one that says what it is for is needed.
            requirements: declared.into_iter().filter(|one| one.description.is_some()).collect(),
            script_tools,
            direct_call: raw.direct_call,
            name: raw.name.value,
            file: file.to_owned(),
        })
    }
}

impl Grants {
    pub(super) fn check(file: &Path, raw: &raw::Grants) -> Result<Self, Invalid> {
        let script_tools = raw.script_tools.as_deref().unwrap_or_default();
        for name in script_tools {
            check_name(file, "script_tools", name)?;
        }
        Ok(Self {
            bindings: checks::bindings(file, raw.state.as_deref().unwrap_or_default())?,
            vault: checks::vault(file, raw.vault.as_deref().unwrap_or_default())?,
            script_tools: script_tools.iter().map(|name| name.value.clone()).collect(),
        })
    }
}

impl From<&sfmd::Requirement> for EnvName {
    fn from(requirement: &sfmd::Requirement) -> Self {
        Self { name: requirement.name.clone(), default: requirement.default.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "name: counter
description: |
  Count
  things.
input_schema: { type: object }
execution: { type: script, script: 'export const run = () => 1' }
";

    fn parse(text: &str) -> Result<Tool, Invalid> {
        Tool::parse(Path::new("/nowhere/counter.tool.yaml"), text)
    }

    #[test]
    fn a_manifest_is_read_as_it_is_written() {
        let tool = parse(&format!(
            "{GOOD}timeout_ms: 500
retry_policy: {{ max_attempts: 3, initial_backoff_ms: 200, multiplier: 2, max_backoff_ms: 500 }}
state:
  - {{ name: totals, key_prefix: counter.session., scope_kind: session }}
  - {{ name: map, key_prefix: carrier_mapping/, scope_kind: shared, scope_id: service }}
vault:
  - {{ key: api_token, scope_kinds: [profile, shared] }}
env: [HOME_URL]
script_tools: [other_tool]
direct_call: true
"
        ))
        .unwrap();
        assert_eq!((tool.name.as_str(), tool.description.as_str()), ("counter", "Count things."));
        assert_eq!((tool.entrypoint.as_str(), tool.timeout.as_millis()), ("run", 500));
        let pauses: Vec<u128> = (1..4).map(|n| tool.retry.pause_after(n).as_millis()).collect();
        assert_eq!(pauses, [200, 400, 500]);
        assert_eq!(tool.bindings.0[1].scope_id.as_deref(), Some("service"));
        assert_eq!(tool.vault[0].kinds, [Kind::Profile, Kind::Shared]);
        assert!(tool.direct_call && tool.script_tools == ["other_tool"]);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line_and_field() {
        let state = |binding: &str| format!("{GOOD}state:\n  - {binding}\n");
        let inline = "script: 'export const run = () => 1'";
        let script = |instead: &str| GOOD.replace(inline, instead);
        let table = [
            (
                GOOD.replace("description: |\n  Count\n  things.\n", ""),
                3,
                "description",
                "missing field `description`",
            ),
            (format!("{GOOD}colour: red\n"), 7, "colour", "unknown field `colour`"),
            (format!("{GOOD}name: twice\n"), 7, "name", "duplicate"),
            (GOOD.replace("name: counter", "name: Counter!"), 1, "name", "is no name"),
            (GOOD.replace("name: counter", "name: [a]"), 1, "name", ""),
            (GOOD.replace("{ type: object }", "{ type: nope }"), 5, "input_schema", "must be object"),
            (
                GOOD.replace("{ type: object }", "{ properties: { a: { type: nope } } }"),
                5,
                "input_schema",
                "nope",
            ),
            (GOOD.replace("type: script", "type: binary"), 6, "execution.type", "the type is script"),
            (GOOD.replace(&format!(", {inline}"), ""), 6, "execution", "exactly one"),
            (script(&format!("script_file: x.ts, {inline}")), 6, "execution", "exactly one"),
            (script("script_file: ../../outside.ts"), 6, "execution.script_file", "outside"),
            (script("script_file: /etc/x.ts"), 6, "execution.script_file", "outside"),
            (script("script_file: x.py"), 6, "execution.script_file", "no script"),
            (script("script_file: missing.ts"), 6, "execution.script_file", "missing.ts"),
            (format!("{GOOD}timeout_ms: 600001\n"), 7, "timeout_ms", "600000"),
            (format!("{GOOD}timeout_ms: soon\n"), 7, "timeout_ms", "soon"),
            (format!("{GOOD}timeout_ms: '5'\n"), 7, "timeout_ms", "\"5\" is not between 1 and 600000"),
            (format!("{GOOD}env: [A B]\n"), 7, "env", "not a variable name: A B"),
            (format!("{GOOD}env:\n  - A: 5\n"), 8, "env", "its description"),
            (format!("{GOOD}env:\n  - A: a\n    B: b\n"), 8, "env", "- NAME"),
            (state("{ name: a, key_prefix: a. }"), 8, "state[0].scope_kind", "missing"),
            (state("{ key_prefix: a., scope_kind: task }"), 8, "state[0].name", "missing"),
            (format!("{GOOD}retry_policy: {{ max_attempts: 99 }}\n"), 7, "retry_policy.max_attempts", "99"),
            (state("{ name: a, key_prefix: a., scope_kind: shared }"), 8, "state[0].scope_id", "missing"),
            (
                state("{ name: a, key_prefix: a., scope_kind: task, scope_id: x }"),
                8,
                "state[0].scope_id",
                "shared bindings alone",
            ),
            (
                state("{ name: a, key_prefix: a., scope_kind: shared, scope_id: a/b }"),
                8,
                "state[0].scope_id",
                "no id",
            ),
            (state("{ name: a, key_prefix: '', scope_kind: task }"), 8, "state[0].key_prefix", "empty"),
            (state("{ name: a, key_prefix: a., scope_kind: planet }"), 8, "state[0].scope_kind", "planet"),
            (format!("{GOOD}---\nname: other\n"), 8, "name", "more than one document"),
            (
                GOOD.replace("{ type: object }", &format!("{{ a: {}{} }}", "[".repeat(70), "]".repeat(70))),
                5,
                "input_schema",
                "nested too deeply",
            ),
            (GOOD.replace("type: script, ", ""), 6, "execution.type", "is missing"),
            (
                GOOD.replace("script: 'export const run = () => 1'", "script_file: sub/../ok.ts"),
                6,
                "execution.script_file",
                "no plain path",
            ),
            (
                state(
                    "{ name: a, key_prefix: a., scope_kind: task }\n  - { name: a, key_prefix: b., scope_kind: task }",
                ),
                9,
                "state[1].name",
                "twice",
            ),
            (
                state(
                    "{ name: a, key_prefix: a., scope_kind: shared, scope_id: x }\n  - { name: b, key_prefix: a.b., scope_kind: shared, scope_id: y }",
                ),
                9,
                "state[1].key_prefix",
                "overlap",
            ),
            (
                format!("{GOOD}vault:\n  - {{ key: t, scope_kinds: [session] }}\n"),
                8,
                "vault[0].scope_kinds",
                "profile and shared",
            ),
            ("just text".to_owned(), 1, "", ""),
            (String::new(), 1, "", ""),
        ];
        for (text, line, field, part) in table {
            let invalid = parse(&text).unwrap_err();
            assert_eq!((invalid.line, invalid.field.as_str()), (line, field), "{text}\n{invalid}");
            assert!(invalid.message.contains(part), "{text}\n{invalid}");
        }
    }
}
