//! A scope as it is typed: `profile`, `session:main`, `task:job-1`, `shared:service`.

use std::fmt;

use store::Space;

use crate::agent;
use crate::error::{Code, Error, Result, quoted};
use crate::state::{self, Durable, Kind};
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
        let (kind, name) = match text.split_once(':') {
            Some((kind, name)) => (kind, Some(name)),
            None => (text, None),
        };
        match (Kind::parse(kind), name) {
            (Some(Kind::Profile), None) => Ok(Self::Profile),
            (Some(Kind::Session), Some(topic)) => Ok(Self::Session(Topic::parse(topic)?)),
            (Some(Kind::Task), Some(id)) => Ok(Self::Task(task::Id::parse(id)?)),
            (Some(Kind::Shared), Some(id)) if state::check_scope_id(id) => Ok(Self::Shared(id.to_owned())),
            _ => Err(wrong()),
        }
    }

    /// Where the entries are, for an agent.
    pub fn space(&self, agent: &agent::Id) -> Space {
        let (kind, name) = self.parts();
        kind.space(agent, name)
    }

    fn parts(&self) -> (Kind, String) {
        match self {
            Self::Profile => (Kind::Profile, String::new()),
            Self::Session(topic) => (Kind::Session, topic.to_string()),
            Self::Task(id) => (Kind::Task, id.to_string()),
            Self::Shared(id) => (Kind::Shared, id.clone()),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, name) = self.parts();
        f.write_str(&typed(kind, &name))
    }
}

/// Every scope that holds something, of an agent and of all.
pub async fn all(durable: &Durable, agent: &agent::Id) -> Result<Vec<Place>> {
    let mut places = Vec::new();
    for kind in Kind::ALL {
        let prefix = kind.prefix(agent);
        let spaces = durable.spaces(&prefix).await;
        for space in spaces.map_err(|error| Error::new(Code::LoadError, error.message))? {
            let name = &space.as_str()[prefix.len()..];
            // What goes on behind the name of a profile is another agent's, and no scope.
            places.extend(Place::parse(&typed(kind, name)));
        }
    }
    Ok(places)
}

/// An agent has one profile, which needs no name.
fn typed(kind: Kind, name: &str) -> String {
    let colon = if kind == Kind::Profile { "" } else { ":" };
    format!("{}{colon}{name}", kind.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_is_typed_as_it_is_shown() {
        for text in ["profile", "session:main", "session:app:gmail:work", "task:job-1", "shared:service"] {
            assert_eq!(Place::parse(text).unwrap().to_string(), text);
        }
        for text in [
            "",
            "profile:",
            "profile:x",
            "session",
            "shared:",
            "shared:a/b",
            "task:../x",
            "session:a b",
            "x:y",
        ] {
            assert!(Place::parse(text).is_err(), "{text}");
        }
    }
}
