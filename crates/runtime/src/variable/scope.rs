//! Where a `$NAME` is kept: one file for everything, one for each app, one for each configuration of it.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::topic::{Name, Topic};

/// From the broadest to the most specific.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    Global,
    App(Name),
    Config(Name, Name),
}

impl Scope {
    /// The scope that a topic writes to.
    pub fn of(topic: &Topic) -> Self {
        match topic {
            Topic::App { name, config: Some(config) } => Self::Config(name.clone(), config.clone()),
            Topic::App { name, config: None } => Self::App(name.clone()),
            Topic::Tab(_) | Topic::Bash(_) | Topic::Hub(_) => Self::Global,
        }
    }

    /// Where a name is looked for next.
    pub fn broader(&self) -> Option<Self> {
        match self {
            Self::Config(name, _) => Some(Self::App(name.clone())),
            Self::App(_) => Some(Self::Global),
            Self::Global => None,
        }
    }

    /// The file, in the home of an agent.
    pub fn file(&self, home: &Path) -> PathBuf {
        let own = home.join(".string");
        match self {
            Self::Global => own.join("config.json"),
            Self::App(name) => own.join("apps").join(name.as_str()).join("env.json"),
            Self::Config(name, config) => {
                own.join("apps").join(name.as_str()).join(config.as_str()).join("env.json")
            }
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Global => f.write_str("global"),
            Self::App(name) => write!(f, "app:{name}"),
            Self::Config(name, config) => write!(f, "app:{name}:{config}"),
        }
    }
}
