//! Which sessions exist: one per agent and topic, created on first use.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Session;
use crate::activity::{self, Teller};
use crate::agent;
use crate::error::{Code, Error, Result, nearest};
use crate::topic::Topic;

/// As many topics may one agent have open: far more than anyone works in, and, idle, some 130 MB.
pub const TOPICS_MAX: usize = 200_000;

/// The sessions of all agents.
#[derive(Debug)]
pub struct Map {
    agents: Mutex<HashMap<agent::Id, Arc<Topics>>>,
    activity: activity::Stream,
}

/// The sessions of one agent.
#[derive(Debug)]
pub struct Topics {
    open: Mutex<Open>,
    editing: tokio::sync::Mutex<()>,
    teller: Arc<Teller>,
}

#[derive(Debug, Default)]
struct Open {
    sessions: HashMap<Topic, Arc<Session>>,
    created: u64,
    /// The agent was removed: what still waits for a topic of it waits for nothing.
    forgotten: bool,
}

impl Map {
    pub fn new(activity: activity::Stream) -> Self {
        Self { agents: Mutex::default(), activity }
    }

    pub fn of(&self, agent: &agent::Id) -> Arc<Topics> {
        let mut agents = self.agents.lock().unwrap_or_else(PoisonError::into_inner);
        match agents.get(agent) {
            Some(topics) => Arc::clone(topics),
            None => {
                let topics = Arc::new(Topics::new(self.activity.of(agent)));
                agents.insert(agent.clone(), Arc::clone(&topics));
                topics
            }
        }
    }

    /// How many topics are open, over all agents.
    pub fn count(&self) -> usize {
        let agents = self.agents.lock().unwrap_or_else(PoisonError::into_inner);
        agents.values().map(|topics| topics.lock().sessions.len()).sum()
    }

    /// Whether a command runs anywhere.
    pub fn busy(&self) -> bool {
        let agents = self.agents.lock().unwrap_or_else(PoisonError::into_inner);
        agents
            .values()
            .any(|topics| topics.lock().sessions.values().any(|session| session.peek(|_| ()).is_none()))
    }

    /// Ends every session of an agent, with its shells.
    pub async fn forget(&self, agent: &agent::Id) {
        let removed = self.agents.lock().unwrap_or_else(PoisonError::into_inner).remove(agent);
        let sessions = removed.iter().flat_map(|topics| topics.leave());
        let end = |session: Arc<Session>| async move {
            session.close();
            session.interrupt();
            session.end().await;
        };
        futures::future::join_all(sessions.map(end)).await;
    }
}

impl Topics {
    fn new(teller: Teller) -> Self {
        Self { open: Mutex::default(), editing: tokio::sync::Mutex::default(), teller: Arc::new(teller) }
    }

    /// The session at a topic, created if this is its first use and there is room.
    pub fn enter(&self, topic: &Topic) -> Result<Arc<Session>> {
        let mut open = self.lock();
        if open.forgotten {
            return Err(Error::new(Code::NotFound, format!("The agent of {topic} was removed."))
                .hint("See who is there: string agent list"));
        }
        if let Some(session) = open.sessions.get(topic) {
            return Ok(Arc::clone(session));
        }
        if open.sessions.len() >= TOPICS_MAX {
            let message = format!("{TOPICS_MAX} topics are open, which is the limit.");
            return Err(Error::new(Code::TooManyTopics, message)
                .hint("Remove one: /session close NAME. /topics lists them.")
                .hint("Or go on in one that is open."));
        }
        let session = Arc::new(Session::new(topic.clone(), open.created, Arc::clone(&self.teller)));
        open.created += 1;
        open.sessions.insert(topic.clone(), Arc::clone(&session));
        Ok(session)
    }

    /// Takes all sessions away; no other ones come.
    fn leave(&self) -> Vec<Arc<Session>> {
        let mut open = self.lock();
        open.forgotten = true;
        open.sessions.drain().map(|(_, session)| session).collect()
    }

    /// Waits until no other topic edits a file: what two topics add to one file is added twice, not once.
    pub async fn edit_turn(&self) -> tokio::sync::MutexGuard<'_, ()> {
        self.editing.lock().await
    }

    pub fn get(&self, topic: &Topic) -> Option<Arc<Session>> {
        self.lock().sessions.get(topic).cloned()
    }

    /// The open sessions in order of creation.
    pub fn list(&self) -> Vec<Arc<Session>> {
        let mut sessions: Vec<_> = self.lock().sessions.values().cloned().collect();
        sessions.sort_unstable_by_key(|session| session.number);
        sessions
    }

    /// Removes a session and stops what runs in it, unless that is the caller's own command: this one.
    pub async fn close(&self, topic: &Topic, caller: Option<&Topic>) -> Result<()> {
        let session = {
            let mut open = self.lock();
            if !open.sessions.contains_key(topic) {
                drop(open);
                return Err(self.unknown(topic));
            }
            if open.sessions.len() == 1 {
                return Err(Error::new(Code::LastTopic, format!("{topic} is the only open topic."))
                    .hint("There is always at least one. Use another topic first, then remove this one."));
            }
            open.sessions.remove(topic)
        };
        if let Some(session) = session {
            session.close();
            if Some(topic) != caller {
                session.interrupt();
            }
            session.end().await;
        }
        Ok(())
    }

    fn unknown(&self, topic: &Topic) -> Error {
        let open: Vec<String> = self.list().iter().map(|session| session.topic.to_string()).collect();
        let typed = topic.to_string();
        let near =
            nearest(&typed, open.iter().map(String::as_str)).map(|name| format!("Did you mean {name}?"));
        Error::new(Code::NotFound, format!("No open topic {typed}."))
            .hints(near)
            .hint(format!("Open topics: {}", first_of(&open)))
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        // No critical section can panic half-way: each is a lookup, an insertion or a removal.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The first names of a list that may be very long.
fn first_of(names: &[String]) -> String {
    const SHOWN: usize = 20;
    let shown = names[..names.len().min(SHOWN)].join(", ");
    match names.len().checked_sub(SHOWN) {
        Some(more) if more > 0 => format!("{shown}, … {more} more"),
        _ => shown,
    }
}
