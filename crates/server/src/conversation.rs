//! A client whose standard streams were given to the daemon: heard on a thread of its own.
//!
//! A message then wakes one thread, which reads it, runs a short command and writes the answer; among the daemon's
//! workers it would wander from one to the next, and wake another each time.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Duration;

use mcp::{End, Handler, Record, Streams};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use wire::stdio::Farewell;

use crate::inside::Inside;

/// How long a conversation without a front may take to end its commands.
const GONE_TIME: Duration = Duration::from_secs(1);

pub struct Conversation {
    pub host: Inside,
    pub given: Given,
    /// What the client is told.
    pub version: String,
    /// Cancelled when the daemon is to stop.
    pub stop: CancellationToken,
}

/// What came from the front.
pub struct Given {
    /// The connection to it, which says nothing and ends with it.
    pub front: std::os::unix::net::UnixStream,
    pub input: OwnedFd,
    pub output: OwnedFd,
    pub record: OwnedFd,
}

impl Conversation {
    /// Until the client has left, or its front, or the daemon stops.
    pub async fn on_a_thread_of_its_own(self) -> io::Result<()> {
        let (told, ended) = oneshot::channel();
        let hear = move || {
            store::sqlite::this_thread_may_wait();
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            // Whoever waits for the end may be gone.
            let _ = told.send(runtime.and_then(|runtime| runtime.block_on(self.hear())));
        };
        std::thread::Builder::new().name("mcp client".to_owned()).spawn(hear)?;
        ended.await.map_err(io::Error::other)?
    }

    async fn hear(self) -> io::Result<()> {
        let Given { front, input, output, record } = self.given;
        let mut front = UnixStream::from_std(front)?;
        let (streams, record) = (Streams::new(input, output)?, Record::of(record));
        let (handler, gone) = (Handler::new(Arc::new(self.host), self.version), CancellationToken::new());
        let conversation = mcp::serve_stdio(handler, streams, record, self.stop, gone.clone());
        let mut conversation = std::pin::pin!(conversation);
        let ended = tokio::select! {
            ended = &mut conversation => ended,
            // All that can be read is its end, and then nobody is left to answer to.
            _ = front.read_u8() => {
                gone.cancel();
                // What still waits for a client to read is dropped with it.
                let _ = tokio::time::timeout(GONE_TIME, conversation).await;
                return Ok(());
            }
        };
        let farewell = match ended {
            // Its client waits for whoever goes on.
            Ok(End::Stopped) => return Ok(()),
            Ok(End::Input) => Farewell::default(),
            Err(error) => Farewell { error: Some(error.to_string()) },
        };
        front.write_all(&serde_json::to_vec(&farewell)?).await?;
        front.shutdown().await
    }
}
