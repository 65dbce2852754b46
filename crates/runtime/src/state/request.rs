//! The arguments of `flo.state`, strictly: a misspelt condition must not become an unconditional write.

use serde_json::Value;

use super::condition::Condition;
use super::error::{Error, Result};
use super::fields::Fields;
use super::limits::{check_depth, check_key, check_key_prefix};
use super::scope::Kind;

/// A call of `flo.state` that is understood, and not yet authorised.
#[derive(Debug, PartialEq)]
pub struct Request {
    pub kind: Kind,
    /// What a binding must cover: a key, or for `list` the beginning of keys.
    pub key: String,
    pub verb: Verb,
}

#[derive(Debug, PartialEq)]
pub enum Verb {
    Get,
    List { limit: usize, cursor: Option<String> },
    Write { write: Write, ttl_seconds: Option<u64>, condition: Condition },
    Delete { condition: Condition },
}

/// What a write makes of the entry that is there.
#[derive(Debug, Clone, PartialEq)]
pub enum Write {
    Put(Value),
    /// An object.
    Patch(Value),
    Append(Value),
}

impl Request {
    /// Understands a call such as `put` with the arguments that the script gave.
    pub fn parse(verb: &str, arguments: &str) -> Result<Self> {
        // One more than a value may have, for the object around it.
        check_depth(arguments, 1)?;
        let mut fields = Fields::parse(arguments)?;
        fields.refuse_scope_id()?;
        let kind = fields.kind()?;
        let key = fields.text(if verb == "list" { "key_prefix" } else { "key" })?;
        let verb = match verb {
            "get" => Verb::Get,
            "list" => Verb::List { limit: fields.limit()?, cursor: fields.optional_text("cursor")? },
            "put" => Verb::write(Write::Put(fields.value("value")?), &mut fields)?,
            "patch" => Verb::write(Write::Patch(fields.object("patch")?), &mut fields)?,
            "append" => Verb::write(Write::Append(fields.value("item")?), &mut fields)?,
            "delete" => Verb::Delete { condition: fields.condition()? },
            other => return Err(Error::invalid(format!("flo.state has no {other}"))),
        };
        fields.done()?;
        match verb {
            Verb::List { .. } => check_key_prefix(&key)?,
            _ => check_key(&key)?,
        }
        Ok(Self { kind, key, verb })
    }
}

impl Verb {
    fn write(write: Write, fields: &mut Fields) -> Result<Self> {
        Ok(Self::Write { write, ttl_seconds: fields.ttl()?, condition: fields.condition()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Code;

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
                Some((
                    Code::InvalidArgument,
                    "scope_kind is profile, session, task or shared, not \"global\"",
                )),
            ),
            (
                "get",
                r#"{"scope_kind":"task","key":5}"#,
                Some((Code::InvalidArgument, "key is a string, not 5")),
            ),
            ("get", "null", Some((Code::InvalidArgument, "takes one object"))),
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
                Some((Code::InvalidArgument, "if_revision is a revision or null, not 7")),
            ),
            (
                "put",
                r#"{"scope_kind":"task","key":"k","value":1,"ttl_seconds":0}"#,
                Some((Code::InvalidArgument, "ttl_seconds")),
            ),
            (
                "put",
                r#"{"scope_kind":"task","key":"k","value":1,"ttl_seconds":1.5}"#,
                Some((Code::InvalidArgument, "from 1 to 315360000, not 1.5")),
            ),
            (
                "put",
                r#"{"scope_kind":"task","key":"k","value":1,"ttl_seconds":-1}"#,
                Some((Code::InvalidArgument, "ttl_seconds is an integer from 1 to 315360000, not -1")),
            ),
            (
                "put",
                r#"{"scope_kind":"task","key":"k","value":1,"ttl_seconds":315360001}"#,
                Some((Code::InvalidArgument, "ttl_seconds")),
            ),
            (
                "put",
                r#"{"scope_kind":"task","key":"k","value":"\ud800"}"#,
                Some((Code::InvalidArgument, "hex escape")),
            ),
            ("put", &deep, Some((Code::LimitExceeded, "200 levels, at most 100"))),
            (
                "patch",
                r#"{"scope_kind":"task","key":"k","patch":[1]}"#,
                Some((Code::InvalidArgument, "patch is an object, not an array")),
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
            (
                "list",
                r#"{"scope_kind":"task","key_prefix":"","limit":"5"}"#,
                Some((Code::InvalidArgument, "limit is an integer from 1 to 1000, not \"5\"")),
            ),
            (
                "put",
                r#"{"scope_kind":"task","key":"k","value":1,"ttl_seconds":null}"#,
                Some((Code::InvalidArgument, "ttl_seconds is an integer")),
            ),
            (
                "rename",
                r#"{"scope_kind":"task","key":"k"}"#,
                Some((Code::InvalidArgument, "flo.state has no rename")),
            ),
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
            match Request::parse("delete", &arguments).unwrap().verb {
                Verb::Delete { condition } => condition,
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
