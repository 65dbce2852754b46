//! A call of a task that is under way: those who watch the task are told of its end, also when it is given up.

use std::sync::Arc;

use super::Watches;
use crate::agent;
use crate::task;

/// Dropped before [`Running::ended`], the call was interrupted.
pub struct Running {
    watches: Arc<Watches>,
    agent: agent::Id,
    id: task::Id,
    /// What is told of a call that was given up; none once it has ended.
    given_up: Option<task::Record>,
}

impl Running {
    pub fn new(watches: &Arc<Watches>, agent: &agent::Id, id: &task::Id, given_up: task::Record) -> Self {
        Self { watches: Arc::clone(watches), agent: agent.clone(), id: id.clone(), given_up: Some(given_up) }
    }

    pub async fn ended(mut self, record: &task::Record) {
        self.given_up = None;
        self.watches.task_ended(&self.agent, &self.id, record).await;
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Outside of a runtime the daemon is ending, and the next one tells.
        let (Some(record), Ok(runtime)) = (self.given_up.take(), tokio::runtime::Handle::try_current())
        else {
            return;
        };
        let (watches, agent, id) = (Arc::clone(&self.watches), self.agent.clone(), self.id.clone());
        runtime.spawn(async move { watches.task_ended(&agent, &id, &record).await });
    }
}
