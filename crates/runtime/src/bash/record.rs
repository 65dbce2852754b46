//! Which shells live, written down so that the next daemon can say what was lost.
//!
//! One small file for each, replaced when something changes. They are not synced: a daemon that is killed loses
//! nothing of them, and a machine that goes down may.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use crate::agent;
use crate::files;
use crate::topic::Name;

/// What a shell was at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    pub agent: String,
    pub name: String,
    pub directory: PathBuf,
    /// The command that was still running.
    pub running: Option<String>,
}

/// The records of one root.
#[derive(Debug)]
pub struct Records {
    directory: PathBuf,
    /// What the daemon before this one left, until its topic is used again.
    lost: Mutex<BTreeMap<(String, String), Record>>,
}

impl Records {
    /// Reads what the last daemon has left.
    pub fn load(root: &Path) -> Self {
        let directory = root.join("run/shells");
        let entries = fs::read_dir(&directory).into_iter().flatten();
        let records = entries.filter_map(|entry| {
            let text = fs::read(entry.ok()?.path()).ok()?;
            serde_json::from_slice::<Record>(&text).ok()
        });
        let lost: BTreeMap<_, _> =
            records.map(|record| ((record.agent.clone(), record.name.clone()), record)).collect();
        if !lost.is_empty() {
            tracing::warn!(count = lost.len(), "shells of the last daemon are gone");
        }
        Self { directory, lost: Mutex::new(lost) }
    }

    /// Writes down what a live shell is at.
    pub fn note(&self, record: &Record) {
        let written = files::create_dir(&self.directory).and_then(|()| {
            let text = serde_json::to_vec(record)?;
            let path = self.path(&record.agent, &record.name);
            let temporary = path.with_extension("new");
            files::write_owner_only(&temporary, &text)?;
            fs::rename(&temporary, path)
        });
        if let Err(error) = written {
            // The shell itself is none the worse for it.
            tracing::warn!(%error, "a live shell could not be written down");
        }
    }

    /// A shell has ended in order: nothing of it is lost.
    pub fn forget(&self, agent: &agent::Id, name: &Name) {
        let (agent, name) = (agent.as_str(), name.to_string());
        self.lock().remove(&(agent.to_owned(), name.clone()));
        // Gone already is as good.
        let _ = fs::remove_file(self.path(agent, &name));
    }

    pub fn forget_all(&self, agent: &agent::Id) {
        let ours = |file: &PathBuf| {
            let name = file.file_name().and_then(|name| name.to_str());
            name.is_some_and(|name| name.starts_with(&format!("{}@", agent.as_str())))
        };
        self.lock().retain(|(owner, _), _| owner != agent.as_str());
        let entries = fs::read_dir(&self.directory).into_iter().flatten().flatten();
        for file in entries.map(|entry| entry.path()).filter(ours) {
            let _ = fs::remove_file(file);
        }
    }

    /// What was lost in a topic, told once.
    pub fn take_lost(&self, agent: &agent::Id, name: &Name) -> Option<Record> {
        self.lock().remove(&(agent.to_string(), name.to_string()))
    }

    /// Forgets what was lost in a topic without telling. Whether there was anything.
    pub fn forget_lost(&self, agent: &agent::Id, name: &Name) -> bool {
        let lost = self.take_lost(agent, name).is_some();
        if lost {
            self.forget(agent, name);
        }
        lost
    }

    /// What an agent has lost and not been told yet.
    pub fn lost(&self, agent: &agent::Id) -> Vec<Record> {
        self.lock().values().filter(|record| record.agent == agent.as_str()).cloned().collect()
    }

    /// Neither an agent's id nor a shell's name can hold the sign between them.
    fn path(&self, agent: &str, name: &str) -> PathBuf {
        self.directory.join(format!("{agent}@{name}.json"))
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<(String, String), Record>> {
        // Each critical section is one lookup or removal, so a panic cannot leave it half done.
        self.lost.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(agent: &str, name: &str) -> Record {
        Record {
            agent: agent.into(),
            name: name.into(),
            directory: "/home".into(),
            running: Some("make".into()),
        }
    }

    #[test]
    fn what_was_not_ended_in_order_is_lost_and_told_once() {
        let root = tempfile::tempdir().unwrap();
        let (id, other) = (agent::Id::parse("default").unwrap(), agent::Id::parse("other").unwrap());
        let name = |text: &str| Name::parse(text).unwrap();
        let first = Records::load(root.path());
        for (agent, name) in [("default", "a"), ("default", "b"), ("other", "a")] {
            first.note(&record(agent, name));
        }
        first.forget(&id, &name("b"));
        assert_eq!(first.lost(&id), []);
        drop(first);
        let second = Records::load(root.path());
        assert_eq!(second.lost(&id), [record("default", "a")]);
        assert_eq!(second.take_lost(&id, &name("a")), Some(record("default", "a")));
        assert_eq!(second.take_lost(&id, &name("a")), None);
        second.forget_all(&other);
        assert_eq!(second.lost(&other), []);
        drop(second);
        // Nobody has used the topic's shell since, so it is still lost.
        assert_eq!(Records::load(root.path()).lost(&id).len(), 1);
    }

    #[test]
    fn what_is_no_record_is_no_trouble() {
        let root = tempfile::tempdir().unwrap();
        files::create_dir(&root.path().join("run/shells")).unwrap();
        fs::write(root.path().join("run/shells/x@y.json"), "{").unwrap();
        assert_eq!(Records::load(root.path()).lost(&agent::Id::parse("x").unwrap()), []);
    }
}
