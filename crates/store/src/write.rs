//! A write that happens as a whole or not at all.

use std::fmt;

use crate::{Key, Space, Timestamp, Version};

/// Checks, then changes in the order given, over any number of spaces.
#[derive(Clone, Debug, Default)]
pub struct AtomicWrite {
    pub checks: Vec<Check>,
    pub changes: Vec<Change>,
}

impl AtomicWrite {
    pub fn new() -> Self {
        Self::default()
    }

    /// Lets the write take place only if the entry is as expected.
    pub fn check(mut self, space: &Space, key: &Key, expect: Expect) -> Self {
        self.checks.push(Check { space: space.clone(), key: key.clone(), expect });
        self
    }

    /// Stores a value, with the expiry given and none that was there before.
    pub fn put(
        mut self,
        space: &Space,
        key: &Key,
        value: impl Into<Vec<u8>>,
        expires_at: Option<Timestamp>,
    ) -> Self {
        let (space, key, value) = (space.clone(), key.clone(), value.into());
        self.changes.push(Change::Put { space, key, value, expires_at });
        self
    }

    /// Removes an entry; one that does not exist is no error.
    pub fn delete(mut self, space: &Space, key: &Key) -> Self {
        self.changes.push(Change::Delete { space: space.clone(), key: key.clone() });
        self
    }
}

/// One change of an [`AtomicWrite`].
#[derive(Clone, Debug)]
pub enum Change {
    Put { space: Space, key: Key, value: Vec<u8>, expires_at: Option<Timestamp> },
    Delete { space: Space, key: Key },
}

/// What must hold for an [`AtomicWrite`] to take place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    pub space: Space,
    pub key: Key,
    pub expect: Expect,
}

impl Check {
    /// Compares with the version found, or with nothing found.
    pub(crate) fn against(&self, found: Option<Version>) -> Result<(), Conflict> {
        let expected = match self.expect {
            Expect::Absent => None,
            Expect::Version(version) => Some(version),
        };
        if found == expected { Ok(()) } else { Err(Conflict { check: self.clone(), found }) }
    }
}

/// How an entry is expected to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expect {
    Absent,
    Version(Version),
}

impl Expect {
    /// Whatever was read before: for a write that must not overtake another.
    pub fn unchanged(version: Option<Version>) -> Self {
        version.map_or(Self::Absent, Self::Version)
    }
}

/// The first check that did not hold, and what was there instead. Nothing was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    pub check: Check,
    /// The version that the entry has; none if there is no such entry.
    pub found: Option<Version>,
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Check { space, key, expect } = &self.check;
        match expect {
            Expect::Absent => write!(f, "{space} {key} should not exist")?,
            Expect::Version(version) => write!(f, "{space} {key} should have version {version}")?,
        }
        match self.found {
            Some(version) => write!(f, " but has version {version}"),
            None => write!(f, " but does not exist"),
        }
    }
}
