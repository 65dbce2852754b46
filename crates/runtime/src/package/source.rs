//! What follows `/install`: where a package comes from.

use std::path::PathBuf;

use url::Url;

use super::GitHub;
use crate::document::{Bases, Target};
use crate::error::{Code, Error, Result, quoted};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A file or a folder.
    Path(PathBuf),
    Web(Url),
    GitHub(GitHub),
    /// The document that is open.
    Current,
}

impl Source {
    pub fn parse(text: &str, bases: Bases<'_>) -> Result<Self> {
        if text.is_empty() {
            return Ok(Self::Current);
        }
        if let Some(rest) = text.strip_prefix("github:") {
            return GitHub::parse(rest).map(Self::GitHub).ok_or_else(|| {
                Error::new(Code::InvalidParams, format!("Not a repository: {}", quoted(text))).hint(
                    "The form is github:owner/repo[/path][@ref], such as github:ada/notes/apps/weather@v1.2.",
                )
            });
        }
        match Target::parse(text, bases) {
            Ok(Target::Path { candidates, .. }) => Ok(Self::Path(candidates.literal)),
            Ok(Target::Web { url, .. }) => Ok(Self::Web(url)),
            _ => Err(Error::new(Code::InvalidParams, format!("Nothing to install: {}", quoted(text)))
                .hint("Usage: /install [--app|--tool] [--as NAME] [--link] [--force] [SOURCE]")),
        }
    }
}
