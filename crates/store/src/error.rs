//! What can go wrong in a store.

use std::io;
use std::path::{Path, PathBuf};

pub type Result<T> = std::result::Result<T, Error>;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file was left as it is.
    #[error("{} is damaged: {detail}", path.display())]
    Corrupt { path: PathBuf, detail: String },

    #[error("{} is a database of another program", path.display())]
    Foreign { path: PathBuf },

    #[error("{} has format {found}, and this version reads formats up to {known}", path.display())]
    Newer { path: PathBuf, found: u32, known: u32 },

    /// The write did not take place; earlier ones are kept, and later ones work once there is room.
    #[error("no room left to write {}", path.display())]
    Full { path: PathBuf },

    /// What is written would be gone with the file that nobody finds any more.
    #[error("{} was removed or replaced while it was in use", path.display())]
    Replaced { path: PathBuf },

    #[error("{} exists already", path.display())]
    Exists { path: PathBuf },

    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },

    #[error("{}: {source}", path.display())]
    Database { path: PathBuf, source: Box<dyn std::error::Error + Send + Sync> },

    #[error("a store in memory has no {what}")]
    InMemory { what: &'static str },

    #[error("the store is closed")]
    Closed,
}

impl Error {
    /// What a person can do about it.
    pub fn way_out(&self) -> Option<&'static str> {
        match self {
            Self::Corrupt { .. } => Some(
                "The file was left as it is. Put a backup in its place, or move it away to begin with an empty store.",
            ),
            Self::Foreign { .. } => Some("Move it away, and a new one is created."),
            Self::Newer { .. } => Some("Install the version that wrote it, or a later one."),
            Self::Replaced { .. } => Some(
                "Nothing is written any more. Stop the daemon (string --daemon stop), and put a backup in its place.",
            ),
            Self::Full { .. } => Some("Nothing that was stored is lost. Make room on that disk."),
            _ => None,
        }
    }

    pub(crate) fn io(path: &Path, source: io::Error) -> Self {
        Self::Io { path: path.to_owned(), source }
    }
}
