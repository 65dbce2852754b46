//! Watches: what an agent wants to be told once, by an event in its inbox, so that it need not ask again and again.

mod notice;
mod running;
mod watches;

use std::fmt;

use serde::{Deserialize, Serialize};
use store::Timestamp;

pub use notice::{Change, Ending};
pub use running::Running;
pub use watches::{TEXT_MAX, WATCHES_MAX, Watches};

use crate::state::Place;
use crate::task;
use crate::topic::Topic;

/// One watch of one agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Watch {
    /// By which the agent removes it.
    pub number: u32,
    pub what: What,
    pub since: Timestamp,
    /// Makes the event of this watch the same one however often it is posted.
    key: Box<str>,
    /// What has happened, if there was no room in the inbox to tell it.
    untold: Option<Box<str>>,
}

/// What is watched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    Shell {
        topic: Topic,
        until: Until,
    },
    /// An entry of durable state, with the revision it had.
    State {
        place: Place,
        key: String,
        revision: Option<String>,
    },
    Task(task::Id),
}

/// What may happen in a shell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Until {
    Exit,
    Match(String),
}

/// As it is typed behind `/watch`.
impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shell { topic, until: Until::Exit } => write!(f, "{topic} exit"),
            Self::Shell { topic, until: Until::Match(text) } => write!(f, "{topic} match {text:?}"),
            Self::State { place, key, .. } => write!(f, "state {place} {key}"),
            Self::Task(id) => write!(f, "task {id}"),
        }
    }
}

/// A watch as it is stored, under its number.
#[derive(Serialize, Deserialize)]
struct Record {
    #[serde(flatten)]
    what: Stored,
    since: i64,
    key: Box<str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    untold: Option<Box<str>>,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Stored {
    Shell { topic: String, until: Until },
    State { scope: String, entry: String, revision: Option<String> },
    Task { id: String },
}

impl Record {
    fn of(watch: &Watch) -> Self {
        let what = match watch.what.clone() {
            What::Shell { topic, until } => Stored::Shell { topic: topic.to_string(), until },
            What::State { place, key, revision } => {
                Stored::State { scope: place.to_string(), entry: key, revision }
            }
            What::Task(id) => Stored::Task { id: id.to_string() },
        };
        Self { what, since: watch.since.as_millis(), key: watch.key.clone(), untold: watch.untold.clone() }
    }

    /// None if it was damaged.
    fn watch(self, number: u32) -> Option<Watch> {
        let what = match self.what {
            Stored::Shell { topic, until } => What::Shell { topic: Topic::parse(&topic).ok()?, until },
            Stored::State { scope, entry, revision } => {
                What::State { place: Place::parse(&scope).ok()?, key: entry, revision }
            }
            Stored::Task { id } => What::Task(task::Id::parse(&id).ok()?),
        };
        let since = Timestamp::from_millis(self.since);
        Some(Watch { number, what, since, key: self.key, untold: self.untold })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_watch_is_stored_and_read_back() {
        let topic = Topic::parse("bash:dev").unwrap();
        let all = [
            What::Shell { topic: topic.clone(), until: Until::Exit },
            What::Shell { topic, until: Until::Match("ready \"on\"".into()) },
            What::State { place: Place::Profile, key: "a b".into(), revision: Some("r7".into()) },
            What::Task(task::Id::parse("job-1").unwrap()),
        ];
        for what in all {
            let (since, untold) = (Timestamp::from_millis(5), Some("it ended".into()));
            let watch = Watch { number: 3, what, since, key: "k".into(), untold };
            let stored = serde_json::to_vec(&Record::of(&watch)).unwrap();
            let read: Record = serde_json::from_slice(&stored).unwrap();
            assert_eq!(read.watch(3), Some(watch));
        }
    }
}
