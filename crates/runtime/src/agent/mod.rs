//! Agents: an identity with a home, and what it may touch.

mod registry;
pub mod settings;
pub mod workspace;

use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

pub use registry::{Registry, Removed};
pub use workspace::{OUTPUT, Workspace, stamp_at_once};

use crate::error::{Code, Error, Result, quoted};

/// Longest agent id; it is also the name of a directory.
const ID_MAX: usize = 64;

/// `[a-zA-Z0-9_-]{1,64}`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id(Box<str>);

#[derive(Debug)]
pub struct Agent {
    pub id: Id,
    pub workspace: Workspace,
    pub boundary: Boundary,
    /// What it is allowed now.
    grant: Grant,
    /// What it was allowed before, as far as that was no more than now: something that was started by it may live.
    earlier: Vec<Grant>,
}

/// What an agent may touch. What runs by it ends when that becomes less.
#[derive(Debug, Clone)]
pub struct Grant {
    record: Record,
    revoked: CancellationToken,
    /// Set before that, where the agent itself is gone.
    removed: CancellationToken,
}

/// What a shell or a command action may touch, from the widest to the narrowest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Boundary {
    None,
    #[default]
    Workspace,
    Isolated,
    Off,
}

/// An agent as the registry keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    pub home: PathBuf,
    #[serde(default)]
    pub allow: Vec<PathBuf>,
    #[serde(default)]
    pub boundary: Boundary,
}

impl Agent {
    /// Returns when the agent may touch less than this says.
    pub async fn until_revoked(&self) {
        self.grant.revoked.cancelled().await;
    }

    pub fn is_revoked(&self) -> bool {
        self.grant.is_revoked()
    }

    /// Whether it was revoked because the agent is gone.
    pub fn is_removed(&self) -> bool {
        self.grant.removed.is_cancelled()
    }

    /// What something that is started now is allowed.
    pub fn grant(&self) -> &Grant {
        &self.grant
    }

    /// What is still in force once the agent is what the record says, and what is not.
    fn divided_by(&self, record: &Record) -> (Vec<Grant>, Vec<Grant>) {
        let all = self.earlier.iter().chain([&self.grant]).cloned();
        all.partition(|grant| !grant.record.exceeds(record))
    }
}

impl Grant {
    fn new(record: Record) -> Self {
        Self { record, revoked: CancellationToken::new(), removed: CancellationToken::new() }
    }

    pub fn is_revoked(&self) -> bool {
        self.revoked.is_cancelled()
    }
}

impl Record {
    /// Whether it allows something that the other one does not.
    fn exceeds(&self, other: &Self) -> bool {
        let kept = || other.home == self.home && self.allow.iter().all(|path| other.allow.contains(path));
        other.boundary > self.boundary || (self.boundary != Boundary::None && !kept())
    }
}

impl Id {
    pub fn parse(text: &str) -> Result<Self> {
        let legal = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if (1..=ID_MAX).contains(&text.len()) && text.chars().all(legal) {
            return Ok(Self(text.into()));
        }
        Err(Error::new(Code::InvalidParams, format!("Not an agent id: {}", quoted(text)))
            .hint("An id is 1 to 64 letters, digits, _ or -."))
    }

    /// The agent that always exists.
    pub fn default_agent() -> Self {
        Self("default".into())
    }

    pub fn is_default(&self) -> bool {
        &*self.0 == "default"
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Boundary {
    pub const ALL: [Self; 4] = [Self::None, Self::Workspace, Self::Isolated, Self::Off];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Workspace => "workspace",
            Self::Isolated => "isolated",
            Self::Off => "off",
        }
    }

    pub fn parse(text: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|value| value.as_str() == text).ok_or_else(|| {
            Error::new(Code::InvalidParams, format!("Not a boundary: {}", quoted(text)))
                .hint("A boundary is none, workspace, isolated or off.")
        })
    }
}
