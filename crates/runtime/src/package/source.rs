//! What follows `/install`: where a package comes from.

use std::path::PathBuf;

use serde::Deserialize;
use url::Url;

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

/// `github:owner/repo[/path][@ref]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitHub {
    pub owner: String,
    pub repo: String,
    /// Without slashes at its ends; empty for the whole repository.
    pub path: String,
    /// A branch, tag or commit; `HEAD` when none is named.
    pub reference: String,
}

impl Source {
    pub fn parse(text: &str, bases: Bases<'_>) -> Result<Self> {
        if text.is_empty() {
            return Ok(Self::Current);
        }
        if let Some(rest) = text.strip_prefix("github:") {
            return GitHub::parse(rest).map(Self::GitHub).ok_or_else(|| {
                Error::new(Code::InvalidParams, format!("Not a repository: {}", quoted(text)))
                    .hint("The form is github:owner/repo[/path][@ref].")
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

impl GitHub {
    pub fn parse(text: &str) -> Option<Self> {
        let (text, reference) = text.rsplit_once('@').unwrap_or((text, "HEAD"));
        let mut parts = text.splitn(3, '/');
        let (owner, repo, path) = (parts.next()?, parts.next()?, parts.next().unwrap_or_default());
        let word = |text: &str| {
            !text.is_empty()
                && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
        };
        let plain = |text: &str| !text.contains("..") && text.split('/').all(word);
        let path = path.trim_matches('/');
        let well_formed = word(owner) && word(repo) && (path.is_empty() || plain(path)) && plain(reference);
        well_formed.then(|| Self {
            owner: owner.to_owned(),
            repo: repo.to_owned(),
            path: path.to_owned(),
            reference: reference.to_owned(),
        })
    }

    /// Where the list of all files of the repository is served.
    pub fn tree_url(&self) -> String {
        let Self { owner, repo, reference, .. } = self;
        format!("https://api.github.com/repos/{owner}/{repo}/git/trees/{reference}?recursive=1")
    }

    /// The files below the path, relative to it, from that list.
    pub fn files(&self, tree: &str) -> Result<Vec<String>> {
        let tree: Tree = serde_json::from_str(tree).map_err(|error| {
            Error::new(Code::InvalidPackage, format!("The list of files is damaged: {error}"))
        })?;
        let prefix = if self.path.is_empty() { String::new() } else { format!("{}/", self.path) };
        let files = tree.tree.into_iter().filter(|entry| entry.kind == "blob");
        // What begins with a dot belongs to the repository, not to the package.
        let visible = |path: &String| path.split('/').all(|part| !part.starts_with('.'));
        Ok(files
            .filter_map(|entry| Some(entry.path.strip_prefix(&prefix)?.to_owned()))
            .filter(visible)
            .collect())
    }

    /// Where a file of the repository is served as it is.
    pub fn raw_url(&self, file: &str) -> String {
        let Self { owner, repo, path, reference } = self;
        let path = if path.is_empty() { String::new() } else { format!("{path}/") };
        format!("https://raw.githubusercontent.com/{owner}/{repo}/{reference}/{path}{file}")
    }
}

/// A list of files, as the repository's host serves it.
#[derive(Debug, Deserialize)]
struct Tree {
    tree: Vec<TreeEntry>,
}

#[derive(Debug, Deserialize)]
struct TreeEntry {
    path: String,
    #[serde(rename = "type")]
    kind: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repositories_are_named_by_owner_repo_path_and_reference() {
        let table = [
            ("o/r", Some("https://raw.githubusercontent.com/o/r/HEAD/string.md")),
            ("o/r/apps/x", Some("https://raw.githubusercontent.com/o/r/HEAD/apps/x/string.md")),
            ("o/r/x@v1.2", Some("https://raw.githubusercontent.com/o/r/v1.2/x/string.md")),
            ("o", None),
            ("o/", None),
            ("o/r/../x", None),
            ("o/r/x y", None),
            ("o/r@", None),
            ("o/r?x", None),
        ];
        for (text, expected) in table {
            let found = GitHub::parse(text).map(|repository| repository.raw_url("string.md"));
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }
    #[test]
    fn files_of_a_repository_are_those_below_its_path() {
        let tree = r#"{"tree":[{"path":"README.md","type":"blob"},{"path":"apps/x","type":"tree"},
            {"path":"apps/x/string.md","type":"blob"},{"path":"apps/x/nav/main.md","type":"blob"},{"path":"apps/x/.ci/run","type":"blob"}]}"#;
        let repository = GitHub::parse("o/r/apps/x").unwrap();
        assert_eq!(repository.files(tree).unwrap(), ["string.md", "nav/main.md"]);
        assert_eq!(GitHub::parse("o/r").unwrap().files(tree).unwrap().len(), 3);
        assert_eq!(repository.files("[]").unwrap_err().code, Code::InvalidPackage);
    }
}
