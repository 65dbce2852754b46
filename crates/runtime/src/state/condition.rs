//! `if_revision`, and revisions as scripts see them.

use serde::{Deserialize, Deserializer};
use store::{Entry, Expect, Version};

/// What must hold for a write to take place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Condition {
    /// The field was absent.
    #[default]
    Always,
    /// `null`: the key must not exist.
    Absent,
    /// The entry must have exactly this revision. One that was never given out matches nothing.
    Revision(Option<Version>),
}

impl Condition {
    /// The condition for a revision as it was given out; an empty one is a mistake.
    pub fn revision(text: &str) -> Result<Self, &'static str> {
        match text {
            "" => Err("if_revision is empty: leave it out, or give null or a revision"),
            text => Ok(Self::Revision(version(text))),
        }
    }

    pub fn holds(&self, found: Option<&Entry>) -> bool {
        match self {
            Self::Always => true,
            Self::Absent => found.is_none(),
            Self::Revision(version) => version.is_some() && found.map(|entry| entry.version) == *version,
        }
    }

    /// The same for the store, which checks it in the moment of the write.
    pub fn expect(&self) -> Option<Expect> {
        match self {
            Self::Always => None,
            Self::Absent => Some(Expect::Absent),
            Self::Revision(version) => version.map(Expect::Version),
        }
    }
}

/// For a field that is present; an absent one is the default.
impl<'de> Deserialize<'de> for Condition {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Option::<String>::deserialize(deserializer)? {
            None => Ok(Self::Absent),
            Some(text) => Self::revision(&text).map_err(serde::de::Error::custom),
        }
    }
}

/// The revision of a version: opaque to scripts.
pub fn revision(version: Version) -> String {
    format!("r{version}")
}

fn version(revision: &str) -> Option<Version> {
    let number: u64 = revision.strip_prefix('r')?.parse().ok()?;
    // Only the very text that was given out: `r007` is not `r7`.
    Some(Version::from_number(number)).filter(|version| self::revision(*version) == revision)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_revision_comes_back_and_nothing_else_is_one() {
        let known = Version::from_number(42);
        assert_eq!(version(&revision(known)), Some(known));
        for text in ["", "42", "r", "r042", "r+42", "R42", "r42 ", "nope", "r99999999999999999999999"] {
            assert_eq!(version(text), None, "{text}");
        }
    }
}
