//! What the protocol needs from whoever runs the commands.

use futures::stream::BoxStream;
use http::request::Parts;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use wire::{EventInfo, Events, SessionInfo, ToolInfo};

use crate::Error;

/// One call of the tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    pub topic: String,
    pub cmd: String,
    /// The task that calls of tools belong to, if it has a name.
    pub task: Option<String>,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The canonical topic that answered; empty when the caller's was malformed.
    pub topic: String,
    pub ok: bool,
    pub content: String,
}

/// Where a command runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Place {
    /// Where it was asked for, which is the shortest way.
    #[default]
    Here,
    /// Not on the thread that hears the client, which asks for several things at once.
    Elsewhere,
}

/// Something that a resource shows is no longer as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    Topic(String),
    /// The inbox and one event in it.
    Event(String),
    /// The inbox, and any event that was in it.
    Events,
    /// Some changes were missed: anything may be different.
    Anything,
}

/// Runs commands and knows what there is to see.
pub trait Host: Send + Sync + 'static {
    /// The agent that speaks. Over HTTP each request says it anew.
    fn agent(&self, request: Option<&Parts>) -> String;

    /// Whether a client wants the installed tools listed beside the one there always is.
    fn lists_tools(&self, request: Option<&Parts>) -> bool;

    /// The tools that manifests declare.
    fn tools(&self, agent: &str) -> impl Future<Output = Result<Vec<ToolInfo>, Error>> + Send;

    /// Runs a command. Live output goes to `live` while somebody takes it, and is closed from the start where
    /// nobody will; `cancel` stops this command and no other.
    fn run(
        &self,
        agent: &str,
        call: Call,
        live: mpsc::Sender<String>,
        cancel: CancellationToken,
        place: Place,
    ) -> impl Future<Output = Outcome> + Send;

    /// The open topics.
    fn topics(&self, agent: &str) -> impl Future<Output = Result<Vec<SessionInfo>, Error>> + Send;

    /// The oldest events that are not acknowledged, or the oldest of those behind one; none if that is not an event's id.
    fn events(
        &self,
        agent: &str,
        after: Option<&str>,
    ) -> impl Future<Output = Result<Option<Events>, Error>> + Send;

    /// One event, if there is such a one.
    fn event(&self, agent: &str, id: &str) -> impl Future<Output = Result<Option<EventInfo>, Error>> + Send;

    /// What changes from now on. The stream ends when nothing more can be known.
    fn changes(&self, agent: &str) -> impl Future<Output = Result<BoxStream<'static, Change>, Error>> + Send;
}
