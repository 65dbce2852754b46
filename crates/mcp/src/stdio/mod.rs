//! Standard input and output: one message a line, and no answer lost at the end of the input.
//!
//! The streams belong to a client and were given to whoever serves it. [`Record`] is what that one leaves behind, so
//! that a conversation survives its server.

mod due;
mod encode;
mod lines;
mod message;
mod opening;
mod pace;
mod record;
mod refusal;
mod replay;
mod streams;
mod transport;

use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use tokio_util::sync::CancellationToken;

pub use record::{Record, Unanswered};
pub use streams::Streams;

use crate::{Error, Handler, Host};
use transport::LineTransport;

/// How a conversation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The client closed its side, and everything it asked for is answered.
    Input,
    /// Whoever serves was told to stop: somebody else may go on.
    Stopped,
}

/// Serves one client until its input ends or `stop` is cancelled, and everything it asked for is answered.
/// `gone` ends it at once: nobody waits for an answer any more.
pub async fn serve_stdio<H: Host>(
    handler: Handler<H>,
    streams: Streams,
    record: Record,
    stop: CancellationToken,
    gone: CancellationToken,
) -> Result<End, Error> {
    let transport = LineTransport::new(streams, record, stop, handler.ending());
    let ended = transport.ended();
    match handler.serve_with_ct(transport, gone).await {
        Ok(running) => {
            running.waiting().await?;
        }
        // A client that leaves before it has begun is no failure.
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => {}
        Err(error) => return Err(Error::Initialize(Box::new(error))),
    }
    Ok(if ended.at_input() { End::Input } else { End::Stopped })
}
