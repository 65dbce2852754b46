//! Capabilities: each lets whoever holds it do a few things with certain files of one agent, for a while.
//!
//! A capability never reaches further than the agent that it was minted for: the workspace is checked when it is
//! minted, and again with every request. Its secret is shown once; what is kept is a hash of it.

mod address;
mod grants;
mod record;
mod secret;

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use store::Timestamp;
use ulid::Ulid;

pub use address::{address, parse_address};
pub use grants::{CAPABILITIES_MAX, Capabilities};
pub use secret::Token;

use crate::agent::workspace::{Place, Workspace};
use crate::agent::{self};
use crate::error::{Code, Error, Result, nearest, quoted};
use crate::token::CAPABILITY;

/// How long a capability lives unless it is said otherwise, and at most.
pub const TTL: Duration = Duration::from_secs(60 * 60);
pub const TTL_MAX: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// How many bytes may be written through one capability unless it is said otherwise: a film, not a disk.
pub const QUOTA: u64 = 1 << 30;

/// `cap_` and 26 characters. Names a capability; it is no secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id(Ulid);

/// What may be done with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verb {
    Get,
    /// Part of `get`.
    Head,
    Put,
    Delete,
}

/// One or more verbs, in order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verbs(Vec<Verb>);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Uses {
    Many,
    Once,
}

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Terms {
    /// Absolute: a file, or a directory with all that lies below it.
    pub path: PathBuf,
    pub verbs: Verbs,
    pub ttl: Duration,
    pub uses: Uses,
    /// How many bytes may be written in all.
    pub quota: u64,
}

/// What was granted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capability {
    pub id: Id,
    pub agent: agent::Id,
    /// As it was asked for.
    pub path: PathBuf,
    /// As it really was at that moment.
    real: PathBuf,
    pub verbs: Verbs,
    pub created: Timestamp,
    pub expires: Timestamp,
    pub uses: Uses,
    /// It was for one use, and that has been.
    pub used_up: bool,
    pub quota: u64,
    /// Bytes written, or about to be.
    pub written: u64,
}

/// A new capability with its secret, which is not kept.
#[derive(Debug)]
pub struct Minted {
    pub capability: Capability,
    pub token: Token,
}

impl Capability {
    /// The path that an address names. A bare one is meant from the home, like everywhere, unless this capability is
    /// for the absolute path that it may also be.
    pub fn addressed(&self, address: &str, home: &Path) -> Result<PathBuf> {
        let path = parse_address(address, home)?;
        match path.strip_prefix("/") {
            Ok(bare) if !path.starts_with(&self.path) && !path.starts_with(home) => Ok(home.join(bare)),
            _ => Ok(path),
        }
    }

    /// Where a path leads, if it lies below this capability's and no part of it is a link.
    pub fn place(&self, workspace: &Workspace, path: &Path) -> Result<Place> {
        let Ok(below) = path.strip_prefix(&self.path) else {
            return Err(Error::new(Code::NotAllowed, "The capability is for another path."));
        };
        // Hints about the workspace are for its agent. Whoever holds a capability shall not learn where that one lives.
        let place = workspace.place(path).map_err(|refused| Error { hints: Vec::new(), ..refused })?;
        if place.path() == self.real.join(below) {
            return Ok(place);
        }
        Err(Error::new(Code::InvalidPath, format!("A part of {} is a link.", place.shown()))
            .hint("Capabilities do not follow links."))
    }
}

impl Id {
    pub fn parse(text: &str) -> Result<Self> {
        let id = text.strip_prefix(CAPABILITY).and_then(|rest| Ulid::from_string(rest).ok()).map(Self);
        // One spelling only, so that what is shown is what is stored.
        id.filter(|id| id.to_string() == text).ok_or_else(|| {
            Error::new(Code::InvalidParams, format!("Not the id of a capability: {}", quoted(text)))
                .hint("Ids look like cap_01J8ZQ5V0GRXJ6V3P5Q8T2N4MK. List them: string agent capability list")
        })
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{CAPABILITY}{}", self.0)
    }
}

impl Verb {
    pub const ALL: [Self; 4] = [Self::Get, Self::Head, Self::Put, Self::Delete];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::Head => "head",
            Self::Put => "put",
            Self::Delete => "delete",
        }
    }

    fn parse(text: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|verb| verb.as_str() == text).ok_or_else(|| {
            let near = nearest(text, Self::ALL.map(Self::as_str)).map(|verb| format!("Did you mean {verb}?"));
            Error::new(Code::InvalidParams, format!("Not a verb: {}", quoted(text)))
                .hints(near)
                .hint("Verbs are get, head, put and delete; get includes head.")
        })
    }
}

impl Verbs {
    pub fn parse<'a>(words: impl IntoIterator<Item = &'a str>) -> Result<Self> {
        let mut verbs = words.into_iter().map(Verb::parse).collect::<Result<Vec<_>>>()?;
        verbs.sort_unstable();
        verbs.dedup();
        if verbs.is_empty() {
            return Err(Error::new(Code::InvalidParams, "A capability needs a verb.")
                .hint("Verbs are get, head, put and delete; get includes head."));
        }
        Ok(Self(verbs))
    }

    pub fn allow(&self, verb: Verb) -> bool {
        self.0.contains(&verb) || (verb == Verb::Head && self.0.contains(&Verb::Get))
    }

    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.0.iter().map(|verb| verb.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbs_are_known_words_in_one_order() {
        let names = |text: &str| Verbs::parse(text.split(',')).map(|verbs| verbs.names().collect::<Vec<_>>());
        assert_eq!(names("put,get,put").unwrap(), ["get", "put"]);
        assert!(names("gte").unwrap_err().to_string().contains("Did you mean get?"));
        for wrong in ["", "GET", "get,", "get put"] {
            assert!(names(wrong).is_err(), "{wrong}");
        }
        assert!(Verbs::parse([]).is_err());
    }

    #[test]
    fn get_includes_head_and_nothing_else_includes_anything() {
        for (granted, allowed) in
            [("get", "get,head"), ("head", "head"), ("put", "put"), ("delete", "delete")]
        {
            let verbs = Verbs::parse([granted]).unwrap();
            for verb in Verb::ALL {
                assert_eq!(verbs.allow(verb), allowed.split(',').any(|name| name == verb.as_str()));
            }
        }
    }

    #[test]
    fn ids_are_read_as_they_are_written() {
        let id = Id(Ulid::generate());
        assert_eq!(Id::parse(&id.to_string()).unwrap(), id);
        for wrong in ["", "cap_", "cap_x", &id.to_string().to_lowercase(), &format!("{id}0")] {
            assert!(Id::parse(wrong).is_err(), "{wrong}");
        }
    }
}
