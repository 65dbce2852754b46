//! The inboxes of all agents, kept in the store.
//!
//! One space per agent holds its events under their ids, another the idempotency keys that were used, and a third,
//! shared by all, the last id of each agent. Ids grow in the order in which events become visible: a reader that
//! goes on behind the last one it saw misses none.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use store::{AtomicWrite, Clock, Decision, Entry, Key, KeyRange, Limit, Store};
use tokio::sync::watch;

use super::record::{KeyUse, Record, decode, encode, events, key_of, keys, last_ids, parse_id};
use super::retention::Retention;
use super::room::{EVENTS_MAX, Place, Room};
use super::{Event, Id, IdempotencyKey, Source, State, TEXT_MAX};
use crate::activity::{self, What};
use crate::agent;
use crate::error::{Code, Error, Result, store_failed};

/// How much is read from the store at once.
const SCAN: Limit = Limit::entries(256).bytes(1024 * 1024);

pub struct Inbox {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    activity: activity::Stream,
    retention: Retention,
    lanes: Mutex<HashMap<agent::Id, Arc<Lane>>>,
}

/// What came of a post.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Posted {
    pub id: Id,
}

/// Which events are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Show {
    Unacked,
    All,
}

/// Which events are removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clear {
    Acked,
    All,
}

/// Whether an event is further than it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Moved {
    On,
    Not,
}

/// Some events, oldest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    pub events: Vec<Event>,
    pub has_more: bool,
}

/// What one agent's writers share.
struct Lane {
    /// Held while an event is written, so that ids become visible in their order.
    tail: tokio::sync::Mutex<Tail>,
    /// Counts the posts; whoever follows the inbox waits for it to change.
    news: watch::Sender<u64>,
}

#[derive(Default)]
struct Tail {
    last: Option<Id>,
    /// Counted when it is first needed and after each sweep.
    room: Option<Room>,
    /// The inbox was dropped while a writer waited for it.
    dropped: bool,
}

impl Inbox {
    pub fn new(
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        activity: activity::Stream,
        root: &Path,
    ) -> Self {
        Self { store, clock, activity, retention: Retention::new(root), lanes: Mutex::default() }
    }

    /// Puts a text into an inbox. When this returns, it is on disk. A key that was used before names the event
    /// it was used for, and no other text.
    pub async fn post(
        &self,
        agent: &agent::Id,
        source: Source,
        text: String,
        key: Option<&IdempotencyKey>,
    ) -> Result<Posted> {
        debug_assert!(text.len() <= TEXT_MAX, "callers bound the text");
        let lane = self.lane(agent);
        let mut tail = lane.tail.lock().await;
        if tail.dropped {
            return Err(Error::new(Code::NotFound, format!("Agent {agent} is gone.")));
        }
        if let Some(used) = self.used(agent, key).await? {
            return if used.is_for(&text) { Ok(Posted { id: used.id }) } else { Err(used.for_another()) };
        }
        let place = self.room(agent, &mut tail).await?.place().ok_or_else(full)?;
        let now = self.clock.now();
        let id = Id::next(now, self.last(agent, &mut tail).await?);
        let expires = Some(self.retention.expiry(State::Pending, now).await);
        let used = KeyUse::new(id, &text).encode();
        let record = Record { received: now.as_millis(), source, state: State::Pending, text };
        let mut write = AtomicWrite::new().put(&events(agent), &key_of(id), encode(&record), expires).put(
            &last_ids(),
            &Key::new(agent.as_str()),
            id.to_string(),
            None,
        );
        if let Some(key) = key {
            write = write.put(&keys(agent), &Key::new(&*key.0), used, expires);
        }
        if let Place::Of(acked) = place {
            write = write.delete(&events(agent), &key_of(acked));
        }
        // There is no check that could fail: the lane is the only writer of new events.
        let _ = self.store.commit(write).await.map_err(store_failed)?;
        tail.last = Some(id);
        self.room(agent, &mut tail).await?.take(place);
        lane.news.send_modify(|count| *count += 1);
        self.activity.tell(agent, || What::Inbox { id, state: State::Pending });
        Ok(Posted { id })
    }

    /// Events behind `after`, oldest first, up to a number and a size of their texts; the first always fits.
    pub async fn list(&self, agent: &agent::Id, show: Show, after: Option<Id>, limit: Limit) -> Result<Page> {
        let space = events(agent);
        let mut range = after.map_or_else(KeyRange::all, |id| KeyRange::all().after(key_of(id)));
        let (mut found, mut bytes) = (Vec::new(), 0);
        loop {
            let page = self.store.scan(&space, &range, SCAN).await.map_err(store_failed)?;
            for entry in &page.entries {
                let event = decode(entry)?;
                if show == Show::Unacked && event.state == State::Acked {
                    continue;
                }
                bytes += event.text.len();
                if found.len() == limit.entries || (bytes > limit.bytes && !found.is_empty()) {
                    return Ok(Page { events: found, has_more: true });
                }
                found.push(event);
            }
            match page.entries.last() {
                Some(last) if page.has_more => range = KeyRange::all().after(last.key.clone()),
                _ => return Ok(Page { events: found, has_more: false }),
            }
        }
    }

    pub async fn read(&self, agent: &agent::Id, id: Id) -> Result<Event> {
        let entry = self.store.get(&events(agent), &key_of(id)).await.map_err(store_failed)?;
        entry.as_ref().map(decode).transpose()?.ok_or_else(|| unknown(id))
    }

    /// The agent has dealt with an event; saying so twice is no error.
    pub async fn ack(&self, agent: &agent::Id, id: Id) -> Result<Event> {
        self.advance(agent, id, State::Acked).await
    }

    /// An event is about to reach a live stream.
    pub(super) async fn deliver(&self, agent: &agent::Id, id: Id) -> Result<Event> {
        self.advance(agent, id, State::Delivered).await
    }

    /// Removes events for good and says how many.
    pub async fn clear(&self, agent: &agent::Id, clear: Clear) -> Result<usize> {
        let lane = self.lane(agent);
        let mut tail = lane.tail.lock().await;
        let space = events(agent);
        let mut removed = 0;
        let mut after = None;
        loop {
            let page = self.list(agent, Show::All, after, SCAN).await?;
            let doomed =
                page.events.iter().filter(|event| clear == Clear::All || event.state == State::Acked);
            let ids: Vec<Id> = doomed.map(|event| event.id).collect();
            let write = ids.iter().fold(AtomicWrite::new(), |write, id| write.delete(&space, &key_of(*id)));
            if !ids.is_empty() {
                let _ = self.store.commit(write).await.map_err(store_failed)?;
            }
            removed += ids.len();
            after = page.events.last().map(|event| event.id);
            if !page.has_more {
                break;
            }
        }
        tail.room = None;
        if removed > 0 {
            self.activity.tell(agent, || What::Cleared { count: removed });
        }
        Ok(removed)
    }

    /// Drops an agent's inbox and ends whoever follows it.
    pub async fn forget(&self, agent: &agent::Id) -> Result<()> {
        let lane = self.lane(agent);
        let mut tail = lane.tail.lock().await;
        tail.dropped = true;
        self.lanes().remove(agent);
        self.store.drop_space(&events(agent)).await.map_err(store_failed)?;
        self.store.drop_space(&keys(agent)).await.map_err(store_failed)?;
        let forgotten = |last: Option<&Entry>| match last {
            Some(_) => (Decision::Delete, ()),
            None => (Decision::Leave, ()),
        };
        let key = Key::new(agent.as_str());
        store::update(&*self.store, &last_ids(), &key, forgotten).await.map(|_| ()).map_err(store_failed)
    }

    /// Called after the store was swept: what has expired no longer counts.
    pub async fn recount(&self) {
        let lanes: Vec<Arc<Lane>> = self.lanes().values().cloned().collect();
        for lane in lanes {
            lane.tail.lock().await.room = None;
        }
    }

    /// Whether an id was given out at some time, as far as can be told of one whose event may be gone.
    pub async fn was_given_out(&self, agent: &agent::Id, id: Id) -> Result<bool> {
        Ok(self.last_stored(agent).await?.is_some_and(|last| id <= last))
    }

    /// Changes with every post to an agent's inbox, and closes when the inbox is dropped.
    pub(super) fn news(&self, agent: &agent::Id) -> watch::Receiver<u64> {
        self.lane(agent).news.subscribe()
    }

    /// Moves an event on, never back.
    async fn advance(&self, agent: &agent::Id, id: Id, to: State) -> Result<Event> {
        let expires = self.retention.expiry(State::Acked, self.clock.now()).await;
        let decide = |entry: Option<&Entry>| {
            let event = entry.map_or_else(|| Err(unknown(id)), decode);
            match event {
                Ok(event) if event.state < to => {
                    let event = Event { state: to, ..event };
                    let kept = entry.and_then(|entry| entry.expires_at);
                    let expires_at = if to == State::Acked { Some(expires) } else { kept };
                    (Decision::Put { value: encode(&Record::of(&event)), expires_at }, Ok((event, Moved::On)))
                }
                outcome => (Decision::Leave, outcome.map(|event| (event, Moved::Not))),
            }
        };
        let updated = store::update(&*self.store, &events(agent), &key_of(id), decide).await;
        let (event, moved) = updated.map_err(store_failed)?.answer?;
        if moved == Moved::On {
            if to == State::Acked
                && let Some(room) = &mut self.lane(agent).tail.lock().await.room
            {
                room.acked(id);
            }
            self.activity.tell(agent, || What::Inbox { id, state: event.state });
        }
        Ok(event)
    }

    /// What a key was used for before.
    async fn used(&self, agent: &agent::Id, key: Option<&IdempotencyKey>) -> Result<Option<KeyUse>> {
        let Some(key) = key else { return Ok(None) };
        let found = self.store.get(&keys(agent), &Key::new(&*key.0)).await.map_err(store_failed)?;
        found.map(|entry| KeyUse::decode(&entry.value)).transpose()
    }

    async fn last(&self, agent: &agent::Id, tail: &mut Tail) -> Result<Option<Id>> {
        if tail.last.is_none() {
            tail.last = self.last_stored(agent).await?;
        }
        Ok(tail.last)
    }

    async fn last_stored(&self, agent: &agent::Id) -> Result<Option<Id>> {
        let found = self.store.get(&last_ids(), &Key::new(agent.as_str())).await.map_err(store_failed)?;
        found.map(|entry| parse_id(&entry.value)).transpose()
    }

    async fn room<'a>(&self, agent: &agent::Id, tail: &'a mut Tail) -> Result<&'a mut Room> {
        let room = match tail.room.take() {
            Some(room) => room,
            None => self.measure(agent).await?,
        };
        Ok(tail.room.insert(room))
    }

    async fn measure(&self, agent: &agent::Id) -> Result<Room> {
        let (mut room, mut after) = (Room::default(), None);
        loop {
            let page = self.list(agent, Show::All, after, SCAN).await?;
            page.events.iter().for_each(|event| room.count(event));
            after = page.events.last().map(|event| event.id);
            if !page.has_more {
                return Ok(room);
            }
        }
    }

    fn lane(&self, agent: &agent::Id) -> Arc<Lane> {
        let mut lanes = self.lanes();
        if let Some(lane) = lanes.get(agent) {
            return Arc::clone(lane);
        }
        let lane = Arc::new(Lane { tail: tokio::sync::Mutex::default(), news: watch::Sender::new(0) });
        lanes.insert(agent.clone(), Arc::clone(&lane));
        lane
    }

    fn lanes(&self) -> std::sync::MutexGuard<'_, HashMap<agent::Id, Arc<Lane>>> {
        // Each critical section is a lookup, an insertion or a removal.
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn full() -> Error {
    let message = format!("The inbox is full: {EVENTS_MAX} events wait to be acknowledged.");
    Error::new(Code::QueueFull, message)
        .hint("Read the oldest and acknowledge them: string event list, then string event ack ID…")
        .hint("Remove all of them: string event clear --all")
}

fn unknown(id: Id) -> Error {
    Error::new(Code::NotFound, format!("No event {id}.")).hint("List them: string event list --all")
}
