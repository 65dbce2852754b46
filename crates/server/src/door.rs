//! The door: what a request must show before any route sees it.
//!
//! Over TCP a `Host` that is ours keeps out DNS rebinding, an `Origin` that is ours keeps out web pages, and
//! the token keeps out everyone else. The Unix socket is trusted by its permissions and the peer's user id,
//! which the listener checks.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::failure::Failure;
use crate::peer::Peer;
use crate::route::{self, App};
use crate::token::{Token, bearer};
use crate::version;

/// The names that mean this machine and no other.
const LOOPBACK_NAMES: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

/// Of two that differ nobody could say which one counts.
const AT_MOST_ONCE: [(&str, &str); 2] =
    [(wire::header::AGENT, "X-Agent-Id"), (wire::header::IDEMPOTENCY_KEY, "Idempotency-Key")];

/// Checks every request, also those to routes that do not exist.
pub async fn guard(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let peer = request.extensions().get::<Peer>().copied().unwrap_or(Peer::Network);
    if let (Peer::Local { .. }, true) = (peer, request.headers().contains_key(wire::header::FOR_AGENT)) {
        request.extensions_mut().insert(Peer::Agent);
    }
    let checked = match peer {
        Peer::Local { .. } | Peer::Agent => Ok(()),
        Peer::Network => check_network(&request, app.port, &app.token),
    };
    let checked = checked.and_then(|()| check_single(request.headers()));
    match checked.and_then(|()| version::check(&app, &request)) {
        Ok(age) => {
            let mut response = next.run(request).await;
            version::mark(age, &mut response);
            response
        }
        Err(failure) => failure.into_response(),
    }
}

fn check_network(request: &Request, port: u16, token: &Token) -> Result<(), Failure> {
    check_host(request.headers(), request.uri(), port)?;
    check_origin(request.headers(), port)?;
    if route::is_open_to_all(request.uri().path()) { Ok(()) } else { check_token(request.headers(), token) }
}

fn check_single(headers: &HeaderMap) -> Result<(), Failure> {
    match AT_MOST_ONCE.iter().find(|(name, _)| headers.get_all(*name).iter().count() > 1) {
        Some((_, shown)) => Err(Failure::bad_request(format!("The header {shown} may stand only once."))),
        None => Ok(()),
    }
}

fn check_host(headers: &HeaderMap, uri: &Uri, port: u16) -> Result<(), Failure> {
    let mut hosts = headers.get_all(header::HOST).iter();
    let ours =
        |host: &str| LOOPBACK_NAMES.iter().any(|name| host.eq_ignore_ascii_case(&format!("{name}:{port}")));
    let only = match (hosts.next(), hosts.next()) {
        (Some(only), None) => only.to_str().is_ok_and(ours),
        _ => false,
    };
    // A request line with a whole address names a host too.
    let named = uri.authority().is_none_or(|authority| ours(authority.as_str()));
    if only && named { Ok(()) } else { Err(Failure::forbidden("The Host header is not this daemon's.")) }
}

fn check_origin(headers: &HeaderMap, port: u16) -> Result<(), Failure> {
    let ours = |origin: &str| LOOPBACK_NAMES.iter().any(|name| origin == format!("http://{name}:{port}"));
    let foreign = headers.get_all(header::ORIGIN).iter().any(|value| !value.to_str().is_ok_and(ours));
    if foreign { Err(Failure::forbidden("Requests from other origins are refused.")) } else { Ok(()) }
}

fn check_token(headers: &HeaderMap, token: &Token) -> Result<(), Failure> {
    let mut given = headers.get_all(header::AUTHORIZATION).iter();
    let only = match (given.next(), given.next()) {
        (Some(only), None) => bearer(only),
        _ => None,
    };
    match only {
        Some(given) if token.matches(given) => Ok(()),
        _ => Err(Failure::new(StatusCode::UNAUTHORIZED, "UNAUTHORIZED", "A valid token is required.")),
    }
}
