//! A host whose commands take as long as a test wants.

use futures::stream::{BoxStream, StreamExt};
use http::request::Parts;
use mcp::{Call, Change, Error, Host, Outcome, Place};
use serde_json::Value;
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;
use wire::{EventInfo, Events, SessionInfo, ToolInfo};

/// Runs commands for as long as it is told to: `wait` until somebody lets it go, `wait until cancelled` until that, and
/// `wait however cancelled` goes on, and says so.
#[derive(Default)]
pub(crate) struct Waiting(pub(crate) Notify, Notify);

impl Waiting {
    /// Waits until a command was cancelled.
    pub(crate) async fn has_cancelled(&self) {
        self.1.notified().await;
    }
}

impl Host for Waiting {
    fn agent(&self, _: Option<&Parts>) -> String {
        "default".to_owned()
    }

    fn lists_tools(&self, _: Option<&Parts>) -> bool {
        false
    }

    async fn tools(&self, _: &str) -> Result<Vec<ToolInfo>, Error> {
        Ok(Vec::new())
    }

    async fn run(
        &self,
        _: &str,
        call: Call,
        live: mpsc::Sender<String>,
        cancel: CancellationToken,
        _: Place,
    ) -> Outcome {
        if call.cmd.starts_with("wait") {
            // Nobody may have asked for it.
            let _ = live.send("begun".to_owned()).await;
            if call.cmd.ends_with("cancelled") {
                cancel.cancelled().await;
            }
            if call.cmd == "wait however cancelled" {
                let _ = live.send("going on".to_owned()).await;
            }
            if call.cmd.ends_with("cancelled") {
                self.1.notify_one();
            }
            if call.cmd != "wait until cancelled" {
                self.0.notified().await;
            }
        }
        Outcome { topic: "main".to_owned(), ok: true, content: format!("{} is done", call.cmd) }
    }

    async fn topics(&self, _: &str) -> Result<Vec<SessionInfo>, Error> {
        Ok(Vec::new())
    }

    async fn events(&self, _: &str, _: Option<&str>) -> Result<Option<Events>, Error> {
        Ok(None)
    }

    async fn event(&self, _: &str, _: &str) -> Result<Option<EventInfo>, Error> {
        Ok(None)
    }

    async fn changes(&self, _: &str) -> Result<BoxStream<'static, Change>, Error> {
        Ok(futures::stream::pending().boxed())
    }
}

/// Whether a message is the answer to a call.
pub(crate) fn is_answer(message: &Value, id: u32, cmd: &str) -> bool {
    let text = message["result"]["content"][0]["text"].as_str().unwrap_or_default();
    message["id"] == id && text.contains(&format!("{cmd} is done"))
}
