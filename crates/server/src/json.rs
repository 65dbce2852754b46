//! Reading request bodies, of the right type, within size and time; and writing events.

use axum::body::HttpBody as _;
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::sse::Event;
use http_body_util::{BodyExt, Limited};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::failure::Failure;
use crate::limits::Limits;
use crate::route::App;

/// A JSON body. Anything but `application/json` is refused: a web page can post other types unasked.
#[derive(Debug)]
pub struct JsonBody<T>(pub T);

/// No body is needed. If there is one all the same, the rules for bodies hold.
#[derive(Debug)]
pub struct NoBody;

/// A body of plain text.
#[derive(Debug)]
pub struct TextBody(pub String);

impl<T: DeserializeOwned> FromRequest<App> for JsonBody<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, app: &App) -> Result<Self, Failure> {
        check_type(request.headers(), &["application/json"])?;
        let bytes = read(request, &app.limits, app.limits.body_bytes).await?;
        // An array would be taken for the fields in their order.
        if !matches!(bytes.trim_ascii_start().first(), None | Some(b'{')) {
            return Err(Failure::bad_request("The body must be a JSON object."));
        }
        serde_json::from_slice(&bytes)
            .map(Self)
            .map_err(|error| Failure::bad_request(format!("The body is not the expected JSON: {error}")))
    }
}

impl FromRequest<App> for NoBody {
    type Rejection = Failure;

    async fn from_request(request: Request, app: &App) -> Result<Self, Failure> {
        if !request.body().is_end_stream() {
            check_type(request.headers(), &["application/json"])?;
            read(request, &app.limits, app.limits.body_bytes).await?;
        }
        Ok(Self)
    }
}

impl FromRequest<App> for TextBody {
    type Rejection = Failure;

    async fn from_request(request: Request, app: &App) -> Result<Self, Failure> {
        check_type(request.headers(), &["text/plain", "text/markdown"])?;
        let bytes = read(request, &app.limits, app.limits.body_bytes).await?;
        String::from_utf8(bytes).map(Self).map_err(|_| Failure::bad_request("The body is not UTF-8."))
    }
}

pub fn check_type(headers: &HeaderMap, accepted: &[&str]) -> Result<(), Failure> {
    let mut given = headers.get_all(header::CONTENT_TYPE).iter();
    let one = given.next().filter(|_| given.next().is_none());
    let essence = one
        .and_then(|value| value.to_str().ok())
        .map(|text| text.split(';').next().unwrap_or_default().trim());
    if essence.is_some_and(|essence| accepted.iter().any(|one| essence.eq_ignore_ascii_case(one))) {
        return Ok(());
    }
    let message = format!("The content type must be {}.", accepted.join(" or "));
    Err(Failure::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "UNSUPPORTED_MEDIA_TYPE", message))
}

/// Reads at most `max` bytes, within the time that a body may take.
pub async fn read(request: Request, limits: &Limits, max: usize) -> Result<Vec<u8>, Failure> {
    let too_large = || {
        let message = format!("The body is larger than {} KB.", max / 1024);
        Failure::new(StatusCode::PAYLOAD_TOO_LARGE, "PAYLOAD_TOO_LARGE", message)
    };
    let declared =
        request.headers().get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
    if declared.is_some_and(|length: u64| length > max as u64) {
        return Err(too_large());
    }
    let body = Limited::new(request.into_body(), max).collect();
    match tokio::time::timeout(limits.body_time, body).await {
        Ok(Ok(collected)) => Ok(collected.to_bytes().into()),
        Ok(Err(error)) if error.is::<http_body_util::LengthLimitError>() => Err(too_large()),
        Ok(Err(_)) => Err(Failure::bad_request("The body could not be read.")),
        Err(_) => Err(Failure::new(
            StatusCode::REQUEST_TIMEOUT,
            "REQUEST_TIMEOUT",
            "The body took too long to arrive.",
        )),
    }
}

/// A server-sent event with JSON as its data.
pub fn json_event(name: &str, data: &impl Serialize) -> Event {
    let text = serde_json::to_string(data).expect("our own types are always JSON");
    Event::default().event(name).data(text)
}
