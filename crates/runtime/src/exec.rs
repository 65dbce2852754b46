//! The one way in: a request becomes steps, steps take turns, and their replies become one reply.

mod queue;
mod record;
mod steps;
mod turn;

use std::sync::Arc;

pub use queue::Queued;
use queue::{Fate, Held};
use tokio_util::sync::CancellationToken;

use crate::agent::Agent;
use crate::command::{self, Actions, Caller};
use crate::reply::Reply;
use crate::session::Topics;
use crate::sink::Sink;
use crate::topic::{Kind, Topic};
use crate::{Request, Runtime};

/// What all steps of a request share.
#[derive(Clone)]
struct Call {
    runtime: Arc<Runtime>,
    agent: Arc<Agent>,
    topics: Arc<Topics>,
    caller: Caller,
    sink: Arc<dyn Sink>,
    /// Cancelled by a caller that no longer wants the reply.
    cancel: CancellationToken,
}

impl Runtime {
    /// Runs the commands of a request and gives their reply.
    ///
    /// Dropping the future takes a command that still waits with it; one that has begun runs to its end.
    pub async fn exec(self: &Arc<Self>, request: Request, sink: Arc<dyn Sink>) -> Reply {
        self.exec_until(request, sink, CancellationToken::new()).await
    }

    /// The same, until `cancel`: a command that waits is given up, one that runs is interrupted.
    pub async fn exec_until(
        self: &Arc<Self>,
        request: Request,
        sink: Arc<dyn Sink>,
        cancel: CancellationToken,
    ) -> Reply {
        self.enqueue(request, sink, cancel).run().await
    }

    /// The same, in two parts: the request has its place at once, and is run later or elsewhere.
    pub fn enqueue(
        self: &Arc<Self>,
        request: Request,
        sink: Arc<dyn Sink>,
        cancel: CancellationToken,
    ) -> Queued {
        let refused = |topic, error| Queued(Fate::Refused(self.refuse(&request, topic, &error)));
        let topic = match Topic::parse(&request.topic) {
            Ok(topic) => topic,
            Err(error) => return refused(None, error),
        };
        let understood = self.agents.named(&request.agent).and_then(|agent| {
            let steps = command::parse(&request.payload, &topic, self.actions(&agent, &topic))?;
            Ok((agent, steps))
        });
        let (agent, steps) = match understood {
            Ok(understood) => understood,
            Err(error) => return refused(Some(topic), error),
        };
        let topics = self.sessions.of(&agent.id);
        let held = steps.first().and_then(|step| Held::take(&topics, step));
        let caller = Caller { cwd: request.cwd, task: request.task, origin: request.origin };
        let call = Call { runtime: Arc::clone(self), agent, topics, caller, sink, cancel };
        Queued(Fate::Lined { call, topic, steps, held })
    }

    /// Only an open topic or an app has a document that may have actions.
    fn actions(&self, agent: &Agent, topic: &Topic) -> Actions {
        let is_open = self.sessions.of(&agent.id).get(topic).is_some();
        if is_open || topic.kind() == Kind::App { Actions::Possible } else { Actions::Impossible }
    }
}
