//! Streamable HTTP: the sessions of all clients, with a cap.

mod log;
mod mistake;
mod open;
mod session;

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::request::Parts;
use http::{HeaderMap, Method, Request, Response};
use http_body::Body;
use http_body_util::Full;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde::Deserialize;
use tokio_util::sync::CancellationToken;

use self::open::Open;
use self::session::Session;
use crate::{Handler, Host, cursor};

/// The method that begins a session.
const GREETING: &str = "initialize";
/// Names the session that a request belongs to.
const SESSION: &str = "mcp-session-id";
/// Names the event that a client whose connection broke off has read last.
const LAST_EVENT: &str = "last-event-id";

/// The conversations over HTTP. Whoever calls has checked who may come in, and has read the body.
pub struct Sessions<H: Host> {
    host: Arc<H>,
    service: StreamableHttpService<Handler<H>, Open>,
    open: Arc<Open>,
    max: usize,
    /// Held while a session begins, so that many at once cannot pass the cap together.
    beginning: tokio::sync::Mutex<()>,
}

/// How much clients may ask for.
#[derive(Debug, Clone, Copy)]
pub struct SessionLimits {
    /// Sessions at once.
    pub sessions: usize,
    /// One that nobody uses for so long ends.
    pub idle: Duration,
    /// Largest message.
    pub body_bytes: usize,
}

/// Why a request does not reach a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// There are as many sessions as there may be.
    TooMany,
    /// One was to be ended that there is not.
    NoSession,
    /// The session was opened by another agent than the one that speaks.
    OtherAgent,
    /// A client wants to read on behind an event that its session does not know, or no more.
    NoEvent,
}

impl<H: Host> Sessions<H> {
    /// `version` is what clients are told. With `stop` all sessions end, each as soon as its calls are answered:
    /// whoever cancels it stops the commands, too.
    pub fn new(host: Arc<H>, version: String, limits: SessionLimits, stop: CancellationToken) -> Self {
        let open = Arc::new(Open::new(limits.idle, stop.clone()));
        // `Host` and `Origin` are checked before a request gets here, on the socket by other means. Streams say
        // themselves where they begin: the library would name the session's first event, long after that.
        let config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .with_max_request_body_bytes(limits.body_bytes)
            .with_sse_retry(None);
        let inner = Arc::clone(&host);
        let handler = move || Ok(Handler::new(Arc::clone(&inner), version.clone()).ending_with(stop.clone()));
        let service = StreamableHttpService::new(handler, Arc::clone(&open), config);
        Self { host, service, open, max: limits.sessions, beginning: tokio::sync::Mutex::default() }
    }

    pub async fn handle(
        &self,
        request: Request<Bytes>,
    ) -> Result<Response<impl Body<Data = Bytes, Error = Infallible> + Send + 'static>, Refused> {
        let (parts, body) = request.into_parts();
        let agent = self.host.agent(Some(&parts));
        self.check_named(&parts, &agent)?;
        let begins = begins(&parts.headers, &body);
        let readable = cursor::as_text(&body).map_or_else(|| body.clone(), Bytes::from);
        let request = Request::from_parts(parts, Full::new(readable));
        if !begins {
            return Ok(mistake::explained(self.service.handle(request).await, &body));
        }
        let _beginning = self.beginning.lock().await;
        if self.count() >= self.max {
            return Err(Refused::TooMany);
        }
        let response = self.service.handle(request).await;
        if let Ok(Some(session)) = self.named(response.headers()) {
            session.agent().get_or_init(|| agent);
        }
        Ok(mistake::explained(response, &body))
    }

    /// What the library would answer as if all were well: the end of a session that there is not, an empty stream behind
    /// an event that there is not, and whatever one agent asks of the session of another.
    fn check_named(&self, parts: &Parts, agent: &str) -> Result<(), Refused> {
        if !parts.headers.contains_key(SESSION) {
            return Ok(());
        }
        let session = self.named(&parts.headers)?;
        if session.as_ref().and_then(|session| session.agent().get()).is_some_and(|own| own != agent) {
            return Err(Refused::OtherAgent);
        }
        match (&parts.method, session, parts.headers.get(LAST_EVENT)) {
            (&Method::DELETE, None, _) => Err(Refused::NoSession),
            (&Method::GET, Some(session), Some(last)) => {
                let position = last.to_str().ok().and_then(|last| last.parse().ok());
                let is_kept = position.is_some_and(|position| session.keeps(position));
                if is_kept { Ok(()) } else { Err(Refused::NoEvent) }
            }
            _ => Ok(()),
        }
    }

    /// The session that headers name, if there is such a one.
    fn named(&self, headers: &HeaderMap) -> Result<Option<Arc<Session>>, Refused> {
        let Some(named) = headers.get(SESSION) else { return Ok(None) };
        // The library takes one that is no text for none, and would begin another session.
        Ok(self.open.find(named.to_str().map_err(|_| Refused::NoSession)?))
    }

    /// How many conversations are open.
    fn count(&self) -> usize {
        self.open.count()
    }
}

/// Whether a request begins a session: only a greeting without one does.
fn begins(headers: &HeaderMap, body: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Message {
        method: String,
    }
    let greets = || serde_json::from_slice::<Message>(body).is_ok_and(|message| message.method == GREETING);
    !headers.contains_key(SESSION) && greets()
}
