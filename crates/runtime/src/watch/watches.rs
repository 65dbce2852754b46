//! The watches of all agents: kept in the store, each told once.
//!
//! Nobody looks from time to time: whoever changes an entry, ends a task or prints says so. An event is posted before
//! its watch is forgotten, under a key of the watch's own, so that a crash in between makes neither two nor none.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use store::{AtomicWrite, Clock, Key, KeyRange, Limit, Space, Store};
use tokio_util::sync::CancellationToken;

use super::notice::{self, Change, Ending};
use super::{Record, Until, Watch, What};
use crate::agent;
use crate::error::{Code, Error, Result, store_failed};
use crate::event::{IdempotencyKey, Inbox, Source};
use crate::state::Entry;
use crate::task;

/// How many watches an agent may have at once.
pub const WATCHES_MAX: usize = 100;
/// Longest text that is looked for, and longest name that is kept.
pub const TEXT_MAX: usize = 512;

const SPACES: &str = "watches/";

pub struct Watches {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    inbox: Arc<Inbox>,
    agents: Mutex<HashMap<agent::Id, Lane>>,
    /// Cancelled when the daemon stops: what is watched then is lost, and told at the next start.
    stop: CancellationToken,
}

/// The watches of one agent, in the order of their numbers.
#[derive(Default)]
struct Lane {
    watches: Vec<Armed>,
    last: u32,
}

struct Armed {
    watch: Watch,
    /// Ends the task that waits for a shell.
    removed: CancellationToken,
}

impl Watches {
    /// Reads what was watched before, and tells what has become of it.
    pub async fn load(store: Arc<dyn Store>, clock: Arc<dyn Clock>, inbox: Arc<Inbox>) -> Result<Arc<Self>> {
        let stop = CancellationToken::new();
        let watches = Self { store, clock, inbox, agents: Mutex::default(), stop };
        let spaces = watches.store.spaces(SPACES, None, usize::MAX).await.map_err(store_failed)?;
        for space in spaces {
            let Ok(agent) = agent::Id::parse(&space.as_str()[SPACES.len()..]) else { continue };
            let page = watches.store.scan(&space, &KeyRange::all(), Limit::entries(2 * WATCHES_MAX)).await;
            for entry in page.map_err(store_failed)?.entries {
                let number = entry.key.as_str().and_then(|key| key.parse().ok());
                let record = serde_json::from_slice::<Record>(&entry.value).ok();
                if let Some(watch) = number.zip(record).and_then(|(number, record)| record.watch(number)) {
                    watches.insert(&agent, watch);
                }
            }
        }
        for (agent, watch) in watches.all() {
            watches.catch_up(&agent, &watch).await?;
        }
        Ok(Arc::new(watches))
    }

    /// An agent's watches, oldest first.
    pub fn list(&self, agent: &agent::Id) -> Vec<Watch> {
        let lanes = self.lanes();
        lanes.get(agent).iter().flat_map(|lane| &lane.watches).map(|armed| armed.watch.clone()).collect()
    }

    /// Waits for something to happen in a shell.
    pub async fn set_shell(
        self: &Arc<Self>,
        agent: &agent::Id,
        what: What,
        shell: &shell::Shell,
    ) -> Result<Watch> {
        let until = match &what {
            What::Shell { until: Until::Match(text), .. } => shell::Until::Match(text.clone()),
            _ => shell::Until::Exit,
        };
        let (watch, removed) = self.arm(agent, what)?;
        self.keep(agent, &watch).await?;
        let waiting = match shell.watch(until).await {
            Ok(waiting) => waiting,
            Err(error) => {
                self.remove(agent, watch.number).await?;
                return Err(Error::new(Code::LoadError, format!("The shell cannot be watched: {error}.")));
            }
        };
        let (watches, agent, armed) = (Arc::clone(self), agent.clone(), watch.clone());
        tokio::spawn(async move {
            let Some(seen) = removed.run_until_cancelled(waiting.seen()).await else { return };
            // A shell that is closed because the daemon stops is told at the next start.
            if !watches.stop.is_cancelled() {
                let ending = seen.map_or(Ending::Closed, Ending::Seen);
                watches.tell(&agent, &armed, notice::shell(&armed.what, &ending)).await;
            }
        });
        Ok(watch)
    }

    /// Waits for an entry of durable state to change; `current` reads the revision it has.
    pub async fn set_state(
        &self,
        agent: &agent::Id,
        what: What,
        current: impl Future<Output = Result<Option<String>>>,
    ) -> Result<Watch> {
        let (mut watch, _) = self.arm(agent, what)?;
        // Read with the watch in place: a change after this is told, one before it is in the revision.
        let found = match current.await {
            Ok(found) => found,
            Err(error) => {
                self.disarm(agent, watch.number);
                return Err(error);
            }
        };
        if let What::State { revision, .. } = &mut watch.what {
            *revision = found;
        }
        self.keep(agent, &watch).await?;
        Ok(watch)
    }

    /// Waits for a call of a task to end.
    pub async fn set_task(&self, agent: &agent::Id, id: task::Id) -> Result<Watch> {
        let (watch, _) = self.arm(agent, What::Task(id))?;
        self.keep(agent, &watch).await?;
        Ok(watch)
    }

    /// Removes a watch without telling; whether there was one.
    pub async fn remove(&self, agent: &agent::Id, number: u32) -> Result<bool> {
        let known = self.disarm(agent, number).is_some();
        self.forget_record(agent, number).await?;
        Ok(known)
    }

    /// An entry was written or removed.
    pub async fn state_changed(&self, space: &Space, key: &str, change: Change) {
        let concerns = |agent: &agent::Id, what: &What| match what {
            What::State { place, key: watched, .. } => watched == key && place.space(agent) == *space,
            _ => false,
        };
        for (agent, watch) in self.matching(concerns) {
            self.tell(&agent, &watch, notice::state(&watch.what, &change)).await;
        }
    }

    /// All entries of a space are gone.
    pub async fn space_dropped(&self, space: &Space) {
        let concerns = |agent: &agent::Id, what: &What| matches!(what, What::State { place, .. } if place.space(agent) == *space);
        for (agent, watch) in self.matching(concerns) {
            self.tell(&agent, &watch, notice::state(&watch.what, &Change::Removed)).await;
        }
    }

    /// A call of a task has ended.
    pub async fn task_ended(&self, agent: &agent::Id, id: &task::Id, record: &task::Record) {
        let concerns = |owner: &agent::Id, what: &What| {
            owner == agent && matches!(what, What::Task(watched) if watched == id)
        };
        for (agent, watch) in self.matching(concerns) {
            self.tell(&agent, &watch, notice::task(&watch.what, record)).await;
        }
    }

    /// Drops the watches of an agent that is gone.
    pub async fn forget(&self, agent: &agent::Id) -> Result<()> {
        let lane = self.lanes().remove(agent);
        lane.iter().flat_map(|lane| &lane.watches).for_each(|armed| armed.removed.cancel());
        self.store.drop_space(&space_of(agent)).await.map_err(store_failed)
    }

    /// The daemon stops: nothing is told any more, and everything stays in the store.
    pub fn end(&self) {
        self.stop.cancel();
    }

    /// Takes a watch of a daemon that is gone, or of one that crashed while it told.
    async fn catch_up(&self, agent: &agent::Id, watch: &Watch) -> Result<()> {
        if let Some(text) = watch.untold.clone() {
            self.tell(agent, watch, text.into()).await;
            return Ok(());
        }
        let What::State { place, key, revision } = &watch.what else {
            self.tell(agent, watch, notice::lost(&watch.what)).await;
            return Ok(());
        };
        let found =
            self.store.get(&place.space(agent), &Key::new(key.as_str())).await.map_err(store_failed)?;
        let entry = found.as_ref().and_then(|entry| Entry::of(entry).ok());
        if entry.as_ref().map(|entry| &entry.revision) != revision.as_ref() {
            let change = entry.map_or(Change::Removed, Change::Written);
            self.tell(agent, watch, notice::state(&watch.what, &change)).await;
        }
        Ok(())
    }

    /// Posts the event of a watch, once.
    async fn tell(&self, agent: &agent::Id, watch: &Watch, text: String) {
        let Some(armed) = self.disarm(agent, watch.number) else { return };
        let untold = text.clone().into_boxed_str();
        let told = async {
            let key = IdempotencyKey::parse(&watch.key)?;
            self.inbox.post(agent, Source::Watch, text, Some(&key)).await?;
            self.forget_record(agent, watch.number).await
        };
        if let Err(error) = told.await {
            tracing::warn!(%agent, watch = %watch.what, error = %error.message, "a watch could not be told");
            // It stays with what happened, so that it is told later rather than never.
            let watch = Watch { untold: Some(untold), ..armed.watch };
            self.insert(agent, watch.clone());
            if let Err(error) = self.write(agent, &watch).await {
                tracing::warn!(%agent, watch = %watch.what, error = %error.message, "and is kept in memory only");
            }
        }
    }

    /// Tells what there was no room for, now that there may be some: of one agent, or of all.
    pub async fn tell_again(&self, agent: Option<&agent::Id>) {
        for (owner, watch) in self.matching(|owner, _| agent.is_none_or(|agent| agent == owner)) {
            if let Some(text) = watch.untold.clone() {
                self.tell(&owner, &watch, text.into()).await;
            }
        }
    }

    fn arm(&self, agent: &agent::Id, what: What) -> Result<(Watch, CancellationToken)> {
        let mut lanes = self.lanes();
        let lane = lanes.entry(agent.clone()).or_default();
        if lane.watches.len() >= WATCHES_MAX {
            return Err(Error::new(
                Code::QueueFull,
                format!("There are {WATCHES_MAX} watches, which is the limit."),
            )
            .hint("List them with /watch and remove some: /watch rm N"));
        }
        let key = format!("watch-{}", ulid::Ulid::generate()).into();
        let watch = Watch { number: lane.last + 1, what, since: self.clock.now(), key, untold: None };
        Ok((watch.clone(), lane.add(watch)))
    }

    fn insert(&self, agent: &agent::Id, watch: Watch) {
        self.lanes().entry(agent.clone()).or_default().add(watch);
    }

    /// Takes a watch out, so that only one caller tells it.
    fn disarm(&self, agent: &agent::Id, number: u32) -> Option<Armed> {
        let mut lanes = self.lanes();
        let lane = lanes.get_mut(agent)?;
        let at = lane.watches.iter().position(|armed| armed.watch.number == number)?;
        let armed = lane.watches.remove(at);
        armed.removed.cancel();
        Some(armed)
    }

    async fn keep(&self, agent: &agent::Id, watch: &Watch) -> Result<()> {
        let written = self.write(agent, watch).await;
        if written.is_err() {
            self.disarm(agent, watch.number);
        }
        written
    }

    async fn write(&self, agent: &agent::Id, watch: &Watch) -> Result<()> {
        let record = serde_json::to_vec(&Record::of(watch)).expect("words and numbers are always JSON");
        let write = AtomicWrite::new().put(&space_of(agent), &key_of(watch.number), record, None);
        self.store.commit(write).await.map(|_| ()).map_err(store_failed)
    }

    async fn forget_record(&self, agent: &agent::Id, number: u32) -> Result<()> {
        let write = AtomicWrite::new().delete(&space_of(agent), &key_of(number));
        self.store.commit(write).await.map(|_| ()).map_err(store_failed)
    }

    fn matching(&self, concerns: impl Fn(&agent::Id, &What) -> bool) -> Vec<(agent::Id, Watch)> {
        let lanes = self.lanes();
        let all = lanes
            .iter()
            .flat_map(|(agent, lane)| lane.watches.iter().map(move |armed| (agent, &armed.watch)));
        all.filter(|(agent, watch)| concerns(agent, &watch.what))
            .map(|(agent, watch)| (agent.clone(), watch.clone()))
            .collect()
    }

    fn all(&self) -> Vec<(agent::Id, Watch)> {
        self.matching(|_, _| true)
    }

    fn lanes(&self) -> MutexGuard<'_, HashMap<agent::Id, Lane>> {
        // Each critical section is a lookup, an insertion or a removal.
        self.agents.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lane {
    fn add(&mut self, watch: Watch) -> CancellationToken {
        let removed = CancellationToken::new();
        self.last = self.last.max(watch.number);
        self.watches.push(Armed { watch, removed: removed.clone() });
        removed
    }
}

fn space_of(agent: &agent::Id) -> Space {
    Space::new(format!("{SPACES}{agent}"))
}

/// Sorts as the number does.
fn key_of(number: u32) -> Key {
    Key::new(format!("{number:010}"))
}
