//! Where a document is: its source and, within it, a block.

use std::path::{Path, PathBuf};

use crate::agent::Workspace;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    pub source: Source,
    pub block: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    File(PathBuf),
    /// A directory without an index: its listing is the document.
    Directory(PathBuf),
}

impl Location {
    /// As replies show it: `~/report.md#summary`.
    pub fn display(&self, workspace: &Workspace) -> String {
        let source = self.source.display(workspace);
        match &self.block {
            Some(block) => format!("{source}#{block}"),
            None => source,
        }
    }
}

impl Source {
    pub fn display(&self, workspace: &Workspace) -> String {
        match self {
            Self::File(path) => workspace.display(path),
            Self::Directory(path) => display_directory(path, workspace),
        }
    }

    /// The directory that relative paths start from.
    pub fn directory(&self) -> &Path {
        match self {
            Self::File(path) => path.parent().unwrap_or(path),
            Self::Directory(path) => path,
        }
    }

    pub fn path(&self) -> &Path {
        match self {
            Self::File(path) | Self::Directory(path) => path,
        }
    }
}

/// A directory with its final slash: `~/docs/`.
pub fn display_directory(path: &Path, workspace: &Workspace) -> String {
    let shown = workspace.display(path);
    if shown.ends_with('/') { shown } else { shown + "/" }
}
