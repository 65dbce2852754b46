//! Connections that wait for the next request.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use http_body_util::Full;
use hyper::Request;
use hyper::body::Bytes;

use crate::Error;
use crate::connection::{Afterwards, Connection, Endpoint, Received, Unanswered};

/// As many calls as a caller makes at once over and over; what goes beyond is closed.
const KEPT_MAX: usize = 8;

/// What a caller who makes many calls saves: a connection for each of them. A call still has its connection to
/// itself, so a caller that goes away takes its waiting command with it, and nothing queues behind anything.
#[derive(Debug, Clone, Default)]
pub(crate) struct Kept(Arc<Mutex<Vec<Connection>>>);

impl Kept {
    /// Sends through a connection that is kept, or else through a new one.
    pub(crate) async fn send(
        &self,
        endpoint: &Endpoint,
        request: Request<Full<Bytes>>,
    ) -> Result<Received, Error> {
        while let Some(mut connection) = self.take() {
            if !connection.is_ready().await {
                continue;
            }
            match connection.exchange(request.clone()).await {
                Ok(received) => return Ok(received),
                // The daemon closes connections that are idle for long, perhaps just now.
                Err(Unanswered::Unread(_)) => {}
                Err(Unanswered::Broken(error)) => return Err(error.into()),
            }
        }
        send_once(endpoint, request, Afterwards::Close).await
    }

    /// Keeps a connection whose reply has been read to its end.
    pub(crate) fn give(&self, connection: Connection) {
        let mut idle = self.idle();
        if idle.len() < KEPT_MAX {
            idle.push(connection);
        }
    }

    /// The one that was used last: it is the least likely to have been closed meanwhile.
    fn take(&self) -> Option<Connection> {
        self.idle().pop()
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Sends through a connection of its own.
pub(crate) async fn send_once(
    endpoint: &Endpoint,
    request: Request<Full<Bytes>>,
    after: Afterwards,
) -> Result<Received, Error> {
    match endpoint.connect(after).await?.exchange(request).await {
        Ok(received) => Ok(received),
        Err(Unanswered::Unread(source)) => Err(endpoint.not_reachable(source)),
        Err(Unanswered::Broken(error)) => Err(error.into()),
    }
}
