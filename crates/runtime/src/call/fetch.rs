//! `fetch`: the daemon makes the request, under the policy for scripts.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use serde::Deserialize;
use serde_json::json;
use web::{CookieJar, Method, Policy, Request};

use super::calls::Calls;
use super::host::{Answer, raw, refusal, typed};
use crate::action::allowed_places;
use crate::substitute::Mark;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fetch {
    url: String,
    method: String,
    headers: Vec<(String, String)>,
    body: Option<String>,
    redirect: String,
}

pub(super) async fn answer(calls: &Calls<'_>, arguments: &str) -> Answer {
    let fetch: Fetch = typed(arguments)?;
    let request = request(&fetch).map_err(|message| refusal("invalid_argument", message))?;
    let request = request.confining(calls.shared.confined());
    let own_ports: Vec<u16> = calls.runtime.port.into_iter().collect();
    let allowed = allowed_places(calls.agent.workspace.home())
        .map_err(|error| refusal("unavailable", error.message))?;
    let policy = Policy::web(own_ports).allowing(allowed);
    // Cookies of the topic are not the script's to send.
    let answer = calls.runtime.web.fetch(request, &policy, &CookieJar::new()).await;
    let answer = answer.map_err(|error| failed(&error))?;
    calls.shared.saw(Mark::ANSWER);
    let headers: Vec<(&str, String)> = answer
        .headers
        .iter()
        .map(|(name, value)| (name.as_str(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
        .collect();
    if fetch.redirect == "error" && answer.is_redirect() {
        return Err(refusal("redirected", format!("{} redirects", fetch.url)));
    }
    raw(&json!({
        "status": answer.status.as_u16(),
        "statusText": answer.status.canonical_reason().unwrap_or_default(),
        "url": answer.url.as_str(),
        "redirected": answer.url.as_str() != fetch.url,
        "headers": headers,
        "body": BASE64_STANDARD.encode(&answer.body),
    }))
}

fn request(fetch: &Fetch) -> Result<Request, String> {
    let url = web::parse_url(&fetch.url).map_err(|error| error.to_string())?;
    let method = Method::from_bytes(fetch.method.as_bytes())
        .map_err(|_| format!("{:?} is no method", fetch.method))?;
    let mut request = Request::call(method, url);
    if fetch.redirect != "follow" {
        request = request.without_redirects();
    }
    for (name, value) in &fetch.headers {
        request = request.header(name, value).map_err(|error| error.to_string())?;
    }
    match &fetch.body {
        Some(body) => Ok(request.bytes(BASE64_STANDARD.decode(body).map_err(|_| "the body is not base64")?)),
        None => Ok(request),
    }
}

fn failed(error: &web::Error) -> script::HostError {
    let code = match error {
        web::Error::Refused { .. } | web::Error::ValueToOtherHost { .. } => "network_denied",
        web::Error::Timeout { .. } => "timeout",
        _ => "network_error",
    };
    let retryable =
        matches!(error, web::Error::Timeout { .. } | web::Error::Connect { .. } | web::Error::Broken { .. });
    let way_out = match error {
        web::Error::Refused { host, .. } => {
            format!(
                "; a person may allow it: \"net\": {{\"allow\": [{host:?}]}} in .string/config.json of the home"
            )
        }
        _ => String::new(),
    };
    script::HostError { retryable, ..refusal(code, format!("{error}{way_out}")) }
}
