//! Filters: `|base64`, `|file`, `|base64file`, `|json`, `|urlencode`, from left to right.

use std::borrow::Cow;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use serde_json::Value;
use sfmd::{Filter, UnknownFilter};

use super::{Content, Named, Values, address, text_of};
use crate::error::{Code, Error, Result};

/// The error for a filter that does not exist.
pub fn no_such_filter(place: &str, unknown: &UnknownFilter) -> Error {
    Error::new(Code::InvalidParams, format!("In {place} {unknown}."))
        .hint("Filters are |json, |base64, |urlencode, |file and |base64file. '…' keeps a text as it is.")
}

pub(super) fn apply(found: Named<'_>, filters: &[Filter], values: &dyn Values) -> Result<Content> {
    let Named::Value { value, source, mark } = found else { return Ok(Content::Absent) };
    let mut content = Content::Value(value.into_owned());
    // What a filter makes of a value came from where the value did.
    let read = |value: &Value| {
        let path = text_of(value);
        values.file(&Named::Value { value: Cow::Borrowed(value), source, mark }, &path)
    };
    for filter in filters {
        let value = match content {
            Content::Value(value) => value,
            Content::Json(text) => text.into(),
            Content::Words(_) | Content::Absent => Value::Null,
        };
        content = match filter {
            Filter::Json => Content::Json(value.to_string()),
            Filter::Base64 => encoded(text_of(&value).as_bytes()),
            Filter::UrlEncode => Content::Value(address::encoded(&text_of(&value)).into()),
            Filter::Base64File => encoded(&read(&value)?),
            Filter::File => Content::Value(utf8(read(&value)?, &value)?.into()),
        };
    }
    Ok(content)
}

fn encoded(bytes: &[u8]) -> Content {
    Content::Value(BASE64_STANDARD.encode(bytes).into())
}

fn utf8(bytes: Vec<u8>, path: &Value) -> Result<String> {
    String::from_utf8(bytes).map_err(|_| {
        Error::new(Code::InvalidParams, format!("{} is not text.", text_of(path)))
            .hint("Only |base64file passes on what is not text.")
    })
}
