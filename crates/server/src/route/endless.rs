//! Streams that end only when their reader has had enough: so many at once, so that others find a connection.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::FromRequestParts;
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use http_body_util::BodyExt;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::App;
use crate::failure::Failure;
use crate::peer::Peer;

/// The places for them. Each door has its own, as with connections.
#[derive(Debug, Clone)]
pub struct Places {
    max: usize,
    local: Arc<Semaphore>,
    network: Arc<Semaphore>,
}

/// A place for one.
#[derive(Debug)]
pub struct Place(OwnedSemaphorePermit);

impl Places {
    pub fn new(max: usize) -> Self {
        Self { max, local: Arc::new(Semaphore::new(max)), network: Arc::new(Semaphore::new(max)) }
    }
}

impl Place {
    /// Whoever reads the answer has the place.
    pub fn of(self, answer: impl IntoResponse) -> Response {
        answer.into_response().map(|body| {
            Body::new(body.map_frame(move |frame| {
                let Self(_held) = &self;
                frame
            }))
        })
    }
}

impl FromRequestParts<App> for Place {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Failure> {
        let Places { max, local, network } = &app.endless;
        let places = match parts.extensions.get() {
            Some(Peer::Local { .. } | Peer::Agent) => local,
            Some(Peer::Network) | None => network,
        };
        Arc::clone(places).try_acquire_owned().map(Self).map_err(|_| {
            let message = format!("{max} streams are open, which is the limit.");
            Failure::new(StatusCode::TOO_MANY_REQUESTS, "QUEUE_FULL", message)
                .hint("Close one that nobody reads any more.")
        })
    }
}
