//! The names that a call brings along: where it happens, and with which words.

use std::path::{Path, PathBuf};

use crate::substitute::{Env, Mark};

/// Names that no file may give another value.
pub const RESERVED: [&str; 9] = [
    "CURRENT_FILE",
    "CWD",
    "CURRENT_URI",
    "CURRENT_TARGET",
    "CURRENT_BLOCK",
    "ARGS",
    "HOME",
    "STRING_APP_DIR",
    "STRING_WORK_DIR",
];

/// Where a command runs. What does not apply is empty: with no document open there is no file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// The caller's document.
    pub file: String,
    pub uri: String,
    /// With its block, as `/open` takes it.
    pub target: String,
    pub block: String,
    /// The directory that relative paths start from.
    pub directory: PathBuf,
    pub home: PathBuf,
    /// The directory of the document that declares the action.
    pub app_directory: PathBuf,
    pub work_directory: PathBuf,
    /// The words of the caller that no field takes.
    pub words: Vec<String>,
    pub words_mark: Mark,
}

impl Surroundings {
    pub fn get(&self, name: &str) -> Option<Env<'_>> {
        Some(match name {
            "CURRENT_FILE" => Env::Plain(&self.file),
            "CURRENT_URI" => Env::Plain(&self.uri),
            "CURRENT_TARGET" => Env::Plain(&self.target),
            "CURRENT_BLOCK" => Env::Plain(&self.block),
            "CWD" => plain(&self.directory),
            "HOME" => plain(&self.home),
            "STRING_APP_DIR" => plain(&self.app_directory),
            "STRING_WORK_DIR" => plain(&self.work_directory),
            "ARGS" => Env::Words(&self.words, self.words_mark),
            _ => return None,
        })
    }
}

/// A path that is no text cannot be put into one.
fn plain(path: &Path) -> Env<'_> {
    Env::Plain(path.to_str().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reserved_name_has_a_meaning() {
        let surroundings = Surroundings::default();
        assert!(RESERVED.iter().all(|name| surroundings.get(name).is_some()));
        assert_eq!(surroundings.get("PATH"), None);
    }
}
