//! Standard input and output: one message a line, and no answer lost at the end of the input.

use std::borrow::Cow;
use std::collections::HashSet;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::{ClientNotification, JsonRpcMessage, NumberOrString};
use rmcp::service::{RxJsonRpcMessage, ServerInitializeError, TxJsonRpcMessage};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::{StdioReader, StdioWriter, Transport, stdio_pipes};
use rmcp::{RoleServer, ServiceExt};
use tokio::io::{AsyncReadExt, Chain};
use tokio::sync::Notify;

use crate::{Error, Handler, Host};

const LINE_END: &[u8] = b"\n";

/// Serves one client until its input ends and everything it asked for is answered.
pub async fn serve_stdio<H: Host>(handler: Handler<H>) -> Result<(), Error> {
    let (read, write) = stdio_pipes();
    // A last line counts without its end too; an empty line more is nothing.
    let read = read.chain(LINE_END);
    let transport = Patient { inner: AsyncRwTransport::new_server(read, write), due: Arc::default() };
    let running = match handler.serve(transport).await {
        Ok(running) => running,
        // A client that leaves before it has begun is no failure.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(Error::Initialize(Box::new(error))),
    };
    running.waiting().await?;
    Ok(())
}

/// Says that the input has ended only when no answer is due any more.
struct Patient {
    inner: AsyncRwTransport<RoleServer, Chain<StdioReader, &'static [u8]>, StdioWriter>,
    due: Arc<Due>,
}

/// The requests that are not answered yet.
#[derive(Default)]
struct Due {
    requests: Mutex<HashSet<NumberOrString>>,
    answered: Notify,
}

impl Transport<RoleServer> for Patient {
    type Error = io::Error;

    fn name() -> Cow<'static, str> {
        "standard input and output".into()
    }

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let answered = match &item {
            JsonRpcMessage::Response(response) => Some(response.id.clone()),
            JsonRpcMessage::Error(error) => error.id.clone(),
            _ => None,
        };
        let (sent, due) = (self.inner.send(item), Arc::clone(&self.due));
        async move {
            let outcome = sent.await;
            if let Some(id) = answered {
                due.settle(&id);
            }
            outcome
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let received = self.inner.receive().await;
        match &received {
            Some(JsonRpcMessage::Request(request)) => self.due.add(request.id.clone()),
            Some(JsonRpcMessage::Notification(notification)) => {
                if let ClientNotification::CancelledNotification(cancelled) = &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    // It is never answered.
                    self.due.settle(id);
                }
            }
            None => self.due.wait_until_none().await,
            Some(_) => {}
        }
        received
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.inner.close().await
    }
}

impl Due {
    fn add(&self, id: NumberOrString) {
        self.requests().insert(id);
    }

    fn settle(&self, id: &NumberOrString) {
        self.requests().remove(id);
        self.answered.notify_waiters();
    }

    async fn wait_until_none(&self) {
        loop {
            // Registered before the look: an answer in between wakes it.
            let answered = self.answered.notified();
            if self.requests().is_empty() {
                return;
            }
            answered.await;
        }
    }

    fn requests(&self) -> std::sync::MutexGuard<'_, HashSet<NumberOrString>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
