//! The `$NAME` values that a manifest declares: a name alone, or with what it is for, as in documents.

use std::path::Path;

use serde_json::Value;
use serde_saphyr::Spanned;
use sfmd::Requirement;

use crate::manifest::invalid::Invalid;

/// The key beside a name that gives the value it has without one.
const DEFAULT: &str = "default";

/// `NAME`, or `NAME: "description"`, with a `default:` beside it or not.
pub(super) fn declared(file: &Path, entry: &Spanned<Value>) -> Result<Requirement, Invalid> {
    let invalid = |message: String| Invalid::at(file, "env", entry, message);
    let text = |what: &str, value: &Value| {
        let text = value.as_str().map(str::to_owned);
        text.ok_or_else(|| invalid(format!("{what} is a text, not {value}")))
    };
    let (name, description, default) = match &entry.value {
        Value::String(name) => (name, None, None),
        Value::Object(fields) => {
            let mut names = fields.iter().filter(|(name, _)| *name != DEFAULT);
            let (Some((name, description)), None) = (names.next(), names.next()) else {
                return Err(invalid("an entry is - NAME, or - NAME: \"description\"".to_owned()));
            };
            let default = fields.get(DEFAULT).map(|value| text(DEFAULT, value)).transpose()?;
            (name, Some(text("its description", description)?), default)
        }
        other => return Err(invalid(format!("not a variable name: {other}"))),
    };
    if !sfmd::is_variable_name(name) {
        return Err(invalid(format!("not a variable name: {name}")));
    }
    let line = usize::try_from(entry.referenced.line()).unwrap_or_default();
    Ok(Requirement { name: name.clone(), description, default, line })
}
