//! Which secrets are there, as the caller's process sees them: what appears after a shell was started is hidden
//! before its next command.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::time::SystemTime;

use super::{Boundary, Secrets};

/// The secrets of a boundary at the last look.
#[derive(Debug)]
pub(crate) struct Present {
    paths: Vec<PathBuf>,
    seen: Look,
}

/// What is at each path. The time of its making tells a file from the next one with the same number.
pub(crate) type Look = Vec<Option<(u64, u64, Option<SystemTime>)>>;

impl Present {
    pub(crate) fn new(boundary: &Boundary) -> Self {
        let paths = match boundary.secrets {
            Secrets::Hidden => boundary.hidden().into_iter().map(|secret| secret.path).collect(),
            Secrets::Readable => Vec::new(),
        };
        let seen = look(&paths);
        Self { paths, seen }
    }

    /// What there is now, if something is there that was not at the last look.
    pub(crate) fn news(&self) -> Option<Look> {
        let now = look(&self.paths);
        let appeared = now.iter().zip(&self.seen).any(|(now, before)| now.is_some() && now != before);
        appeared.then_some(now)
    }

    /// All of it is hidden.
    pub(crate) fn settle(&mut self, hidden: Look) {
        self.seen = hidden;
    }
}

fn look(paths: &[PathBuf]) -> Look {
    let found = |path: &PathBuf| fs::metadata(path).ok();
    paths
        .iter()
        .map(|path| found(path).map(|found| (found.dev(), found.ino(), found.created().ok())))
        .collect()
}
