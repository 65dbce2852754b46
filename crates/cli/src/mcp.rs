//! `string --mcp`: a thin front between an MCP client and the daemon.

use std::sync::Arc;

use client::{Activities, Client, Error, Event, Execution};
use futures::stream::{self, BoxStream, StreamExt};
use mcp::{Call, Change, Handler, Host, Outcome};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use wire::{Activity, Done, EventInfo, ExecReply, ExecRequest, SessionInfo, ToolInfo};

use crate::daemon::Link;
use crate::failure::{Failure, Status};
use crate::interrupt::fresh_id;

/// Serves one client until it closes our standard input and has its answers.
pub(crate) async fn run(link: Link, cwd: Option<String>, listing: Listing) -> Result<Status, Failure> {
    let front = Front { link: link.for_agent().keeping(), cwd, listing };
    let handler = Handler::new(Arc::new(front), env!("CARGO_PKG_VERSION"));
    let served = mcp::serve_stdio(handler).await;
    served.map(|()| Status::Done).map_err(|error| Failure::failed(error.to_string()))
}

/// Whether anybody wants to see a command's output before its reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Watched {
    Yes,
    No,
}

/// What the daemon made of a command. A reply that nobody watches comes in one piece, which costs less.
enum Begun {
    Answered(ExecReply),
    Streaming(Box<Execution>),
}

impl Begun {
    async fn with(client: &Client, request: &ExecRequest, watched: Watched) -> Result<Self, Error> {
        match watched {
            Watched::Yes => {
                client.stream(request).await.map(|execution| Self::Streaming(Box::new(execution)))
            }
            Watched::No => client.exec(request).await.map(|answer| Self::Answered(answer.reply)),
        }
    }
}

/// Passes everything on to the daemon, which is started if need be.
struct Front {
    link: Link,
    cwd: Option<String>,
    listing: Listing,
}

/// Which tools the client is told of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Listing {
    One,
    /// The installed ones too.
    Installed,
}

impl Front {
    /// Sends a command. What the daemon cannot even begin is an answer like any other.
    async fn begin(&self, request: &ExecRequest, watched: Watched) -> Result<Begun, Outcome> {
        let client = self.link.client();
        let mut outcome = Begun::with(client, request, watched).await;
        // A daemon that is missing is started, and one that turns out to be too old is replaced.
        for _ in 0..2 {
            let Err(error @ (Error::NotReachable { .. } | Error::Outdated)) = &outcome else { break };
            self.link.repair(error).await.map_err(|failure| unanswered(&failure.message))?;
            outcome = Begun::with(client, request, watched).await;
        }
        outcome.map_err(|error| match error {
            Error::Refused { error, .. } => {
                let content = crate::call::error_text(&error);
                Outcome { topic: canonical(&request.topic), ok: false, content }
            }
            error => unanswered(&error.to_string()),
        })
    }

    async fn asked<T: Send>(
        &self,
        mut once: impl FnMut() -> futures::future::BoxFuture<'static, Result<T, Error>> + Send,
    ) -> Result<T, mcp::Error> {
        let mut outcome = once().await;
        for _ in 0..2 {
            let Err(error @ (Error::NotReachable { .. } | Error::Outdated)) = &outcome else { break };
            self.link.repair(error).await.map_err(|failure| mcp::Error::Host(failure.message))?;
            outcome = once().await;
        }
        outcome.map_err(|error| mcp::Error::Host(error.to_string()))
    }
}

impl Host for Front {
    /// The client that this front was started for speaks as one agent; the link knows it.
    fn agent(&self, _request: Option<&http::request::Parts>) -> String {
        String::new()
    }

    fn lists_tools(&self, _request: Option<&http::request::Parts>) -> bool {
        self.listing == Listing::Installed
    }

    async fn tools(&self, _agent: &str) -> Result<Vec<ToolInfo>, mcp::Error> {
        let client = self.link.client().clone();
        let tools = self.asked(move || {
            let client = client.clone();
            Box::pin(async move { client.tools().await })
        });
        Ok(tools.await?.tools)
    }

    async fn run(
        &self,
        _agent: &str,
        call: Call,
        live: mpsc::Sender<String>,
        cancel: CancellationToken,
    ) -> Outcome {
        let id = fresh_id();
        let Call { topic, cmd, task } = call;
        let request = ExecRequest { topic, cmd, cwd: self.cwd.clone(), request_id: Some(id.clone()), task };
        let answer = async {
            let watched = if live.is_closed() { Watched::No } else { Watched::Yes };
            match self.begin(&request, watched).await {
                Ok(Begun::Answered(ExecReply { topic, ok, content, .. })) => Outcome { topic, ok, content },
                Ok(Begun::Streaming(execution)) => follow(*execution, live).await,
                Err(outcome) => outcome,
            }
        };
        let mut answer = std::pin::pin!(answer);
        tokio::select! {
            outcome = &mut answer => return outcome,
            () = cancel.cancelled() => {}
        }
        // Whether it can be stopped or not, it ends by itself; nobody waits for its answer any more.
        let _ = self.link.client().cancel(&id).await;
        answer.await
    }

    async fn topics(&self, _agent: &str) -> Result<Vec<SessionInfo>, mcp::Error> {
        let client = self.link.client().clone();
        let sessions = self.asked(move || {
            let client = client.clone();
            Box::pin(async move { client.sessions().await })
        });
        Ok(sessions.await?.sessions)
    }

    async fn events(&self, _agent: &str) -> Result<Vec<EventInfo>, mcp::Error> {
        let client = self.link.client().clone();
        let events = self.asked(move || {
            let client = client.clone();
            Box::pin(async move { client.events().await })
        });
        Ok(events.await?.events)
    }

    async fn event(&self, _agent: &str, id: &str) -> Result<Option<EventInfo>, mcp::Error> {
        let (client, id) = (self.link.client().clone(), id.to_owned());
        let event = self.asked(move || {
            let (client, id) = (client.clone(), id.clone());
            Box::pin(async move { client.event(&id).await })
        });
        event.await
    }

    async fn changes(&self, _agent: &str) -> Result<BoxStream<'static, Change>, mcp::Error> {
        let client = self.link.client().clone();
        let activities = self.asked(move || {
            let client = client.clone();
            Box::pin(async move { client.activity().await })
        });
        let (activities, agent) = (activities.await?, self.link.client().speaks_as().to_owned());
        let changes = stream::unfold(activities, move |activities| next_change(activities, agent.clone()));
        Ok(changes.boxed())
    }
}

/// The next change that this agent may care about, and where the ones after it come from.
async fn next_change(mut activities: Activities, agent: String) -> Option<(Change, Activities)> {
    loop {
        // A daemon that is gone takes its stream with it.
        let change = match activities.next().await.ok()?? {
            Activity::Reply { topic, agent: other, .. } if other == agent => Change::Topic(topic),
            Activity::Person { topic, agent: other, .. } if other == agent => Change::Topic(topic),
            Activity::Event { agent: other, .. } if other == agent => Change::Events,
            Activity::Missed { .. } => Change::Anything,
            _ => continue,
        };
        return Some((change, activities));
    }
}

/// Reads a reply to its end, passing on what it shows on the way.
async fn follow(mut execution: Execution, live: mpsc::Sender<String>) -> Outcome {
    let mut content = String::new();
    loop {
        match execution.next().await {
            Ok(Some(Event::Output(text) | Event::Progress(text))) => {
                // Output that nobody takes in time is left out: the reply has it all.
                let _ = live.try_send(text);
            }
            Ok(Some(Event::Content(text))) => content = text,
            Ok(Some(Event::Done(Done { ok, topic, .. }))) => return Outcome { topic, ok, content },
            Ok(Some(Event::Head(_))) => {}
            Ok(None) => return unanswered("the daemon's reply had no end"),
            Err(error) => return unanswered(&error.to_string()),
        }
    }
}

/// An answer for the agent when the daemon gave none.
fn unanswered(message: &str) -> Outcome {
    let content = format!(
        "ERROR(LOAD_ERROR): The daemon did not answer: {message}\n  Try again, or look: string --daemon status"
    );
    Outcome { topic: String::new(), ok: false, content }
}

fn canonical(topic: &str) -> String {
    runtime::topic::Topic::parse(topic).map(|topic| topic.to_string()).unwrap_or_default()
}
