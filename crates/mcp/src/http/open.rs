//! The sessions that are open, as the protocol's library asks for them.
//!
//! The library brings an implementation of its own. That one ends a session in which a call runs for longer than its idle
//! time, forgets an answer as soon as it is given, and mistakes two requests with one id for each other.

use std::borrow::Cow;
use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::{FutureExt, Stream, StreamExt};
use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, JsonRpcMessage, ServerJsonRpcMessage};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::common::server_side_http::{ServerSseMessage, session_id};
use rmcp::transport::streamable_http_server::{SessionId, SessionManager};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::log::Position;
use super::session::{Gone, Session};

/// How many messages wait for a session's service.
const WAITING_MAX: usize = 16;

#[derive(Debug)]
pub(super) struct Open {
    sessions: Mutex<HashMap<SessionId, Arc<Session>>>,
    /// A session that nobody uses for so long ends.
    idle: Duration,
    /// Cancelled when every session is to end.
    stop: CancellationToken,
}

impl Open {
    pub(super) fn new(idle: Duration, stop: CancellationToken) -> Self {
        Self { sessions: Mutex::default(), idle, stop }
    }

    pub(super) fn count(&self) -> usize {
        self.sessions().len()
    }

    pub(super) fn find(&self, id: &str) -> Option<Arc<Session>> {
        self.sessions().get(id).filter(|session| session.is_open()).cloned()
    }

    fn sessions(&self) -> MutexGuard<'_, HashMap<SessionId, Arc<Session>>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SessionManager for Open {
    type Error = Gone;
    type Transport = ToService;

    async fn create_session(&self) -> Result<(SessionId, ToService), Gone> {
        let (sender, messages) = mpsc::channel(WAITING_MAX);
        let (id, session) = (session_id(), Arc::new(Session::new(sender)));
        self.sessions().insert(Arc::clone(&id), Arc::clone(&session));
        Ok((id, ToService { session, messages, idle: self.idle, stop: self.stop.clone() }))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Gone> {
        let mut said = std::pin::pin!(self.find(id).ok_or(Gone)?.ask(message).await?);
        while let Some(event) = said.next().await {
            if let Some(message) = event.message
                && matches!(*message, JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_))
            {
                return Ok(Arc::unwrap_or_clone(message));
            }
        }
        Err(Gone)
    }

    /// To be asked for is a use: it does not end before the request that is about to come.
    async fn has_session(&self, id: &SessionId) -> Result<bool, Gone> {
        Ok(self.find(id).inspect(|session| session.touch()).is_some())
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Gone> {
        let closed = self.sessions().remove(id);
        if let Some(session) = closed {
            session.end();
        }
        Ok(())
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Gone> {
        self.find(id).ok_or(Gone)?.ask(message).await
    }

    async fn accept_message(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Result<(), Gone> {
        self.find(id).ok_or(Gone)?.tell(message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Gone> {
        self.find(id).ok_or(Gone)?.listen(None)
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Gone> {
        let after: Position = last_event_id.parse().map_err(|_| Gone)?;
        self.find(id).ok_or(Gone)?.listen(Some(after))
    }
}

/// The service's end of a session.
pub(super) struct ToService {
    session: Arc<Session>,
    messages: mpsc::Receiver<ClientJsonRpcMessage>,
    idle: Duration,
    stop: CancellationToken,
}

impl Transport<RoleServer> for ToService {
    type Error = Infallible;

    fn name() -> Cow<'static, str> {
        "Streamable HTTP".into()
    }

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Infallible>> + Send + 'static {
        self.session.say(item);
        std::future::ready(Ok(()))
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        tokio::select! {
            biased;
            // The library lets what runs go on for a while, unless it is told of each that nobody waits for it.
            () = self.session.ended() => return self.session.next_abandoned(),
            message = self.messages.recv() => return message,
            () = self.session.unused_for(self.idle) => {}
            // Whoever stops has stopped the calls, too, and each is answered with that.
            () = self.stop.cancelled().then(|()| self.session.settled()) => {}
        }
        // At once, so that nobody finds it who would not be heard any more.
        self.session.end();
        None
    }

    async fn close(&mut self) -> Result<(), Infallible> {
        self.session.end();
        Ok(())
    }
}
