//! The environment of what is started: the caller's base, and what keeps programs from asking.

use std::collections::BTreeMap;
use std::ffi::OsString;

/// Makes pagers print, and editors and credential prompts give up, where
/// they would wait for somebody who is not there.
pub const QUIET: &[(&str, &str)] = &[
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("MANPAGER", "cat"),
    ("GIT_EDITOR", "true"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("DEBIAN_FRONTEND", "noninteractive"),
];

/// The variables a process gets; nothing is inherited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Environment {
    variables: BTreeMap<OsString, OsString>,
}

impl Environment {
    /// With the [`QUIET`] variables.
    pub fn new() -> Self {
        let variables = QUIET.iter().map(|(name, value)| (name.into(), value.into())).collect();
        Self { variables }
    }

    /// Sets a variable.
    #[must_use]
    pub fn with(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.variables.insert(name.into(), value.into());
        self
    }

    /// Sorted by name.
    pub fn variables(&self) -> Vec<(OsString, OsString)> {
        self.variables.iter().map(|(name, value)| (name.clone(), value.clone())).collect()
    }
}

impl Default for Environment {
    fn default() -> Self {
        Self::new()
    }
}
