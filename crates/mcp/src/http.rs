//! Streamable HTTP: the sessions of all clients, with a cap.

use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, Method, Request, Response};
use http_body::Body;
use http_body_util::Full;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde::Deserialize;
use tokio_util::sync::CancellationToken;

use crate::{Handler, Host};

/// Names the session that a request belongs to.
const SESSION: &str = "mcp-session-id";

/// The conversations over HTTP. Whoever calls has checked who may come in, and has read the body.
pub struct Sessions<H: Host> {
    service: StreamableHttpService<Handler<H>, LocalSessionManager>,
    sessions: Arc<LocalSessionManager>,
    max: usize,
    /// Held while a session begins, so that many at once cannot pass the cap together.
    beginning: tokio::sync::Mutex<()>,
}

/// Why a request does not reach a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// There are as many sessions as there may be.
    TooMany,
    /// One was to be ended that there is not.
    NoSession,
}

impl<H: Host> Sessions<H> {
    /// At most `max` sessions at once; all end with `stop`.
    pub fn new(host: Arc<H>, version: String, max: usize, body_max: usize, stop: CancellationToken) -> Self {
        let sessions = Arc::new(LocalSessionManager::default());
        // `Host` and `Origin` are checked before a request gets here, on the socket by other means.
        let config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .with_max_request_body_bytes(body_max)
            .with_cancellation_token(stop);
        let handler = move || Ok(Handler::new(Arc::clone(&host), version.clone()));
        let service = StreamableHttpService::new(handler, Arc::clone(&sessions), config);
        Self { service, sessions, max, beginning: tokio::sync::Mutex::default() }
    }

    pub async fn handle(
        &self,
        request: Request<Bytes>,
    ) -> Result<Response<impl Body<Data = Bytes, Error = Infallible> + Send + 'static>, Refused> {
        if request.method() == Method::DELETE && !self.knows(request.headers()).await {
            return Err(Refused::NoSession);
        }
        let begins = begins(request.headers(), request.body());
        let request = request.map(Full::new);
        if !begins {
            return Ok(self.service.handle(request).await);
        }
        let _beginning = self.beginning.lock().await;
        if self.count().await >= self.max {
            return Err(Refused::TooMany);
        }
        Ok(self.service.handle(request).await)
    }

    /// Whether the session that is named, if one is, exists.
    async fn knows(&self, headers: &HeaderMap) -> bool {
        let Some(named) = headers.get(SESSION) else { return true };
        let open = self.sessions.sessions.read().await;
        named.to_str().is_ok_and(|named| open.contains_key(named))
    }

    /// How many conversations are open.
    pub async fn count(&self) -> usize {
        self.sessions.sessions.read().await.len()
    }
}

/// Whether a request begins a session: only a greeting without one does.
fn begins(headers: &HeaderMap, body: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Message {
        method: String,
    }
    let greets =
        || serde_json::from_slice::<Message>(body).is_ok_and(|message| message.method == "initialize");
    !headers.contains_key(SESSION) && greets()
}
