//! The registered agents: kept in the store, looked up in memory.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use store::{AtomicWrite, Decision, Expect, Key, KeyRange, Limit, Space, Store};

use super::{Agent, Boundary, Id, Record, Workspace};
use crate::error::{Code, Error, Result, nearest, quoted, store_failed};
use crate::files;

const SPACE: &str = "agents";
/// More agents than anyone registers; a bound for the list that is read at start.
const AGENTS_MAX: usize = 10_000;

pub struct Registry {
    store: Arc<dyn Store>,
    space: Space,
    /// The daemon's directory: homes of new agents, and what no agent may open.
    root: PathBuf,
    /// The home of `default`, which is registered only once its settings are changed.
    user_home: PathBuf,
    agents: RwLock<BTreeMap<Id, Arc<Agent>>>,
}

/// An agent that was removed. Its files are still there.
#[derive(Debug)]
pub struct Removed {
    pub home: PathBuf,
}

impl Registry {
    pub async fn load(store: Arc<dyn Store>, root: PathBuf, user_home: PathBuf) -> Result<Self> {
        let registry = Self { store, space: Space::new(SPACE), root, user_home, agents: RwLock::default() };
        registry.remember(Id::default_agent(), registry.default_record());
        let page = registry.store.scan(&registry.space, &KeyRange::all(), Limit::entries(AGENTS_MAX)).await;
        for entry in page.map_err(store_failed)?.entries {
            let id = Id::parse(&entry.key.to_string())?;
            let record = serde_json::from_slice(&entry.value).map_err(|error| {
                Error::new(Code::LoadError, format!("The record of agent {id} is damaged: {error}"))
            })?;
            registry.remember(id, record);
        }
        Ok(registry)
    }

    pub fn get(&self, id: &Id) -> Result<Arc<Agent>> {
        self.read().get(id).cloned().ok_or_else(|| self.unknown(id.as_str()))
    }

    /// The agent that a caller named, whatever it wrote.
    pub fn named(&self, text: &str) -> Result<Arc<Agent>> {
        match Id::parse(text) {
            Ok(id) => self.get(&id),
            Err(error) => Err(error.hint(self.known())),
        }
    }

    /// All agents in order of their ids, `default` among them.
    pub fn list(&self) -> Vec<Arc<Agent>> {
        self.read().values().cloned().collect()
    }

    /// Registers an agent and creates its home.
    pub async fn add(
        &self,
        id: Id,
        home: Option<PathBuf>,
        allow: Vec<PathBuf>,
        boundary: Boundary,
    ) -> Result<Arc<Agent>> {
        if self.read().contains_key(&id) {
            return Err(Error::new(Code::Conflict, format!("Agent {id} exists already."))
                .hint(format!("Change it with set-home, allow or boundary, or: string agent rm {id}")));
        }
        let home = home.unwrap_or_else(|| self.root.join("agents").join(id.as_str()));
        self.check_home(&home)?;
        check_allowed(&allow)?;
        files::create_dir(&home).map_err(|error| unusable(&home, &error))?;
        let record = Record { home, allow, boundary };
        let key = Key::new(id.as_str());
        let write = AtomicWrite::new().check(&self.space, &key, Expect::Absent).put(
            &self.space,
            &key,
            encode(&record),
            None,
        );
        if self.store.commit(write).await.map_err(store_failed)?.is_err() {
            return Err(Error::new(Code::Conflict, format!("Agent {id} exists already.")));
        }
        Ok(self.remember(id, record))
    }

    /// Changes where an agent lives or what it may touch.
    pub async fn change(&self, id: &Id, change: impl Fn(&mut Record)) -> Result<Arc<Agent>> {
        let current = self.get(id)?;
        let mut record = Record {
            home: current.workspace.home().to_owned(),
            allow: current.workspace.allowed().to_owned(),
            boundary: current.boundary,
        };
        change(&mut record);
        if record.home != current.workspace.home() {
            self.check_home(&record.home)?;
            files::create_dir(&record.home).map_err(|error| unusable(&record.home, &error))?;
        }
        check_allowed(&record.allow)?;
        let key = Key::new(id.as_str());
        let put = || Decision::Put { value: encode(&record), expires_at: None };
        store::update(&*self.store, &self.space, &key, |_| (put(), ())).await.map_err(store_failed)?;
        Ok(self.remember(id.clone(), record))
    }

    /// Forgets an agent. Its files stay.
    pub async fn remove(&self, id: &Id) -> Result<Removed> {
        if id.is_default() {
            return Err(Error::new(Code::NotAllowed, "The agent default always exists."));
        }
        let agent = self.get(id)?;
        let write = AtomicWrite::new().delete(&self.space, &Key::new(id.as_str()));
        // A delete has no check that could conflict.
        let _ = self.store.commit(write).await.map_err(store_failed)?;
        self.agents.write().unwrap_or_else(PoisonError::into_inner).remove(id);
        Ok(Removed { home: agent.workspace.home().to_owned() })
    }

    /// The error for an id that nobody registered.
    pub fn unknown(&self, id: &str) -> Error {
        let agents = self.read();
        let near = nearest(id, agents.keys().map(Id::as_str)).map(|name| format!("Did you mean {name}?"));
        drop(agents);
        Error::new(Code::NotFound, format!("No agent {}.", quoted(id)))
            .hints(near)
            .hint(self.known())
            .hint(format!("Register it: string --agent default agent add {id}"))
    }

    fn known(&self) -> String {
        let ids: Vec<String> = self.read().keys().map(ToString::to_string).collect();
        format!("Known agents: {}", ids.join(", "))
    }

    fn default_record(&self) -> Record {
        Record { home: self.user_home.clone(), allow: Vec::new(), boundary: Boundary::default() }
    }

    fn remember(&self, id: Id, record: Record) -> Arc<Agent> {
        let workspace = Workspace::new(record.home, record.allow, self.root.clone());
        let agent = Arc::new(Agent { id: id.clone(), workspace, boundary: record.boundary });
        self.agents.write().unwrap_or_else(PoisonError::into_inner).insert(id, Arc::clone(&agent));
        agent
    }

    /// A home is absolute, and not String's own directory or a place above it that would expose it.
    fn check_home(&self, home: &Path) -> Result<()> {
        let own = self.root.join("agents");
        if home.is_absolute() && (!home.starts_with(&self.root) || (home.starts_with(&own) && home != own)) {
            return Ok(());
        }
        Err(Error::new(
            Code::InvalidParams,
            format!("Not usable as a home: {}", quoted(&home.display().to_string())),
        )
        .hint("A home is an absolute path, or one below ~, outside String's own directory."))
    }

    fn read(&self) -> std::sync::RwLockReadGuard<'_, BTreeMap<Id, Arc<Agent>>> {
        self.agents.read().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Registry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Registry").field("agents", &self.read().len()).finish_non_exhaustive()
    }
}

fn check_allowed(allow: &[PathBuf]) -> Result<()> {
    match allow.iter().find(|path| !path.is_absolute() || !path.is_dir()) {
        None => Ok(()),
        Some(path) => Err(Error::new(
            Code::InvalidParams,
            format!("Not a directory that can be allowed: {}", quoted(&path.display().to_string())),
        )
        .hint("An allowed path is an existing directory, absolute or below ~.")),
    }
}

fn encode(record: &Record) -> Vec<u8> {
    serde_json::to_vec(record).expect("a record of paths and words is always JSON")
}

fn unusable(home: &Path, error: &std::io::Error) -> Error {
    Error::new(Code::InvalidParams, format!("The home {} cannot be created: {error}", home.display()))
}
