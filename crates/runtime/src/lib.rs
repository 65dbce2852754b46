//! What String does: agents, topics, sessions and commands, without any transport.

pub mod action;
pub mod activity;
pub mod agent;
mod apart;
pub mod audit;
pub mod bash;
pub mod blocking;
mod call;
pub mod capability;
mod close;
pub mod command;
pub mod complete;
mod conceal;
mod detach;
pub mod document;
pub mod edit;
pub mod error;
pub mod event;
mod exec;
pub mod files;
mod hub;
pub mod logs;
mod long;
pub mod manifest;
mod origin;
mod package;
mod policy;
pub mod reply;
pub mod request;
pub mod session;
pub mod sink;
pub mod state;
pub mod substitute;
pub mod task;
mod template;
mod token;
mod tool;
pub mod topic;
pub mod variable;
pub mod watch;
pub mod words;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use store::{Clock, Store, Timestamp};
use tokio_util::sync::CancellationToken;

pub use origin::Origin;
pub use package::GitHubHosts;
pub use reply::Reply;
pub use request::Request;
pub use token::random_digits;

/// Where, in the root, the lock lies that the daemon holds.
pub const DAEMON_LOCK: &str = "store/daemon.lock";

/// Everything that commands work on. All transports share one, and call [`Runtime::exec`].
pub struct Runtime {
    pub agents: Arc<agent::Registry>,
    pub sessions: session::Map,
    pub activity: activity::Stream,
    /// Versions of files that agents committed.
    pub versions: edit::Versions,
    pub shells: bash::Shells,
    pub events: Arc<event::Inbox>,
    pub webhooks: event::Webhooks,
    pub watches: Arc<watch::Watches>,
    pub capabilities: capability::Capabilities,
    pub(crate) conceal: conceal::Conceal,
    pub(crate) shelf: document::Shelf,
    pub(crate) web: web::Client,
    pub(crate) github: GitHubHosts,
    /// The tools that manifests declare, for each home.
    pub tools: manifest::Catalogues,
    /// Runs the scripts of tools; none if the daemon starts no processes.
    pub(crate) scripts: Option<script::Pool>,
    pub durable: state::Durable,
    pub tasks: task::Tasks,
    /// The daemon's own directory.
    pub root: PathBuf,
    pub version: String,
    /// The loopback port, unless another program had it.
    pub port: Option<u16>,
    /// Cancelled when the daemon is to stop.
    pub stop: CancellationToken,
    store: Arc<dyn Store>,
    audit: audit::Log,
    clock: Arc<dyn Clock>,
    started: Instant,
}

/// How many expired entries are removed at once: writers wait meanwhile.
const SWEEP_CHUNK: usize = 500;

/// A time as replies and logs count it.
fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// What a runtime is made of.
pub struct Parts {
    pub root: PathBuf,
    /// The home of the agent `default`.
    pub home: PathBuf,
    pub port: Option<u16>,
    pub version: String,
    pub store: Arc<dyn Store>,
    pub clock: Arc<dyn Clock>,
    pub audit: audit::Log,
    /// What opens the port, so that no log shows it.
    pub token: Option<variable::Secret>,
    /// Without them, nothing is ever started.
    pub shells: Option<bash::Settings>,
    /// Where packages of repositories come from.
    pub github: GitHubHosts,
}

impl Runtime {
    pub async fn new(parts: Parts) -> error::Result<Arc<Self>> {
        let Parts { root, home, port, version, store, clock, audit, token, shells, github } = parts;
        let program = shells.as_ref().map(|settings| settings.program.clone());
        let activity = activity::Stream::new(Arc::clone(&clock));
        let events = event::Inbox::new(Arc::clone(&store), Arc::clone(&clock), activity.clone(), &root);
        let events = Arc::new(events);
        let watches =
            watch::Watches::load(Arc::clone(&store), Arc::clone(&clock), Arc::clone(&events)).await?;
        let webhooks = event::Webhooks::load(Arc::clone(&store)).await?;
        let web = web::Client::new(&format!("String/{version}")).map_err(|error| {
            error::Error::new(error::Code::LoadError, format!("The web cannot be reached: {error}."))
        })?;
        let capabilities = capability::Capabilities::new(Arc::clone(&store), Arc::clone(&clock));
        let versions = edit::Versions::new(Arc::clone(&store));
        let durable =
            state::Durable::new(Arc::clone(&store), Arc::clone(&clock)).told_to(Arc::clone(&watches));
        let tasks = task::Tasks::new(Arc::clone(&store), activity.clone());
        let scripts = program
            .map(|program| script::Pool::new(script::Settings { program, depth_max: call::DEPTH_MAX }));
        let agents = Arc::new(agent::Registry::load(Arc::clone(&store), root.clone(), home).await?);
        let shells = bash::Shells::new(shells, root.clone(), Arc::clone(&agents))?;
        Ok(Arc::new(Self {
            agents,
            sessions: session::Map::new(activity.clone()),
            activity,
            versions,
            shells,
            events,
            webhooks,
            watches,
            capabilities,
            shelf: document::Shelf::default(),
            conceal: conceal::Conceal::new(token),
            web,
            github,
            tools: manifest::Catalogues::default(),
            scripts,
            durable,
            tasks,
            root,
            version,
            port,
            stop: CancellationToken::new(),
            store,
            audit,
            clock,
            started: Instant::now(),
        }))
    }

    /// Ends every session, every shell and every script. For a daemon that stops.
    pub async fn end(&self) {
        self.watches.end();
        self.scripts.iter().for_each(script::Pool::close);
        for agent in self.agents.list() {
            self.sessions.forget(&agent.id).await;
        }
    }

    /// Where events for an agent are posted, if there is a port.
    pub fn webhook_url(&self, token: &event::Token) -> Option<String> {
        self.port.map(|port| format!("http://127.0.0.1:{port}/webhook/{}", token.reveal()))
    }

    /// Where a capability's files are reached, if there is a port.
    pub fn file_url(&self, path: &std::path::Path, home: &std::path::Path) -> Option<String> {
        self.port.map(|port| format!("http://127.0.0.1:{port}/fs/{}", capability::address(path, home)))
    }

    /// Removes for good what has expired. Runs from time to time while the daemon lives.
    pub async fn sweep(&self) -> store::Result<usize> {
        let mut removed = 0;
        loop {
            let chunk = self.store.sweep(SWEEP_CHUNK).await?;
            removed += chunk;
            if chunk < SWEEP_CHUNK {
                break;
            }
        }
        self.events.recount().await;
        self.watches.tell_again(None).await;
        let agents = self.agents.list();
        blocking::run(move || agents.iter().map(|agent| bash::clean_output(agent)).sum::<usize>()).await;
        Ok(removed)
    }

    /// Removes events of an agent for good and says how many. What there was no room for is told then.
    pub async fn clear_events(&self, agent: &agent::Id, which: event::Clear) -> error::Result<usize> {
        let removed = self.events.clear(agent, which).await?;
        self.watches.tell_again(Some(agent)).await;
        Ok(removed)
    }

    /// The time by the daemon's clock.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    pub fn uptime(&self) -> Duration {
        self.started.elapsed()
    }
}
