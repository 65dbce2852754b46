//! HTTP actions: from a definition and its fields to a request.

use std::time::Duration;

use serde_json::{Map, Value};
use sfmd::{Action, HttpCall, Method, Template};

use super::bind::Bound;
use super::definition::Definition;
use crate::error::{Code, Error, Result};
use crate::substitute::{self, Filled, Mark, fill, text_of};
use crate::variable::Persistent;

/// How long a call waits for its answer, unless the action says otherwise.
const HTTP_LIMIT: Duration = Duration::from_secs(30);
/// The longest that an action may ask for.
pub const LONGEST_LIMIT: Duration = Duration::from_secs(600);

/// A request and how it may be shown.
#[derive(Debug)]
pub struct Prepared {
    pub request: web::Request,
    /// `GET https://host/path`, without query and secrets.
    pub shown: String,
    pub url: String,
    /// What is known of the values in it.
    pub mark: Mark,
    /// The same of those that say which host it goes to.
    pub host_mark: Mark,
}

/// What the content type of a body says about the values in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BodyKind {
    Json,
    Form,
    Text,
}

/// Makes the request of an action. Nothing is sent unless every name has a value.
pub fn prepare(action: &Action, http: &HttpCall, definition: &Definition<'_>) -> Result<Prepared> {
    let missing = substitute::missing(action.call.templates(), definition);
    if !missing.is_empty() {
        return Err(substitute::undefined_in_action(missing, definition).hint("Nothing was sent."));
    }
    let mut mark = definition.bound.mark();
    let leftover = leftover(action, definition.bound);
    let mut secrets = secret_texts(&leftover, definition.bound);
    let mut filled = |template| -> Result<Filled<'_>> {
        let filled = fill(template, definition)?;
        mark = mark.with(filled.mark());
        secrets.extend(filled.secret_texts());
        Ok(filled)
    };
    let in_query = matches!(http.method, Method::Get | Method::Delete);
    let query: Vec<(&str, String)> = if in_query { pairs(&leftover) } else { Vec::new() };
    let address = substitute::address(&filled(&http.url)?, &query)?;
    let mut headers = Vec::with_capacity(http.headers.len());
    for header in &http.headers {
        headers.push((header.name.clone(), substitute::header(&header.name, &filled(&header.value)?)?));
    }
    let kind = body_kind(&headers);
    let body = match &http.body {
        Some(template) => Some(encoded(&filled(template)?, kind)),
        None if in_query || leftover.is_empty() => None,
        None => Some(fields_body(&leftover, kind)),
    };
    let shown = format!("{} {}", http.method.name(), address.shown);
    let unusable = |error: web::Error| Error::new(Code::InvalidParams, format!("{shown}: {error}."));
    let url = web::parse_url(&address.url).map_err(unusable)?;
    let mut request = web::Request::call(method(http.method), url);
    for (name, value) in &headers {
        request = request.header(name, value).map_err(unusable)?;
    }
    if let Some(body) = body {
        request = request.body(body);
    }
    request = request.confining(with_parts(secrets, definition.known.persistent));
    request.timeout = action.timeout.unwrap_or(HTTP_LIMIT).min(LONGEST_LIMIT);
    Ok(Prepared { request, shown, url: address.url, mark, host_mark: address.host_mark })
}

/// The error for a request that got no answer. What is wrong with its address is a redirect's.
pub fn unanswered(shown: &str, error: &web::Error) -> Error {
    let code = match error {
        web::Error::Refused { .. }
        | web::Error::BodyToOtherHost { .. }
        | web::Error::ValueToOtherHost { .. }
        | web::Error::RedirectScheme { .. } => Code::NotAllowed,
        _ => Code::ActionFailed,
    };
    let way_out = match error {
        web::Error::Refused { host, reason: web::Refusal::NotPublic(_), .. } => Some(format!(
            "A person may allow it: \"net\": {{\"allow\": [{host:?}]}} in .string/config.json of the home"
        )),
        web::Error::ValueToOtherHost { to, .. } => Some(format!(
            "It is a value of a $NAME variable. If {to} is meant to have it, call that host in an action of its own."
        )),
        _ => None,
    };
    Error::new(code, format!("No answer to {shown}: {error}")).hints(way_out)
}

/// The fields that no template of the definition uses, in the order of their declaration.
fn leftover<'b>(action: &Action, bound: &'b Bound) -> Vec<(&'b str, &'b Value)> {
    let templates = action.call.templates();
    let is_used = |name: &str| uses(&templates, name);
    bound.iter().filter(|(name, _)| !is_used(name)).collect()
}

/// The fields that hold a value of the `$NAME` files.
fn secret_texts(fields: &[(&str, &Value)], bound: &Bound) -> Vec<String> {
    let is_secret = |name: &str| bound.get(name).is_some_and(|meant| meant.mark.secret);
    let secret = fields.iter().filter(|(name, _)| is_secret(name));
    secret.map(|(_, value)| text_of(value).into_owned()).collect()
}

/// The texts, and the values of the `$NAME` files inside those that are more than one: a server may send back a part of
/// what it got.
fn with_parts(mut texts: Vec<String>, persistent: &Persistent) -> Vec<String> {
    let values: Vec<&str> = persistent.iter().map(|(_, secret)| secret.reveal()).collect();
    let mixed: Vec<&String> = texts.iter().filter(|text| !values.contains(&text.as_str())).collect();
    let is_part = |value: &&str| !value.is_empty() && mixed.iter().any(|text| text.contains(value));
    let parts: Vec<String> = values.iter().copied().filter(is_part).map(str::to_owned).collect();
    texts.extend(parts);
    texts
}

fn uses(templates: &[&Template], name: &str) -> bool {
    let mut placeholders = templates.iter().flat_map(|template| template.placeholders());
    placeholders.any(|placeholder| placeholder.path.root == name)
}

/// One pair for each value; a list is one pair for each of its entries.
fn pairs<'b>(leftover: &[(&'b str, &Value)]) -> Vec<(&'b str, String)> {
    let mut pairs = Vec::new();
    for (name, value) in leftover {
        match value {
            Value::Array(items) => pairs.extend(items.iter().map(|item| (*name, text_of(item).into_owned()))),
            other => pairs.push((*name, text_of(other).into_owned())),
        }
    }
    pairs
}

fn fields_body(leftover: &[(&str, &Value)], kind: BodyKind) -> String {
    if kind == BodyKind::Form {
        let pair = |(name, value): &(&str, String)| {
            format!("{}={}", substitute::encoded(name), substitute::encoded(value))
        };
        return pairs(leftover).iter().map(pair).collect::<Vec<_>>().join("&");
    }
    let object: Map<String, Value> =
        leftover.iter().map(|(name, value)| ((*name).to_owned(), (*value).clone())).collect();
    Value::Object(object).to_string()
}

/// A template that is JSON gets its values as JSON, whatever the declared type says: else a quote in a value
/// would change what the body means.
fn encoded(filled: &Filled<'_>, kind: BodyKind) -> String {
    match kind {
        _ if substitute::is_json(filled) => substitute::json_body(filled),
        BodyKind::Json => substitute::json_body(filled),
        BodyKind::Form => substitute::form_body(filled),
        BodyKind::Text => substitute::text(filled),
    }
}

/// JSON where nothing else is declared.
fn body_kind(headers: &[(String, String)]) -> BodyKind {
    let declared = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-type"));
    let Some((_, value)) = declared else { return BodyKind::Json };
    match value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase().as_str() {
        "application/x-www-form-urlencoded" => BodyKind::Form,
        kind if kind.ends_with("json") => BodyKind::Json,
        _ => BodyKind::Text,
    }
}

fn method(method: Method) -> web::Method {
    match method {
        Method::Get => web::Method::GET,
        Method::Post => web::Method::POST,
        Method::Put => web::Method::PUT,
        Method::Patch => web::Method::PATCH,
        Method::Delete => web::Method::DELETE,
    }
}
