//! The registered agents: kept in the store, looked up in memory.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use store::{AtomicWrite, Decision, Expect, Key, KeyRange, Limit, Space, Store};
use tokio::sync::Mutex;

use super::workspace::is_protected;
use super::{Agent, Boundary, Grant, Id, Record, Workspace, workspace};
use crate::blocking;
use crate::error::{Code, Error, Result, nearest, quoted, store_failed};
use crate::files;

const SPACE: &str = "agents";
/// What neither a home nor an allowed path may be.
const CREDENTIALS: &str = "Nothing in .ssh, .gnupg, .aws and other places of credentials can be opened up.";
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
    /// One change at a time, from reading the agent to remembering it: none overwrites another.
    changing: Mutex<()>,
}

/// An agent that was removed. Its files are still there.
#[derive(Debug)]
pub struct Removed {
    pub home: PathBuf,
}

impl Registry {
    pub async fn load(store: Arc<dyn Store>, root: PathBuf, user_home: PathBuf) -> Result<Self> {
        let space = Space::new(SPACE);
        let registry =
            Self { store, space, root, user_home, agents: RwLock::default(), changing: Mutex::default() };
        registry.remember(Id::default_agent(), Grant::new(registry.default_record()), Vec::new());
        let page = registry.store.scan(&registry.space, &KeyRange::all(), Limit::entries(AGENTS_MAX)).await;
        for entry in page.map_err(store_failed)?.entries {
            let id = Id::parse(&entry.key.to_string())?;
            let record = serde_json::from_slice(&entry.value).map_err(|error| {
                Error::new(Code::LoadError, format!("The record of agent {id} is damaged: {error}"))
            })?;
            registry.remember(id, Grant::new(record), Vec::new());
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

    /// Registers an agent and creates its home, once `cleared` has removed what another of that id left behind.
    pub async fn add(
        self: &Arc<Self>,
        id: Id,
        home: Option<PathBuf>,
        allow: Vec<PathBuf>,
        boundary: Boundary,
        cleared: impl Future<Output = Result<()>>,
    ) -> Result<Arc<Agent>> {
        let _one = self.changing.lock().await;
        if self.read().contains_key(&id) {
            return Err(Error::new(Code::Conflict, format!("Agent {id} exists already."))
                .hint("Change it with set-home, allow or boundary.")
                .hints((!id.is_default()).then(|| format!("Or remove it first: string agent rm {id}"))));
        }
        let home = home.unwrap_or_else(|| self.root.join("agents").join(id.as_str()));
        let (registry, new) = (Arc::clone(self), id.clone());
        let (home, allow) = blocking::run(move || {
            registry.check_home(&home, &new)?;
            let allow = registry.resolve_allowed(allow, &[])?;
            files::create_dir(&home).map_err(|error| unusable(&home, &error))?;
            Ok::<_, Error>((home, allow))
        })
        .await?;
        cleared.await?;
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
        Ok(self.remember(id, Grant::new(record), Vec::new()))
    }

    /// Changes where an agent lives or what it may touch. Whatever it was ever allowed beyond that is revoked.
    pub async fn change(self: &Arc<Self>, id: &Id, change: impl Fn(&mut Record)) -> Result<Arc<Agent>> {
        let _one = self.changing.lock().await;
        let current = self.get(id)?;
        let mut record = Record {
            home: current.workspace.home().to_owned(),
            allow: current.workspace.allowed().to_owned(),
            boundary: current.boundary,
        };
        change(&mut record);
        let (registry, before) = (Arc::clone(self), Arc::clone(&current));
        let record = blocking::run(move || {
            if record.home != before.workspace.home() {
                registry.check_home(&record.home, &before.id)?;
                files::create_dir(&record.home).map_err(|error| unusable(&record.home, &error))?;
            }
            record.allow = registry.resolve_allowed(record.allow, before.workspace.allowed())?;
            Ok::<_, Error>(record)
        })
        .await?;
        let key = Key::new(id.as_str());
        let put = || Decision::Put { value: encode(&record), expires_at: None };
        store::update(&*self.store, &self.space, &key, |_| (put(), ())).await.map_err(store_failed)?;
        let (mut kept, ended) = current.divided_by(&record);
        let same = kept.iter().position(|grant| grant.record == record);
        let grant = same.map_or_else(|| Grant::new(record), |at| kept.remove(at));
        // First the new one: whatever starts from now on, and finds the old one not revoked yet, is met by it.
        let changed = self.remember(id.clone(), grant, kept);
        ended.iter().for_each(|grant| grant.revoked.cancel());
        Ok(changed)
    }

    /// Forgets an agent. Its files stay.
    ///
    /// From the beginning nothing can be begun in its name; its record goes last, once `cleared` has removed all
    /// that it had. So a removal that fails, or is cut short by a crash, leaves an agent that can be removed again.
    pub async fn remove(&self, id: &Id, cleared: impl Future<Output = Result<()>>) -> Result<Removed> {
        if id.is_default() {
            return Err(Error::new(Code::NotAllowed, "The agent default always exists."));
        }
        let _one = self.changing.lock().await;
        let agent = self.get(id)?;
        self.agents.write().unwrap_or_else(PoisonError::into_inner).remove(id);
        for grant in agent.earlier.iter().chain([&agent.grant]) {
            grant.removed.cancel();
            grant.revoked.cancel();
        }
        let removed = async {
            cleared.await?;
            let write = AtomicWrite::new().delete(&self.space, &Key::new(id.as_str()));
            // A delete has no check that could conflict.
            self.store.commit(write).await.map(|_| ()).map_err(store_failed)
        };
        if let Err(error) = removed.await {
            self.remember(id.clone(), Grant::new(agent.grant.record.clone()), Vec::new());
            return Err(error.half_way(format!(
                "Agent {id} is still there, without some of what it had. Remove it again: string agent rm {id}"
            )));
        }
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

    fn remember(&self, id: Id, grant: Grant, earlier: Vec<Grant>) -> Arc<Agent> {
        let Record { home, allow, boundary } = grant.record.clone();
        let workspace = Workspace::new(home, allow, self.root.clone());
        let agent = Arc::new(Agent { id: id.clone(), workspace, boundary, grant, earlier });
        self.agents.write().unwrap_or_else(PoisonError::into_inner).insert(id, Arc::clone(&agent));
        agent
    }

    /// A home is absolute, not among String's own files, and nobody else's: nothing crosses between agents.
    fn check_home(&self, home: &Path, id: &Id) -> Result<()> {
        let real_path = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let real = real_path(home);
        let others = self.list();
        let shared = others.iter().find(|agent| agent.id != *id && real_path(agent.workspace.home()) == real);
        if let Some(other) = shared {
            let message = format!("{} is the home of agent {}.", home.display(), other.id);
            return Err(Error::new(Code::Conflict, message)
                .hint("Two agents share no home. To let one reach files there: string agent allow PATH"));
        }
        let plain = home.is_absolute() && workspace::normalize(home) == home;
        if plain && !self.is_closed(home) && !self.is_closed(&real) {
            return Ok(());
        }
        Err(Error::new(
            Code::InvalidParams,
            format!("Not usable as a home: {}", quoted(&home.display().to_string())),
        )
        .hint("A home is an absolute path, or one below ~, outside String's own directory.")
        .hint(CREDENTIALS))
    }

    /// The allowed paths as they really are, so that what a link leads to later is not allowed by it. Those
    /// known before stay, even if they are gone for now.
    fn resolve_allowed(&self, allow: Vec<PathBuf>, known: &[PathBuf]) -> Result<Vec<PathBuf>> {
        let mut resolved = Vec::with_capacity(allow.len());
        for path in allow {
            let real = if known.contains(&path) { path } else { self.resolve_directory(&path)? };
            if !resolved.contains(&real) {
                resolved.push(real);
            }
        }
        Ok(resolved)
    }

    fn resolve_directory(&self, path: &Path) -> Result<PathBuf> {
        let real = std::fs::canonicalize(path).ok();
        let usable = |real: &PathBuf| path.is_absolute() && real.is_dir() && !self.is_closed(real);
        real.filter(usable).ok_or_else(|| {
            let shown = quoted(&path.display().to_string());
            Error::new(Code::InvalidParams, format!("Not a directory that can be allowed: {shown}"))
                .hint("An allowed path is an existing directory, absolute or below ~, outside String's own.")
                .hint(CREDENTIALS)
        })
    }

    /// Whether a path lies among String's own files or among credentials, which nothing may open up: below a home
    /// or an allowed path only what follows it is looked at. The homes below `agents` are the agents'.
    fn is_closed(&self, path: &Path) -> bool {
        let real = std::fs::canonicalize(&self.root).unwrap_or_else(|_| self.root.clone());
        let homes = [self.root.join("agents"), real.join("agents")];
        match homes.iter().find_map(|homes| path.strip_prefix(homes).ok()) {
            Some(below) => below.as_os_str().is_empty() || is_protected(below),
            None => path.starts_with(&self.root) || path.starts_with(&real) || is_protected(path),
        }
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

fn encode(record: &Record) -> Vec<u8> {
    serde_json::to_vec(record).expect("a record of paths and words is always JSON")
}

fn unusable(home: &Path, error: &std::io::Error) -> Error {
    Error::new(Code::InvalidParams, format!("The home {} cannot be created: {error}", home.display()))
}
