//! What MCP clients reach: the runtime itself.

use std::path::PathBuf;
use std::sync::Arc;

use axum::http::request::Parts;
use futures::stream::{self, BoxStream, StreamExt};
use mcp::{Call, Change, Error, Host, Outcome, Place};
use runtime::activity::What;
use runtime::agent::Agent;
use runtime::error::Code;
use runtime::event::{Id, Show};
use runtime::sink::{Live, Sink};
use runtime::{Origin, Request, Runtime};
use store::Limit;
use tokio::runtime::Handle;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc;
use tokio_util::context::TokioContext;
use tokio_util::sync::CancellationToken;
use wire::stdio::Seat;
use wire::{EventInfo, Events, SessionInfo, ToolInfo};

use crate::route;

/// How much of an inbox is shown at once.
const EVENTS: Limit = Limit::entries(100).bytes(1024 * 1024);

pub struct Inside {
    runtime: Arc<Runtime>,
    /// Where the daemon's own tasks run; a client may be heard elsewhere.
    daemon: Handle,
    /// Who is at the other end for the whole conversation. Over HTTP each request says it anew.
    seated: Option<Seated>,
}

struct Seated {
    agent: String,
    /// What `./x` starts from.
    cwd: Option<PathBuf>,
    lists_tools: bool,
}

impl Inside {
    pub fn new(runtime: Arc<Runtime>) -> Self {
        Self { runtime, daemon: Handle::current(), seated: None }
    }

    /// For one client, which speaks as one agent.
    pub fn seated(runtime: Arc<Runtime>, agent: String, seat: Seat) -> Self {
        let cwd = seat.cwd.map(PathBuf::from).filter(|path| path.is_absolute());
        Self {
            runtime,
            daemon: Handle::current(),
            seated: Some(Seated { agent, cwd, lists_tools: seat.tools }),
        }
    }

    fn named(&self, agent: &str) -> Result<Arc<Agent>, Error> {
        self.runtime.agents.named(agent).map_err(failed)
    }
}

impl Host for Inside {
    fn agent(&self, request: Option<&Parts>) -> String {
        match (&self.seated, request) {
            (Some(seated), _) => seated.agent.clone(),
            (None, Some(parts)) => route::agent(&parts.headers),
            (None, None) => "default".to_owned(),
        }
    }

    /// `/mcp?tools=1`.
    fn lists_tools(&self, request: Option<&Parts>) -> bool {
        if let Some(seated) = &self.seated {
            return seated.lists_tools;
        }
        let query = request.and_then(|parts| parts.uri.query()).unwrap_or_default();
        query.split('&').any(|pair| matches!(pair, "tools" | "tools=1" | "tools=true"))
    }

    async fn tools(&self, agent: &str) -> Result<Vec<ToolInfo>, Error> {
        Ok(route::installed_tools(&self.runtime, &*self.named(agent)?).await)
    }

    async fn run(
        &self,
        agent: &str,
        call: Call,
        live: mpsc::Sender<String>,
        cancel: CancellationToken,
        place: Place,
    ) -> Outcome {
        let Call { topic, cmd, task } = call;
        let cwd = self.seated.as_ref().and_then(|seated| seated.cwd.clone());
        let request =
            Request { agent: agent.to_owned(), topic, payload: cmd, cwd, task, origin: Origin::Agent };
        let queued = {
            // Wherever this is: what the command starts outlives it, and belongs to the daemon.
            let _daemon = self.daemon.enter();
            self.runtime.enqueue(request, Arc::new(Channel(live)), cancel)
        };
        // Boxed: it is handed on in one of two ways, and each would have room for it.
        let running = Box::pin(queued.run());
        let reply = match place {
            Place::Here => TokioContext::new(running, self.daemon.clone()).await,
            Place::Elsewhere => match self.daemon.spawn(running).await {
                Ok(reply) => reply,
                Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
                // The daemon ends, and this thread with it.
                Err(_) => std::future::pending().await,
            },
        };
        let topic = reply.topic.as_ref().map(ToString::to_string).unwrap_or_default();
        Outcome { topic, ok: reply.ok(), content: reply.content }
    }

    async fn topics(&self, agent: &str) -> Result<Vec<SessionInfo>, Error> {
        let agent = self.named(agent)?;
        let sessions = self.runtime.sessions.of(&agent.id).list();
        Ok(sessions.iter().map(|session| route::session_info(session)).collect())
    }

    async fn events(&self, agent: &str, after: Option<&str>) -> Result<Option<Events>, Error> {
        let agent = self.named(agent)?;
        let Ok(after) = after.map(Id::parse).transpose() else { return Ok(None) };
        let page = self.runtime.events.list(&agent.id, Show::Unacked, after, EVENTS).await.map_err(failed)?;
        let events = page.events.into_iter().map(route::event_info).collect();
        Ok(Some(Events { events, has_more: page.has_more }))
    }

    async fn event(&self, agent: &str, id: &str) -> Result<Option<EventInfo>, Error> {
        let agent = self.named(agent)?;
        let Ok(id) = Id::parse(id) else { return Ok(None) };
        match self.runtime.events.read(&agent.id, id).await {
            Ok(event) => Ok(Some(route::event_info(event))),
            Err(error) if error.code == Code::NotFound => Ok(None),
            Err(error) => Err(failed(error)),
        }
    }

    async fn changes(&self, agent: &str) -> Result<BoxStream<'static, Change>, Error> {
        let agent = self.named(agent)?.id.clone();
        let changes = stream::unfold(self.runtime.activity.watch(), move |mut watched| {
            let agent = agent.clone();
            async move {
                loop {
                    let change = match watched.recv().await {
                        Ok(event) if event.agent != agent => continue,
                        Ok(event) => match event.what {
                            What::Command { topic, .. }
                            | What::Person { topic, .. }
                            | What::Shell { topic, .. }
                            | What::Closed { topic } => Change::Topic(topic),
                            What::Inbox { id, .. } => Change::Event(id.to_string()),
                            What::Cleared { .. } => Change::Events,
                            What::Task { .. } => continue,
                        },
                        Err(RecvError::Lagged(_)) => Change::Anything,
                        Err(RecvError::Closed) => return None,
                    };
                    return Some((change, watched));
                }
            }
        });
        Ok(changes.boxed())
    }
}

/// Live output for progress notifications. Whatever is not taken in time is left out.
struct Channel(mpsc::Sender<String>);

impl Sink for Channel {
    fn send(&self, live: Live<'_>) {
        let text = match live {
            Live::Output(text) => text.to_owned(),
            // A line of its own, which the next piece does not continue.
            Live::Progress(text) => format!("{text}\n"),
        };
        let _ = self.0.try_send(text);
    }

    fn wants_live(&self) -> bool {
        !self.0.is_closed()
    }
}

fn failed(error: runtime::error::Error) -> Error {
    Error::Host(error.message)
}
