//! The tasks of all agents: named ones are kept, others are remembered for a while.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use store::{AtomicWrite, Expect, Key, Store};

use super::event::Event;
use super::id::Id;
use super::record::{Outcome, Record};
use super::timeline::{EVENTS_MAX, Timeline};
use super::traces::records;
use crate::activity::{self, What};
use crate::agent;
use crate::error::{Code, Error, Result, store_failed};

/// Tasks without a name that are remembered, over all agents.
const REMEMBERED: usize = 100;

pub struct Tasks {
    pub(super) store: Arc<dyn Store>,
    timeline: Timeline,
    activity: activity::Stream,
    recent: Mutex<VecDeque<Recent>>,
    running: Mutex<Vec<Running>>,
    /// How many calls were begun so far.
    begun: AtomicU64,
}

pub(super) struct Running {
    number: u64,
    pub(super) agent: agent::Id,
    pub(super) id: Id,
    pub(super) record: Record,
    /// Events that were kept since the oldest were last removed.
    events: usize,
}

pub(super) struct Recent {
    pub(super) agent: agent::Id,
    pub(super) id: Id,
    pub(super) record: Record,
    events: Vec<Event>,
}

/// A call that runs. Dropped before [`Begun::ended`], it was given up.
pub struct Begun<'t> {
    tasks: &'t Tasks,
    number: u64,
    outcome: Outcome,
}

impl Begun<'_> {
    pub fn ended(mut self, outcome: Outcome) {
        self.outcome = outcome;
    }
}

impl Drop for Begun<'_> {
    fn drop(&mut self) {
        let mut running = self.tasks.running();
        let at = running.iter().position(|running| running.number == self.number);
        let call = at.map(|at| running.remove(at));
        drop(running);
        call.iter().for_each(|call| self.tasks.tell(call, self.outcome));
    }
}

impl Tasks {
    pub fn new(store: Arc<dyn Store>, activity: activity::Stream) -> Self {
        let timeline = Timeline::new(Arc::clone(&store));
        Self {
            store,
            timeline,
            activity,
            recent: Mutex::default(),
            running: Mutex::default(),
            begun: AtomicU64::new(0),
        }
    }

    /// Lists a task as running until what this gives is dropped.
    pub fn begin(&self, agent: &agent::Id, id: &Id, record: &Record) -> Begun<'_> {
        let number = self.begun.fetch_add(1, Ordering::Relaxed);
        let record = Record { outcome: Outcome::Running, ..record.clone() };
        let call = Running { number, agent: agent.clone(), id: id.clone(), record, events: 0 };
        self.tell(&call, Outcome::Running);
        self.running().push(call);
        Begun { tasks: self, number, outcome: Outcome::Failed }
    }

    fn tell(&self, call: &Running, outcome: Outcome) {
        self.activity.tell(&call.agent, || What::Task {
            id: call.id.clone(),
            tool: call.record.tool.clone(),
            topic: call.record.topic.clone(),
            outcome,
        });
    }

    /// Remembers a task without a name for as long as this process runs.
    pub fn remember(&self, agent: &agent::Id, id: Id, record: Record, mut events: Vec<Event>) {
        events.drain(..events.len().saturating_sub(EVENTS_MAX));
        let mut recent = self.recent();
        if recent.len() == REMEMBERED {
            recent.pop_front();
        }
        recent.push_back(Recent { agent: agent.clone(), id, record, events });
    }

    /// Keeps a named task and what happened in it.
    pub async fn keep(&self, agent: &agent::Id, id: &Id, record: Record, events: &[Event]) -> Result<()> {
        let (space, key) = (records(agent), Key::new(id.as_str()));
        loop {
            let before = self.store.get(&space, &key).await.map_err(store_failed)?;
            let unchanged = Expect::unchanged(before.as_ref().map(|entry| entry.version));
            let before: Option<Record> = before.and_then(|entry| serde_json::from_slice(&entry.value).ok());
            let record = Record {
                started_at: before.as_ref().map_or(record.started_at, |before| before.started_at),
                calls: before.map_or(0, |before| before.calls) + record.calls,
                ..record.clone()
            };
            let write = AtomicWrite::new().check(&space, &key, unchanged);
            let write = write.put(&space, &key, json(&record)?, None);
            let write = self.timeline.put(write, agent, id, events)?;
            // A conflict means that another call of the task has ended in between, and counts too.
            if self.store.commit(write).await.map_err(store_failed)?.is_ok() {
                return self.timeline.trim(agent, id).await;
            }
        }
    }

    /// Keeps events of a named task at once.
    pub async fn add_events(&self, agent: &agent::Id, id: &Id, events: &[Event]) -> Result<()> {
        let write = self.timeline.put(AtomicWrite::new(), agent, id, events)?;
        let _version = self.store.commit(write).await.map_err(store_failed)?;
        if self.is_full(agent, id, events.len()) { self.timeline.trim(agent, id).await } else { Ok(()) }
    }

    /// Counts events of a call that runs, and says whether there are enough to remove the oldest.
    fn is_full(&self, agent: &agent::Id, id: &Id, events: usize) -> bool {
        let mut running = self.running();
        let call = running.iter_mut().find(|running| running.agent == *agent && running.id == *id);
        call.is_some_and(|call| {
            call.events += events;
            let is_full = call.events >= EVENTS_MAX;
            if is_full {
                call.events = 0;
            }
            is_full
        })
    }

    /// What happened in a task lately, oldest first.
    pub async fn events(&self, agent: &agent::Id, id: &Id) -> Result<Vec<Event>> {
        let mut events = self.timeline.read(agent, id).await?;
        let recent = self.recent();
        let remembered = recent.iter().filter(|recent| recent.agent == *agent && recent.id == *id);
        events.extend(remembered.flat_map(|recent| recent.events.iter().cloned()));
        Ok(events)
    }

    pub(super) fn running(&self) -> MutexGuard<'_, Vec<Running>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn recent(&self) -> MutexGuard<'_, VecDeque<Recent>> {
        // No critical section can panic half-way: each is a push, a filter or a copy.
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) fn json(value: &impl serde::Serialize) -> Result<Vec<u8>> {
    serde_json::to_vec(value).map_err(|error| Error::new(Code::LoadError, error.to_string()))
}

#[cfg(test)]
mod tests {
    use store::memory::Memory;
    use store::{KeyRange, Limit, Space, SystemClock};

    use super::*;

    fn tasks_in(store: Arc<dyn Store>) -> Tasks {
        Tasks::new(store, activity::Stream::new(Arc::new(SystemClock)))
    }

    fn record() -> Record {
        Record {
            tool: "t".to_owned(),
            topic: "main".to_owned(),
            started_at: 1,
            ended_at: 1,
            outcome: Outcome::Failed,
            calls: 1,
        }
    }

    #[tokio::test]
    async fn a_task_is_listed_while_it_runs() {
        let tasks = tasks_in(Arc::new(Memory::new(Arc::new(SystemClock))));
        let (agent, id) = (agent::Id::parse("a").unwrap(), Id::parse("job-1").unwrap());
        let record = record();
        let begun = tasks.begin(&agent, &id, &record);
        let listed = tasks.list(&agent).await.unwrap();
        assert_eq!(listed[0].record.as_ref().map(|record| record.outcome), Some(Outcome::Running));
        assert!(tasks.list(&agent::Id::parse("b").unwrap()).await.unwrap().is_empty());
        drop(begun);
        assert!(tasks.list(&agent).await.unwrap().is_empty());
    }

    #[tokio::test]
    async fn whoever_watches_is_told_how_a_task_began_and_ended() {
        let tasks = tasks_in(Arc::new(Memory::new(Arc::new(SystemClock))));
        let (agent, id) = (agent::Id::parse("a").unwrap(), Id::parse("job-1").unwrap());
        let mut watching = tasks.activity.watch();
        tasks.begin(&agent, &id, &record()).ended(Outcome::Ok);
        drop(tasks.begin(&agent, &id, &record()));
        let mut told = Vec::new();
        while let Ok(event) = watching.try_recv() {
            let What::Task { id, tool, topic, outcome } = event.what else { panic!("{event:?}") };
            told.push(format!("{} {id} {tool} {topic} {}", event.agent, outcome.as_str()));
        }
        let lines = ["running", "ok", "running", "failed"].map(|outcome| format!("a job-1 t main {outcome}"));
        assert_eq!(told, lines);
    }

    #[tokio::test]
    async fn a_timeline_has_the_newest_events_and_no_more_of_them_than_are_kept() {
        let store: Arc<dyn Store> = Arc::new(Memory::new(Arc::new(SystemClock)));
        let tasks = tasks_in(Arc::clone(&store));
        let (agent, id) = (agent::Id::parse("a").unwrap(), Id::parse("job-1").unwrap());
        let record = record();
        let stored = async || {
            let all = Limit::entries(usize::MAX);
            store.scan(&Space::new("timeline/a/job-1"), &KeyRange::all(), all).await.unwrap().entries.len()
        };
        let begun = tasks.begin(&agent, &id, &record);
        for at in 0..4_500 {
            let event = Event::line(at, "t", script::Level::Info, String::new());
            tasks.add_events(&agent, &id, &[event]).await.unwrap();
        }
        assert!(stored().await <= 2 * EVENTS_MAX);
        let at = |events: Vec<Event>| (events.len(), events[0].at, events[events.len() - 1].at);
        assert_eq!(at(tasks.events(&agent, &id).await.unwrap()), (1_000, 3_500, 4_499));
        drop(begun);
        let printed = Event::line(5_000, "t", script::Level::Info, String::new());
        tasks.keep(&agent, &id, record, &[printed]).await.unwrap();
        assert_eq!(stored().await, EVENTS_MAX);
        assert_eq!(at(tasks.events(&agent, &id).await.unwrap()), (1_000, 3_501, 5_000));
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn calls_of_one_task_that_end_at_the_same_time_all_count() {
        let tasks = Arc::new(tasks_in(Arc::new(Memory::new(Arc::new(SystemClock)))));
        let (agent, id) = (agent::Id::parse("a").unwrap(), Id::parse("job-1").unwrap());
        let keep = |_| {
            let (tasks, agent, id) = (Arc::clone(&tasks), agent.clone(), id.clone());
            tokio::spawn(async move { tasks.keep(&agent, &id, record(), &[]).await.unwrap() })
        };
        for kept in (0..100).map(keep).collect::<Vec<_>>() {
            kept.await.unwrap();
        }
        let listed = tasks.list(&agent).await.unwrap();
        assert_eq!(listed[0].record.as_ref().map(|record| record.calls), Some(100));
    }
}
