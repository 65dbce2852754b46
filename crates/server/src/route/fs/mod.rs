//! `/fs/{path}`: files of an agent for whoever holds a capability, of any size and in both directions.

mod admit;
mod condition;
mod download;
mod media;
mod range;
mod upload;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get as route_get};
use runtime::agent::workspace::Stamp;
use runtime::blocking;
use runtime::capability::Verb;
use runtime::error::{Code, Error};
use wire::ErrorBody;

use self::admit::admit;
use self::condition::Conditions;
use self::download::Part;
use super::App;
use crate::failure::Failure;

pub fn routes() -> MethodRouter<App> {
    route_get(get).head(head).put(put).delete(delete)
}

#[utoipa::path(
    get,
    path = "/fs/{path}",
    params(
        ("path" = String, Path, description = "`~/` and what follows below the agent's home, or an absolute path without its first slash"),
        ("Range" = Option<String>, Header, description = "one range of bytes; more than one are answered with the whole file"),
        ("If-Range" = Option<String>, Header),
        ("If-Match" = Option<String>, Header),
        ("If-None-Match" = Option<String>, Header),
        ("If-Modified-Since" = Option<String>, Header),
        ("If-Unmodified-Since" = Option<String>, Header),
    ),
    responses(
        (status = 200, description = "the file, of the type that its name says", body = [u8], content_type = "*/*"),
        (status = 206, description = "the range", body = [u8], content_type = "*/*"),
        (status = 304, description = "it is what the caller has"),
        (status = 416, description = "the file is shorter than that", body = ErrorBody),
    ),
    security(("capability" = []), ("capability_in_address" = []))
)]
pub async fn get(State(app): State<App>, uri: Uri, headers: HeaderMap) -> Result<Response, Failure> {
    let place = admit(&app, Verb::Get, &uri, &headers).await?.place;
    let name = place.path();
    let conditions = Conditions::of(&headers);
    let found = blocking::run(move || place.download()).await.map_err(refused)?;
    let (file, stamp) = found.ok_or_else(missing)?;
    if let Some(answer) = settled(&conditions, &stamp)? {
        return Ok(answer);
    }
    let wanted = if conditions.range_counts(&stamp) {
        range::wanted(&headers, stamp.size)
    } else {
        range::Wanted::Whole
    };
    let part = match wanted {
        range::Wanted::Whole => Part { from: 0, length: stamp.size },
        range::Wanted::Part(part) => part,
        range::Wanted::Nothing => return Ok(out_of_range(stamp.size)),
    };
    let whole = matches!(wanted, range::Wanted::Whole);
    let mut response = download::body(file, part).into_response();
    download::describe(response.headers_mut(), &name, &conditions.etag(&stamp), &stamp, part.length);
    if !whole {
        *response.status_mut() = StatusCode::PARTIAL_CONTENT;
        let last = part.from + part.length - 1;
        download::insert(
            response.headers_mut(),
            header::CONTENT_RANGE,
            &format!("bytes {}-{last}/{}", part.from, stamp.size),
        );
    }
    Ok(response)
}

#[utoipa::path(
    head,
    path = "/fs/{path}",
    params(
        ("path" = String, Path, description = "as for `GET`"),
        ("If-Match" = Option<String>, Header),
        ("If-None-Match" = Option<String>, Header),
        ("If-Modified-Since" = Option<String>, Header),
        ("If-Unmodified-Since" = Option<String>, Header),
    ),
    responses(
        (status = 200, description = "the headers of the answer to `GET`"),
        (status = 304, description = "it is what the caller has"),
    ),
    security(("capability" = []), ("capability_in_address" = []))
)]
pub async fn head(State(app): State<App>, uri: Uri, headers: HeaderMap) -> Result<Response, Failure> {
    let place = admit(&app, Verb::Head, &uri, &headers).await?.place;
    let name = place.path();
    let conditions = Conditions::of(&headers);
    let found = blocking::run(move || place.stamp()).await.map_err(refused)?;
    let stamp = found.ok_or_else(missing)?;
    if let Some(answer) = settled(&conditions, &stamp)? {
        return Ok(answer);
    }
    let mut response = StatusCode::OK.into_response();
    download::describe(response.headers_mut(), &name, &conditions.etag(&stamp), &stamp, stamp.size);
    Ok(response)
}

#[utoipa::path(
    put,
    path = "/fs/{path}",
    params(
        ("path" = String, Path, description = "as for `GET`"),
        ("If-Match" = Option<String>, Header, description = "replace only what the caller has seen"),
        ("If-None-Match" = Option<String>, Header, description = "`*`: create only"),
        ("If-Unmodified-Since" = Option<String>, Header),
    ),
    request_body(content = [u8], content_type = "*/*", description = "the file; it takes its place when all of it is on disk"),
    responses(
        (status = 201, description = "there is a file now where there was none"),
        (status = 204, description = "the file was replaced"),
        (status = 400, description = "not a path, or a part of a file, or the body broke off", body = ErrorBody),
        (status = 404, description = "a part of the path is a file", body = ErrorBody),
        (status = 408, description = "it came too slowly", body = ErrorBody),
        (status = 413, description = "more than the capability may still write", body = ErrorBody),
    ),
    security(("capability" = []), ("capability_in_address" = []))
)]
pub async fn put(State(app): State<App>, request: Request) -> Result<Response, Failure> {
    let (parts, body) = request.into_parts();
    let admitted = admit(&app, Verb::Put, &parts.uri, &parts.headers).await?;
    if parts.headers.contains_key(header::CONTENT_RANGE) {
        return Err(Failure::bad_request("A part of a file cannot be put."));
    }
    let place = admitted.place.clone();
    let conditions = Conditions::of(&parts.headers);
    let present = blocking::run(move || place.stamp()).await.map_err(refused)?;
    let expected = conditions.for_write(present.as_ref()).ok_or_else(unexpected)?;
    let put = upload::receive(&app, admitted, expected, &parts.headers, body).await?;
    let status = if put.replaced { StatusCode::NO_CONTENT } else { StatusCode::CREATED };
    let mut response = status.into_response();
    download::insert(response.headers_mut(), header::ETAG, &conditions.etag(&put.stamp));
    Ok(response)
}

#[utoipa::path(
    delete,
    path = "/fs/{path}",
    params(
        ("path" = String, Path, description = "as for `GET`"),
        ("If-Match" = Option<String>, Header, description = "remove only what the caller has seen"),
        ("If-None-Match" = Option<String>, Header, description = "remove only what the caller has not seen"),
        ("If-Unmodified-Since" = Option<String>, Header),
    ),
    responses(
        (status = 204, description = "the file is gone"),
    ),
    security(("capability" = []), ("capability_in_address" = []))
)]
pub async fn delete(State(app): State<App>, uri: Uri, headers: HeaderMap) -> Result<StatusCode, Failure> {
    let place = admit(&app, Verb::Delete, &uri, &headers).await?.place;
    let conditions = Conditions::of(&headers);
    let removed = blocking::run(move || {
        let present = place.stamp().map_err(refused)?;
        let expected = conditions.for_write(present.as_ref()).ok_or_else(unexpected)?;
        present.ok_or_else(missing)?;
        place.remove_file(expected).map_err(refused)
    });
    removed.await.map(|()| StatusCode::NO_CONTENT)
}

/// What the runtime refused, with the status that says so about a file.
fn refused(error: Error) -> Failure {
    let status = match error.code {
        Code::NotFound => StatusCode::NOT_FOUND,
        Code::InvalidPath | Code::NotAllowed => StatusCode::FORBIDDEN,
        Code::InvalidParams => StatusCode::BAD_REQUEST,
        // Somebody changed it between the look at it and the act.
        Code::Conflict => StatusCode::PRECONDITION_FAILED,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    };
    Failure::with_status(status, error)
}

fn missing() -> Failure {
    Failure::new(StatusCode::NOT_FOUND, Code::NotFound.as_str(), "No such file.")
}

fn unexpected() -> Failure {
    Failure::new(StatusCode::PRECONDITION_FAILED, Code::Conflict.as_str(), "The file is not what you expect.")
        .hint("HEAD shows its ETag as it is now. One that begins with W/ is no condition yet: ask again.")
}

/// The answer of a read whose conditions leave nothing to send.
fn settled(conditions: &Conditions, stamp: &Stamp) -> Result<Option<Response>, Failure> {
    match conditions.for_read(stamp) {
        condition::Read::Send => Ok(None),
        condition::Read::NotModified => {
            let mut response = StatusCode::NOT_MODIFIED.into_response();
            download::identify(response.headers_mut(), &conditions.etag(stamp), stamp);
            Ok(Some(response))
        }
        condition::Read::Failed => Err(unexpected()),
    }
}

fn out_of_range(size: u64) -> Response {
    let message = format!("The file has {size} bytes.");
    let mut response = Failure::new(StatusCode::RANGE_NOT_SATISFIABLE, Code::InvalidParams.as_str(), message)
        .into_response();
    download::insert(response.headers_mut(), header::CONTENT_RANGE, &format!("bytes */{size}"));
    response
}
