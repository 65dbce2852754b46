//! Following an inbox: everything that is not acknowledged, then whatever comes.

use std::collections::VecDeque;
use std::sync::Arc;

use store::Limit;
use tokio::sync::watch;

use super::{Event, Id, Inbox, Show, State};
use crate::agent;
use crate::error::{Code, Result};

/// How many events are read ahead of a slow reader. A thousand that never read must not hold much.
const AHEAD: Limit = Limit::entries(32).bytes(32 * 1024);

/// A place in an inbox that moves on with every event it hands out.
pub struct Follower {
    inbox: Arc<Inbox>,
    agent: agent::Id,
    after: Option<Id>,
    ready: VecDeque<Event>,
    news: watch::Receiver<u64>,
}

impl Follower {
    /// Starts behind an event, or with the oldest one.
    pub fn new(inbox: Arc<Inbox>, agent: agent::Id, after: Option<Id>) -> Self {
        let news = inbox.news(&agent);
        Self { inbox, agent, after, ready: VecDeque::new(), news }
    }

    /// The next event that is not acknowledged, from now on counted as delivered. None when the inbox is gone.
    pub async fn next(&mut self) -> Result<Option<Event>> {
        loop {
            while let Some(event) = self.ready.pop_front() {
                self.after = Some(event.id);
                match self.inbox.deliver(&self.agent, event.id).await {
                    Ok(event) if event.state == State::Acked => {}
                    Ok(event) => return Ok(Some(event)),
                    // Cleared while it waited here.
                    Err(error) if error.code == Code::NotFound => {}
                    Err(error) => return Err(error),
                }
            }
            // Seen before the scan: a post in between makes the wait below return at once.
            self.news.mark_unchanged();
            self.ready = self.inbox.list(&self.agent, Show::Unacked, self.after, AHEAD).await?.events.into();
            if self.ready.is_empty() && self.news.changed().await.is_err() {
                return Ok(None);
            }
        }
    }
}
