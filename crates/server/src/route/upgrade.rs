//! Connections that become something else than HTTP.

use axum::body::Body;
use axum::extract::Request;
use axum::http::{StatusCode, header};
use axum::response::Response;
use hyper::upgrade::OnUpgrade;

use crate::failure::Failure;

/// The connection of a request that asks for this protocol.
pub fn asked_for(protocol: &str, request: &mut Request) -> Result<OnUpgrade, Failure> {
    let asked = request.headers().get(header::UPGRADE);
    let asks = asked.is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(protocol.as_bytes()));
    let upgrade = asks.then(|| request.extensions_mut().remove::<OnUpgrade>()).flatten();
    upgrade.ok_or_else(|| {
        Failure::bad_request(format!("This route needs Connection: Upgrade and Upgrade: {protocol}."))
    })
}

/// The answer that grants it.
pub fn granted(protocol: &str) -> Result<Response, Failure> {
    Response::builder()
        .status(StatusCode::SWITCHING_PROTOCOLS)
        .header(header::CONNECTION, "Upgrade")
        .header(header::UPGRADE, protocol)
        .body(Body::empty())
        .map_err(|error| Failure::bad_request(error.to_string()))
}
