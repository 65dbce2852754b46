//! Removing a topic, with everything it holds, also on disk.

use crate::Runtime;
use crate::agent;
use crate::error::{Code, Error, Result};
use crate::state;
use crate::topic::{Name, Topic};

impl Runtime {
    /// Removes a topic and its durable state. One that is not open any more, as after a restart, may still hold
    /// state, and is removed like one that is.
    pub async fn close_topic(&self, agent: &agent::Id, topic: &Topic, caller: Option<&Topic>) -> Result<()> {
        let space = state::Kind::Session.space(agent, topic);
        // A shell that was lost with an earlier daemon is known by nothing else.
        let lost = matches!(topic, Topic::Bash(name) if self.shells.records.forget_lost(agent, name));
        match self.sessions.of(agent).close(topic, caller).await {
            Err(error) if error.code == Code::NotFound => {
                let page = self.durable.list(&space, "", 1, None).await.map_err(unavailable)?;
                if page.entries.is_empty() && !lost {
                    return Err(error);
                }
            }
            closed => closed?,
        }
        if let Topic::Bash(name) = topic {
            self.shells.records.forget(agent, name);
        }
        self.durable.drop_space(&space).await.map_err(unavailable)
    }

    /// Removes the topics of an app, and what those that are not open any more have left. Gives the ones that were
    /// open, and whether each is gone: the only topic of all stays.
    pub async fn close_app(
        &self,
        agent: &agent::Id,
        app: &Name,
        caller: &Topic,
    ) -> Result<Vec<(Topic, Closed)>> {
        let mut closed = Vec::new();
        for session in self.sessions.of(agent).list() {
            if session.topic.app_name() == Some(app) {
                let outcome = self.close_topic(agent, &session.topic, Some(caller)).await;
                let outcome = if outcome.is_ok() { Closed::Gone } else { Closed::Stays };
                closed.push((session.topic.clone(), outcome));
            }
        }
        for space in state::app_spaces(&self.durable, agent, app).await.map_err(unavailable)? {
            self.durable.drop_space(&space).await.map_err(unavailable)?;
        }
        Ok(closed)
    }
}

/// What became of a topic that was to be removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Closed {
    Gone,
    Stays,
}

fn unavailable(error: state::Error) -> Error {
    Error::new(Code::LoadError, error.message)
}
