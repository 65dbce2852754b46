//! Changes to agents, which only a person may make, whichever way they come.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::agent::{Agent, Boundary, Id, Record, Removed, settings};
use crate::error::{Code, Error, Result};
use crate::topic::Topic;
use crate::{Origin, Runtime, blocking, detach, state};

/// Why shells end when their agent may touch less than they can.
pub const NARROWED: &str = "a person has changed what this agent may touch";

/// An agent that was changed.
#[derive(Debug)]
pub struct Changed {
    pub agent: Arc<Agent>,
    /// The topics whose shells were ended, because they could touch more.
    pub ended: Vec<String>,
}

impl Runtime {
    pub async fn add_agent(
        &self,
        origin: Origin,
        id: Id,
        home: Option<PathBuf>,
        allow: Vec<PathBuf>,
        boundary: Boundary,
    ) -> Result<Arc<Agent>> {
        require_person(origin)?;
        let cleared = self.forget(id.clone());
        let agent = self.agents.add(id, home, allow, boundary, cleared).await?;
        tracing::info!(agent = %agent.id, home = %agent.workspace.home().display(), "an agent was added");
        Ok(agent)
    }

    /// Changes an agent. Shells that can touch more than it may now end.
    pub async fn change_agent(
        &self,
        origin: Origin,
        id: &Id,
        change: impl Fn(&mut Record),
    ) -> Result<Changed> {
        require_person(origin)?;
        let agent = self.agents.change(id, change).await?;
        let mut ended = Vec::new();
        for session in self.sessions.of(id).list() {
            // Each has what was allowed when it was started, which may be less than the agent had since.
            let exceeds = session.live().is_some_and(|live| live.grant.is_revoked());
            if exceeds && session.take_shell(NARROWED).await {
                if let Topic::Bash(name) = &session.topic {
                    self.shells.records.forget(id, name);
                }
                ended.push(session.topic.to_string());
            }
        }
        let shells = ended.len();
        tracing::info!(agent = %id, boundary = agent.boundary.as_str(), shells, "an agent was changed");
        Ok(Changed { agent, ended })
    }

    /// Forgets an agent and ends its topics. If it was the current one, `default` is now. Once begun, it is done to
    /// its end: the topic that asks for it may be one of those that it ends.
    pub async fn remove_agent(self: &Arc<Self>, origin: Origin, id: &Id) -> Result<Removed> {
        require_person(origin)?;
        let (runtime, id) = (Arc::clone(self), id.clone());
        detach::to_the_end(async move {
            // A file that cannot be changed afterwards is reported while nothing is changed yet.
            let config = runtime.root.join("config.json");
            let checked = config.clone();
            blocking::run(move || settings::read(&checked)).await?;
            let cleared = async {
                runtime.forget(id.clone()).await?;
                let id = id.clone();
                settings::update(config, move |settings| no_longer_current(settings, &id)).await
            };
            let removed = runtime.agents.remove(&id, cleared).await?;
            tracing::info!(agent = %id, "an agent was removed");
            Ok(removed)
        })
        .await
    }

    /// Removes everything that is kept for an id, but for its place among the agents. What is shared stays.
    async fn forget(&self, id: Id) -> Result<()> {
        let id = &id;
        // First what acts in its name, then what that may have left.
        self.sessions.forget(id).await;
        self.shells.records.forget_all(id);
        self.watches.forget(id).await?;
        self.webhooks.forget(id).await?;
        self.capabilities.forget(id).await?;
        self.events.forget(id).await?;
        self.versions.forget(id).await?;
        let failed = |error: state::Error| Error::new(Code::LoadError, error.message);
        self.durable.forget(id).await.map_err(failed)?;
        self.tasks.forget(id).await
    }
}

fn no_longer_current(settings: &mut Map<String, Value>, id: &Id) -> Result<()> {
    let is_current = |value: &Value| value.as_str() == Some(id.as_str());
    if settings.get(settings::CURRENT_AGENT).is_some_and(is_current) {
        settings.shift_remove(settings::CURRENT_AGENT);
    }
    Ok(())
}

/// Refuses agents and everything that came over the network.
pub fn require_person(origin: Origin) -> Result<()> {
    if origin.is_person() {
        return Ok(());
    }
    Err(Error::new(Code::NotAllowed, "Agents and what they may touch are changed by a person only.")
        .hint("Run it in a terminal on this machine, outside String's own shells: string agent …"))
}
