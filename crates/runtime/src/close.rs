//! Removing a topic, with everything it holds, also on disk.

use crate::Runtime;
use crate::agent;
use crate::error::{Code, Error, Result};
use crate::state;
use crate::topic::Topic;

impl Runtime {
    /// Removes a topic and its durable state. One that is not open any more, as after a restart, may still hold
    /// state, and is removed like one that is.
    pub async fn close_topic(&self, agent: &agent::Id, topic: &Topic, caller: Option<&Topic>) -> Result<()> {
        let space = state::session_space(agent, topic);
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
}

fn unavailable(error: state::Error) -> Error {
    Error::new(Code::LoadError, error.message)
}
