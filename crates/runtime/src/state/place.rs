//! A scope as it is typed: `profile`, `session:main`, `task:job-1`, `shared:service`.

use std::fmt;

use store::Space;

use crate::agent;
use crate::error::{Code, Error, Result, quoted};
use crate::state::{self, Durable};
use crate::task;
use crate::topic::Topic;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    Profile,
    Session(Topic),
    Task(task::Id),
    Shared(String),
}

impl Place {
    pub fn parse(text: &str) -> Result<Self> {
        let wrong = || {
            Error::new(Code::InvalidParams, format!("Not a scope: {}", quoted(text)))
                .hint("A scope is profile, session:TOPIC, task:ID or shared:ID.")
        };
        match text.split_once(':') {
            None if text == "profile" => Ok(Self::Profile),
            Some(("session", topic)) => Ok(Self::Session(Topic::parse(topic)?)),
            Some(("task", id)) => Ok(Self::Task(task::Id::parse(id)?)),
            Some(("shared", id)) if state::check_scope_id(id) => Ok(Self::Shared(id.to_owned())),
            _ => Err(wrong()),
        }
    }

    /// Where the entries are, for an agent.
    pub fn space(&self, agent: &agent::Id) -> Space {
        match self {
            Self::Profile => Space::new(format!("state/profile/{agent}")),
            Self::Session(topic) => state::session_space(agent, topic),
            Self::Task(id) => Space::new(format!("state/task/{agent}/{id}")),
            Self::Shared(id) => Space::new(format!("state/shared/{id}")),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Profile => f.write_str("profile"),
            Self::Session(topic) => write!(f, "session:{topic}"),
            Self::Task(id) => write!(f, "task:{id}"),
            Self::Shared(id) => write!(f, "shared:{id}"),
        }
    }
}

/// Every scope that holds something, of an agent and of all.
pub async fn all(durable: &Durable, agent: &agent::Id) -> Result<Vec<Place>> {
    let mut places = Vec::new();
    for (kind, prefix) in [
        ("profile", format!("state/profile/{agent}")),
        ("session:", format!("state/session/{agent}/")),
        ("task:", format!("state/task/{agent}/")),
        ("shared:", "state/shared/".to_owned()),
    ] {
        let spaces = durable.spaces(&prefix).await;
        for space in spaces.map_err(|error| Error::new(Code::LoadError, error.message))? {
            let name = &space.as_str()[prefix.len()..];
            places.extend(Place::parse(&format!("{kind}{name}")));
        }
    }
    Ok(places)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_is_typed_as_it_is_shown() {
        for text in ["profile", "session:main", "session:app:gmail:work", "task:job-1", "shared:service"] {
            assert_eq!(Place::parse(text).unwrap().to_string(), text);
        }
        for text in ["", "profile:x", "session", "shared:", "shared:a/b", "task:../x", "session:a b", "x:y"] {
            assert!(Place::parse(text).is_err(), "{text}");
        }
    }
}
