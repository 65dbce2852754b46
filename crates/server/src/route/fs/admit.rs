//! Who gets at a file: the holder of a capability for it, with the verb, as long as it lives.

use axum::http::{HeaderMap, StatusCode, Uri, header};
use runtime::agent::workspace::Place;
use runtime::blocking;
use runtime::capability::{Capability, Verb};

use super::{App, refused};
use crate::failure::Failure;
use crate::token::bearer;

/// A request that was let in, and the one file that it is about.
pub struct Admitted {
    pub capability: Capability,
    pub place: Place,
}

/// Lets a request in, and counts its use. Everything that is wrong with a token is said in the same words.
pub async fn admit(app: &App, verb: Verb, uri: &Uri, headers: &HeaderMap) -> Result<Admitted, Failure> {
    let capabilities = &app.runtime.capabilities;
    let opened = match token(uri, headers) {
        Some(token) => capabilities.opened_by(token).await?,
        None => None,
    };
    let capability = opened.ok_or_else(unauthorized)?;
    let agent = app.runtime.agents.get(&capability.agent).map_err(|_| unauthorized())?;
    if !capability.verbs.allow(verb) {
        let allowed: Vec<_> = capability.verbs.names().collect();
        return Err(Failure::forbidden("The capability does not allow this.")
            .hint(format!("It allows: {}", allowed.join(", "))));
    }
    let text = uri.path().strip_prefix("/fs/").unwrap_or_default();
    let path = capability.addressed(text, agent.workspace.home()).map_err(refused)?;
    let (capability, place) = blocking::run(move || {
        let place = capability.place(&agent.workspace, &path);
        (capability, place)
    })
    .await;
    let place = place.map_err(refused)?;
    // The last step before anything is done: what is refused costs no use.
    if !capabilities.use_once(&capability).await? {
        return Err(unauthorized());
    }
    Ok(Admitted { capability, place })
}

/// The one token that a request shows, in its header or its address. Two are none.
fn token<'a>(uri: &'a Uri, headers: &'a HeaderMap) -> Option<&'a str> {
    let in_headers = headers.get_all(header::AUTHORIZATION).iter().map(bearer);
    let query = uri.query().unwrap_or_default().split('&');
    let in_address = query.filter_map(|pair| pair.strip_prefix("cap=")).map(Some);
    let mut shown = in_headers.chain(in_address);
    match (shown.next(), shown.next()) {
        (Some(only), None) => only,
        _ => None,
    }
}

fn unauthorized() -> Failure {
    Failure::new(StatusCode::UNAUTHORIZED, "UNAUTHORIZED", "A valid capability is required.")
        .hint("Mint one: string agent capability mint --path P --verbs get,put")
}
