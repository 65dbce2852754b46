//! The capabilities that were granted: kept in the store, changed one atomic step at a time.

use std::path::Path;
use std::sync::Arc;

use store::{AtomicWrite, Clock, Decision, Entry, Expect, KeyRange, Limit, Space, Store};

use super::record::{decode, encode, key_of, space};
use super::secret::Hash;
use super::{Capability, Id, Minted, TTL_MAX, Terms, Token, Uses};
use crate::agent::{self, Agent};
use crate::blocking;
use crate::error::{Code, Error, Result, quoted, store_failed};

/// As many capabilities may one agent have at once: a list of them fits into one reply.
pub const CAPABILITIES_MAX: usize = 100;
/// More than all agents together have; a bound for what is read at once.
const ALL_MAX: usize = 1_000_000;

pub struct Capabilities {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    space: Space,
    /// Held while one is minted, so that two do not share the last free place.
    minting: tokio::sync::Mutex<()>,
}

impl Capabilities {
    pub fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>) -> Self {
        Self { store, clock, space: space(), minting: tokio::sync::Mutex::default() }
    }

    /// Grants an agent's files to whoever will hold the token, if the agent itself may reach them.
    pub async fn mint(&self, agent: &Agent, terms: Terms) -> Result<Minted> {
        let Terms { path, verbs, ttl, uses, quota } = terms;
        if ttl > TTL_MAX {
            return Err(Error::new(Code::InvalidParams, "A capability lives for 30 days at most."));
        }
        let (workspace, named) = (agent.workspace.clone(), path.clone());
        let real = blocking::run(move || {
            let real = workspace.place(&named)?.path();
            if !real.exists() && looks_like_no_path(&named) {
                Err(no_path(&workspace.display(&named)))
            } else {
                Ok(real)
            }
        });
        let real = real.await?;
        let _minting = self.minting.lock().await;
        if self.make_room(&agent.id).await? == 0 {
            let message =
                format!("Agent {} has {CAPABILITIES_MAX} capabilities, which is the limit.", agent.id);
            return Err(Error::new(Code::Conflict, message)
                .hint("Revoke some, or wait until they expire: string agent capability list"));
        }
        let token = Token::generate()?;
        let created = self.clock.now();
        let capability = Capability {
            id: token.id(),
            agent: agent.id.clone(),
            path,
            real,
            verbs,
            created,
            expires: created.saturating_add(ttl),
            uses,
            used_up: false,
            quota,
            written: 0,
        };
        let (key, value) = (key_of(capability.id), encode(&capability, &token.hash())?);
        let write = AtomicWrite::new().check(&self.space, &key, Expect::Absent).put(
            &self.space,
            &key,
            value,
            Some(capability.expires),
        );
        match self.store.commit(write).await.map_err(store_failed)? {
            Ok(_) => Ok(Minted { capability, token }),
            Err(_) => Err(Error::new(Code::InternalError, "An id was given twice.")),
        }
    }

    /// How many more an agent may have. Those that are used up go when their place is needed.
    async fn make_room(&self, agent: &agent::Id) -> Result<usize> {
        let own = self.list(agent).await?;
        if own.len() < CAPABILITIES_MAX {
            return Ok(CAPABILITIES_MAX - own.len());
        }
        let (used_up, live): (Vec<_>, Vec<_>) = own.into_iter().partition(|one| one.used_up);
        self.delete(&used_up).await?;
        Ok(CAPABILITIES_MAX.saturating_sub(live.len()))
    }

    /// The agent's capabilities, oldest first. One that is damaged cannot be used, and is left out.
    pub async fn list(&self, agent: &agent::Id) -> Result<Vec<Capability>> {
        let all = self.entries().await?;
        let known = all.iter().filter_map(|entry| decode(entry).ok()).map(|(capability, _)| capability);
        Ok(known.filter(|capability| capability.agent == *agent).collect())
    }

    /// Ends a capability. It opens nothing from the moment this returns.
    pub async fn revoke(&self, agent: &agent::Id, id: Id) -> Result<()> {
        let key = key_of(id);
        let updated = store::update(&*self.store, &self.space, &key, |found| {
            let own =
                found.and_then(|entry| decode(entry).ok()).is_some_and(|(found, _)| found.agent == *agent);
            if own { (Decision::Delete, true) } else { (Decision::Leave, false) }
        });
        if updated.await.map_err(store_failed)?.answer {
            return Ok(());
        }
        Err(Error::new(Code::NotFound, format!("No capability {id}."))
            .hint("It may have expired. List them: string agent capability list"))
    }

    /// Ends all of an agent's.
    pub async fn forget(&self, agent: &agent::Id) -> Result<()> {
        self.delete(&self.list(agent).await?).await
    }

    async fn delete(&self, these: &[Capability]) -> Result<()> {
        if these.is_empty() {
            return Ok(());
        }
        let write =
            these.iter().fold(AtomicWrite::new(), |write, one| write.delete(&self.space, &key_of(one.id)));
        // A delete has no check that could conflict.
        let _ = self.store.commit(write).await.map_err(store_failed)?;
        Ok(())
    }

    /// The capability that a caller's token opens. Whatever is wrong with a token, it opens none.
    pub async fn opened_by(&self, token: &str) -> Result<Option<Capability>> {
        let Some(token) = Token::parse(token) else { return Ok(None) };
        let found = self.store.get(&self.space, &key_of(token.id())).await.map_err(store_failed)?;
        let Some((capability, hash)) = found.as_ref().map(decode).transpose()? else { return Ok(None) };
        Ok((hash.matches(&token) && !capability.used_up).then_some(capability))
    }

    /// Counts one use. False if there is none left: of two that come at once for one use, one is let in.
    pub async fn use_once(&self, capability: &Capability) -> Result<bool> {
        if capability.uses == Uses::Many {
            return Ok(true);
        }
        self.change(capability.id, |found| !std::mem::replace(&mut found.used_up, true)).await
    }

    /// Counts bytes before they are written. False if they are more than are left.
    pub async fn reserve(&self, id: Id, bytes: u64) -> Result<bool> {
        let fits = |found: &mut Capability| match found.written.checked_add(bytes) {
            Some(written) if written <= found.quota => {
                found.written = written;
                true
            }
            _ => false,
        };
        self.change(id, fits).await
    }

    /// Gives back what was counted and then not written. One that is gone by now needs nothing back.
    pub async fn give_back(&self, id: Id, bytes: u64) -> Result<()> {
        let lower = |found: &mut Capability| {
            found.written = found.written.saturating_sub(bytes);
            true
        };
        self.change(id, lower).await.map(|_| ())
    }

    /// Changes a capability in one step, if `change` says so. False if it did not, or the capability is gone.
    async fn change(&self, id: Id, change: impl Fn(&mut Capability) -> bool) -> Result<bool> {
        let key = key_of(id);
        let updated = store::update(&*self.store, &self.space, &key, |found| {
            match found.and_then(|entry| changed(entry, &change)) {
                Some((value, capability)) => {
                    (Decision::Put { value, expires_at: Some(capability.expires) }, true)
                }
                None => (Decision::Leave, false),
            }
        });
        Ok(updated.await.map_err(store_failed)?.answer)
    }

    async fn entries(&self) -> Result<Vec<Entry>> {
        let page = self.store.scan(&self.space, &KeyRange::all(), Limit::entries(ALL_MAX)).await;
        Ok(page.map_err(store_failed)?.entries)
    }
}

fn changed(entry: &Entry, change: impl Fn(&mut Capability) -> bool) -> Option<(Vec<u8>, Capability)> {
    let (mut capability, hash): (Capability, Hash) = decode(entry).ok()?;
    change(&mut capability).then_some(())?;
    Some((encode(&capability, &hash).ok()?, capability))
}

/// Whether a part of it is a pattern, or what is left of `file://`.
fn looks_like_no_path(path: &Path) -> bool {
    path.iter().any(|name| name.as_encoded_bytes().contains(&b'*') || name.as_encoded_bytes().ends_with(b":"))
}

fn no_path(shown: &str) -> Error {
    Error::new(Code::InvalidParams, format!("Not a path: {}", quoted(shown)))
        .hint("A capability is for one file, or one directory and all below it: --path ~/reports")
}
