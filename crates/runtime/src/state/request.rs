//! The arguments of `flo.state`, strictly: a misspelt condition must not become an unconditional write.

use std::collections::HashMap;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::condition::Condition;
use super::error::{Code, Error, Result};
use super::limits::{check_key, check_key_prefix};
use super::scope::Kind;

/// How long an entry may live: ten years.
const TTL_MAX: u64 = 315_360_000;
const PAGE_DEFAULT: usize = 100;
const PAGE_MAX: usize = 1_000;

#[derive(Debug, PartialEq)]
pub enum Request {
    Get(Get),
    List(List),
    Put(Put),
    Patch(Patch),
    Append(Append),
    Delete(Delete),
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Get {
    pub scope_kind: Kind,
    pub key: String,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct List {
    pub scope_kind: Kind,
    pub key_prefix: String,
    #[serde(default = "page_default")]
    pub limit: usize,
    #[serde(default)]
    pub cursor: Option<String>,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Put {
    pub scope_kind: Kind,
    pub key: String,
    pub value: Value,
    #[serde(default)]
    pub ttl_seconds: Option<u64>,
    #[serde(default)]
    pub if_revision: Condition,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Patch {
    pub scope_kind: Kind,
    pub key: String,
    pub patch: Value,
    #[serde(default)]
    pub ttl_seconds: Option<u64>,
    #[serde(default)]
    pub if_revision: Condition,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Append {
    pub scope_kind: Kind,
    pub key: String,
    pub item: Value,
    #[serde(default)]
    pub ttl_seconds: Option<u64>,
    #[serde(default)]
    pub if_revision: Condition,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Delete {
    pub scope_kind: Kind,
    pub key: String,
    #[serde(default)]
    pub if_revision: Condition,
}

impl Request {
    /// Understands a call such as `put` with the arguments that the script gave.
    pub fn parse(verb: &str, arguments: &str) -> Result<Self> {
        refuse_scope_id(arguments)?;
        let request = match verb {
            "get" => Self::Get(typed(arguments)?),
            "list" => Self::List(typed(arguments)?),
            "put" => Self::Put(typed(arguments)?),
            "patch" => Self::Patch(typed(arguments)?),
            "append" => Self::Append(typed(arguments)?),
            "delete" => Self::Delete(typed(arguments)?),
            other => return Err(Error::invalid(format!("flo.state has no {other}"))),
        };
        request.check()?;
        Ok(request)
    }

    /// The scope and the key or prefix that a binding must cover.
    pub fn target(&self) -> (Kind, &str) {
        match self {
            Self::Get(it) => (it.scope_kind, &it.key),
            Self::List(it) => (it.scope_kind, &it.key_prefix),
            Self::Put(it) => (it.scope_kind, &it.key),
            Self::Patch(it) => (it.scope_kind, &it.key),
            Self::Append(it) => (it.scope_kind, &it.key),
            Self::Delete(it) => (it.scope_kind, &it.key),
        }
    }

    fn check(&self) -> Result<()> {
        match self {
            Self::List(it) => {
                check_key_prefix(&it.key_prefix)?;
                if !(1..=PAGE_MAX).contains(&it.limit) {
                    return Err(Error::invalid(format!("limit is 1 to {PAGE_MAX}, not {}", it.limit)));
                }
            }
            Self::Put(it) => check_ttl(it.ttl_seconds)?,
            Self::Patch(it) if !it.patch.is_object() => return Err(Error::invalid("patch is not an object")),
            Self::Patch(it) => check_ttl(it.ttl_seconds)?,
            Self::Append(it) => check_ttl(it.ttl_seconds)?,
            Self::Get(_) | Self::Delete(_) => {}
        }
        match self {
            Self::List(_) => Ok(()),
            other => check_key(other.target().1),
        }
    }
}

pub fn check_ttl(seconds: Option<u64>) -> Result<()> {
    match seconds {
        Some(seconds) if !(1..=TTL_MAX).contains(&seconds) => {
            Err(Error::invalid(format!("ttl_seconds is 1 to {TTL_MAX}, not {seconds}")))
        }
        _ => Ok(()),
    }
}

fn page_default() -> usize {
    PAGE_DEFAULT
}

/// Which scope a call reaches is the binding's to say.
fn refuse_scope_id(arguments: &str) -> Result<()> {
    // Also when it is `null`: the name alone is wrong here.
    let named: HashMap<String, IgnoredAny> = match serde_json::from_str(arguments) {
        Ok(named) => named,
        Err(_) => return Ok(()),
    };
    if named.contains_key("scope_id") {
        let message = "scope_id is declared in the manifest, not given in a call";
        return Err(Error::new(Code::ScopeIdForbidden, message));
    }
    Ok(())
}

fn typed<T: serde::de::DeserializeOwned>(arguments: &str) -> Result<T> {
    serde_json::from_str(arguments).map_err(|error| {
        let text = error.to_string();
        // Where in the arguments is of no use to the author, who never saw them as text.
        Error::invalid(text.rsplit_once(" at line ").map_or(text.as_str(), |(message, _)| message))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_exactly_right_is_refused() {
        let long = format!(r#"{{"scope_kind":"task","key":"{}"}}"#, "k".repeat(513));
        let deep =
            format!(r#"{{"scope_kind":"task","key":"k","value":{}1{}}}"#, "[".repeat(200), "]".repeat(200));
        let table = [
            ("get", r#"{"scope_kind":"task","key":"k"}"#, None),
            ("get", r#"{"scope_kind":"task"}"#, Some((Code::InvalidArgument, "missing field `key`"))),
            (
                "get",
                r#"{"scope_kind":"global","key":"k"}"#,
                Some((Code::InvalidArgument, "unknown variant `global`")),
            ),
            ("get", r#"{"scope_kind":"task","key":5}"#, Some((Code::InvalidArgument, "expected a string"))),
            ("get", "null", Some((Code::InvalidArgument, "expected struct"))),
            ("get", r#"{"scope_kind":"task","key":""}"#, Some((Code::InvalidArgument, "empty"))),
            ("get", &long, Some((Code::LimitExceeded, "513 bytes"))),
            (
                "get",
                r#"{"scope_kind":"shared","key":"k","scope_id":"x"}"#,
                Some((Code::ScopeIdForbidden, "manifest")),
            ),
            (
                "get",
                r#"{"scope_kind":"shared","key":"k","scope_id":null}"#,
                Some((Code::ScopeIdForbidden, "manifest")),
            ),
            ("put", r#"{"scope_kind":"task","key":"k","value":null}"#, None),
            (
                "put",
                r#"{"scope_kind":"task","key":"k"}"#,
                Some((Code::InvalidArgument, "missing field `value`")),
            ),
            (
                "put",
                r#"{"scope_kind":"task","key":"k","value":1,"ifRevision":null}"#,
                Some((Code::InvalidArgument, "unknown field `ifRevision`")),
            ),
            (
                "put",
                r#"{"scope_kind":"task","key":"k","value":1,"if_revision":""}"#,
                Some((Code::InvalidArgument, "if_revision is empty")),
            ),
            (
                "put",
                r#"{"scope_kind":"task","key":"k","value":1,"if_revision":7}"#,
                Some((Code::InvalidArgument, "expected a string")),
            ),
            (
                "put",
                r#"{"scope_kind":"task","key":"k","value":1,"ttl_seconds":0}"#,
                Some((Code::InvalidArgument, "ttl_seconds")),
            ),
            (
                "put",
                r#"{"scope_kind":"task","key":"k","value":1,"ttl_seconds":1.5}"#,
                Some((Code::InvalidArgument, "floating point")),
            ),
            (
                "put",
                r#"{"scope_kind":"task","key":"k","value":1,"ttl_seconds":-1}"#,
                Some((Code::InvalidArgument, "-1")),
            ),
            (
                "put",
                r#"{"scope_kind":"task","key":"k","value":1,"ttl_seconds":315360001}"#,
                Some((Code::InvalidArgument, "ttl_seconds")),
            ),
            (
                "put",
                r#"{"scope_kind":"task","key":"k","value":"\ud800"}"#,
                Some((Code::InvalidArgument, "surrogate")),
            ),
            ("put", &deep, Some((Code::InvalidArgument, "recursion limit"))),
            (
                "patch",
                r#"{"scope_kind":"task","key":"k","patch":[1]}"#,
                Some((Code::InvalidArgument, "not an object")),
            ),
            (
                "patch",
                r#"{"scope_kind":"task","key":"k"}"#,
                Some((Code::InvalidArgument, "missing field `patch`")),
            ),
            (
                "append",
                r#"{"scope_kind":"task","key":"k"}"#,
                Some((Code::InvalidArgument, "missing field `item`")),
            ),
            (
                "delete",
                r#"{"scope_kind":"task","key":"k","value":1}"#,
                Some((Code::InvalidArgument, "unknown field")),
            ),
            ("list", r#"{"scope_kind":"task","key_prefix":""}"#, None),
            (
                "list",
                r#"{"scope_kind":"task","key_prefix":"","limit":0}"#,
                Some((Code::InvalidArgument, "limit")),
            ),
            (
                "list",
                r#"{"scope_kind":"task","key_prefix":"","limit":1001}"#,
                Some((Code::InvalidArgument, "limit")),
            ),
            ("rename", "{}", Some((Code::InvalidArgument, "no rename"))),
        ];
        for (verb, arguments, refused) in table {
            match (Request::parse(verb, arguments), refused) {
                (Ok(_), None) => {}
                (Err(error), Some((code, part))) => {
                    assert_eq!(error.code, code, "{verb} {arguments}");
                    assert!(error.message.contains(part), "{verb} {arguments}: {error}");
                }
                (got, _) => panic!("{verb} {arguments}: {got:?}"),
            }
        }
    }

    #[test]
    fn a_condition_has_three_forms() {
        let condition = |field: &str| {
            let arguments = format!(r#"{{"scope_kind":"task","key":"k"{field}}}"#);
            match Request::parse("delete", &arguments).unwrap() {
                Request::Delete(delete) => delete.if_revision,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(condition(""), Condition::Always);
        assert_eq!(condition(r#","if_revision":null"#), Condition::Absent);
        assert_eq!(condition(r#","if_revision":"nope""#), Condition::Revision(None));
        assert_eq!(
            condition(r#","if_revision":"r5""#),
            Condition::Revision(Some(store::Version::from_number(5)))
        );
    }
}
