//! What tasks leave in the store: found, listed and removed.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use store::{AtomicWrite, Key, KeyRange, Limit, Space};

use super::id::Id;
use super::record::{Outcome, Record};
use super::tasks::Tasks;
use crate::agent;
use crate::error::{Result, store_failed};
use crate::state::Kind;

/// What spaces begin with, before the agent and the task: state for all of its tools, state for one of them, the
/// timeline.
const STATE: &str = "task-state";
const TOOL_STATE: &str = "task-tool";
const TIMELINE: &str = "timeline";

/// A task as lists show it. One that only left state behind has no record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    pub id: String,
    pub record: Option<Record>,
}

impl Tasks {
    /// All tasks of an agent that are known or have left something behind: first those that run, then those that
    /// ended, the newest first, then those of which only state is left.
    pub async fn list(&self, agent: &agent::Id) -> Result<Vec<Listed>> {
        let mut all: BTreeMap<String, Option<Record>> = BTreeMap::new();
        for prefix in traces(agent) {
            for space in self.spaces(&prefix).await? {
                let id = space.as_str()[prefix.len()..].split('/').next().unwrap_or_default();
                all.insert(id.to_owned(), None);
            }
        }
        let page = self.store.scan(&records(agent), &KeyRange::all(), Limit::entries(usize::MAX)).await;
        for entry in page.map_err(store_failed)?.entries {
            all.insert(entry.key.to_string(), serde_json::from_slice(&entry.value).ok());
        }
        for recent in self.recent().iter().filter(|recent| recent.agent == *agent) {
            all.insert(recent.id.to_string(), Some(recent.record.clone()));
        }
        for running in self.running().iter().filter(|running| running.agent == *agent) {
            all.insert(running.id.to_string(), Some(running.record.clone()));
        }
        let mut listed: Vec<Listed> = all.into_iter().map(|(id, record)| Listed { id, record }).collect();
        // Those that are equal in this stay in the order of their names.
        listed.sort_by_key(|task| {
            let when = |record: &Record| (record.outcome == Outcome::Running, record.ended_at);
            Reverse(task.record.as_ref().map(when))
        });
        Ok(listed)
    }

    /// The tools that keep state of their own in a task, each with the place of it.
    pub async fn tool_spaces(&self, agent: &agent::Id, id: &Id) -> Result<Vec<(String, Space)>> {
        let prefix = tool_space(agent, id, "");
        let spaces = self.spaces(prefix.as_str()).await?;
        Ok(spaces
            .into_iter()
            .map(|space| (space.as_str()[prefix.as_str().len()..].to_owned(), space))
            .collect())
    }

    /// The topic where a call of a task runs.
    pub fn running_in(&self, agent: &agent::Id, id: &Id) -> Option<String> {
        let running = self.running();
        let call = running.iter().find(|running| running.agent == *agent && running.id == *id)?;
        Some(call.record.topic.clone())
    }

    /// Removes a task with its state, and says whether there was one.
    pub async fn purge(&self, agent: &agent::Id, id: &Id) -> Result<bool> {
        let (space, key) = (records(agent), Key::new(id.as_str()));
        let mut known = self.store.get(&space, &key).await.map_err(store_failed)?.is_some();
        for prefix in traces(agent) {
            let own = format!("{prefix}{id}");
            let below = self.spaces(&format!("{own}/")).await?;
            // A space begins with its own name, so that the first of these is the exact one, if it is there.
            let exact = self.store.spaces(&own, None, 1).await.map_err(store_failed)?;
            let spaces = exact.into_iter().filter(|space| space.as_str() == own).chain(below);
            for space in spaces {
                known = true;
                self.store.drop_space(&space).await.map_err(store_failed)?;
            }
        }
        let write = AtomicWrite::new().delete(&space, &key);
        let _version = self.store.commit(write).await.map_err(store_failed)?;
        let mut recent = self.recent();
        let before = recent.len();
        recent.retain(|recent| recent.agent != *agent || recent.id != *id);
        Ok(known || recent.len() < before)
    }

    /// Removes all tasks of an agent with their state. Calls that still run end with its topics.
    pub async fn forget(&self, agent: &agent::Id) -> Result<()> {
        for prefix in traces(agent) {
            for space in self.spaces(&prefix).await? {
                self.store.drop_space(&space).await.map_err(store_failed)?;
            }
        }
        self.store.drop_space(&records(agent)).await.map_err(store_failed)?;
        self.recent().retain(|recent| recent.agent != *agent);
        Ok(())
    }

    async fn spaces(&self, prefix: &str) -> Result<Vec<Space>> {
        self.store.spaces(prefix, None, usize::MAX).await.map_err(store_failed)
    }
}

/// Everything that the tasks of an agent may leave behind, by the beginning of its spaces: `flo.state`, and what has
/// names of its own.
fn traces(agent: &agent::Id) -> [String; 4] {
    let own = |trace: &str| format!("{trace}/{agent}/");
    [Kind::Task.prefix(agent), own(STATE), own(TOOL_STATE), own(TIMELINE)]
}

/// Where `flo.task.putState` writes.
pub fn state_space(agent: &agent::Id, id: &Id) -> Space {
    Space::new(format!("{STATE}/{agent}/{id}"))
}

/// Where `flo.task.putToolState` writes.
pub fn tool_space(agent: &agent::Id, id: &Id, tool: &str) -> Space {
    Space::new(format!("{TOOL_STATE}/{agent}/{id}/{tool}"))
}

/// Where the events of a task are kept.
pub(super) fn timeline_space(agent: &agent::Id, id: &Id) -> Space {
    Space::new(format!("{TIMELINE}/{agent}/{id}"))
}

pub(super) fn records(agent: &agent::Id) -> Space {
    Space::new(format!("tasks/{agent}"))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use store::memory::Memory;
    use store::{Store, SystemClock};

    use super::*;
    use crate::activity;

    fn ended(at: i64) -> Record {
        let (tool, topic) = ("t".to_owned(), "main".to_owned());
        Record { tool, topic, started_at: at, ended_at: at, outcome: Outcome::Ok, calls: 1 }
    }

    fn fresh() -> (Arc<dyn Store>, Tasks, agent::Id) {
        let store: Arc<dyn Store> = Arc::new(Memory::new(Arc::new(SystemClock)));
        let tasks = Tasks::new(Arc::clone(&store), activity::Stream::new(Arc::new(SystemClock)));
        (store, tasks, agent::Id::parse("a").unwrap())
    }

    fn id(text: &str) -> Id {
        Id::parse(text).unwrap()
    }

    async fn put(store: &dyn Store, space: &Space) {
        let write = AtomicWrite::new().put(space, &Key::new("k"), "1", None);
        store.commit(write).await.unwrap().unwrap();
    }

    #[tokio::test]
    async fn those_that_run_are_listed_first_then_the_newest() {
        let (store, tasks, agent) = fresh();
        for n in 0..1_100 {
            tasks.keep(&agent, &id(&format!("job-{n:04}")), ended(n), &[]).await.unwrap();
        }
        put(&*store, &state_space(&agent, &id("a-trace"))).await;
        let _running = tasks.begin(&agent, &id("zz-running"), &ended(5));
        let names: Vec<String> = tasks.list(&agent).await.unwrap().into_iter().map(|task| task.id).collect();
        assert_eq!(names[..3], ["zz-running", "job-1099", "job-1098"]);
        assert_eq!((names.len(), names[1_101].as_str()), (1_102, "a-trace"));
        assert!(tasks.purge(&agent, &id("job-0000")).await.unwrap());
        assert!(!tasks.purge(&agent, &id("job-0000")).await.unwrap());
    }

    #[tokio::test]
    async fn a_task_is_purged_by_whatever_is_left_of_it_and_others_stay() {
        let (store, tasks, agent) = fresh();
        for space in [state_space(&agent, &id("job")), tool_space(&agent, &id("job"), "t")] {
            put(&*store, &space).await;
            // Neither of these is the task, though their names begin like it.
            put(&*store, &state_space(&agent, &id("job-2"))).await;
            assert!(tasks.purge(&agent, &id("job")).await.unwrap());
            assert!(!tasks.purge(&agent, &id("job")).await.unwrap());
        }
        tasks.remember(&agent, id("job"), ended(1), Vec::new());
        assert!(tasks.purge(&agent, &id("job")).await.unwrap());
        assert_eq!(tasks.list(&agent).await.unwrap().len(), 1);
    }

    #[tokio::test]
    async fn all_tasks_are_forgotten_also_while_one_runs_or_has_a_name_that_is_none() {
        let (store, tasks, agent) = fresh();
        tasks.keep(&agent, &id("job"), ended(1), &[]).await.unwrap();
        put(&*store, &Space::new("task-state/a/not a name")).await;
        put(&*store, &Space::new("task-state/ab/job")).await;
        let running = tasks.begin(&agent, &id("running"), &ended(5));
        tasks.forget(&agent).await.unwrap();
        drop(running);
        assert_eq!(tasks.list(&agent).await.unwrap(), []);
        assert_eq!(tasks.list(&agent::Id::parse("ab").unwrap()).await.unwrap().len(), 1);
    }
}
