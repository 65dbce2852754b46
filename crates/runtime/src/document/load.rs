//! Loading: from a source to a parsed document.

use std::path::{Path, PathBuf};

use super::{Page, Source};
use crate::agent::Workspace;
use crate::agent::workspace::{Found, FoundKind, Hidden};
use crate::error::{Code, Error, Result};

/// The largest document, local or not: what is larger is data, not a page.
pub const DOCUMENT_MAX: u64 = 8 * 1024 * 1024;
/// What a directory opens as, in this order.
const INDEXES: [&str; 2] = ["string.md", "index.md"];

/// Loads what a path means: a file, a directory's index, or its listing.
pub fn load(path: &Path, workspace: &Workspace) -> Result<Page> {
    let found = workspace.find(path)?;
    let (source, text) = match found.kind {
        FoundKind::File { .. } => (Source::File(path.to_owned()), read_text(&found, path, workspace)?),
        FoundKind::Directory => match index_of(path, workspace)? {
            Some((index, found)) => {
                let text = read_text(&found, &index, workspace)?;
                (Source::File(index), text)
            }
            None => (Source::Directory(path.to_owned()), listing(&found, path, workspace)?),
        },
    };
    Ok(Page::new(source, &text))
}

fn index_of(dir: &Path, workspace: &Workspace) -> Result<Option<(PathBuf, Found)>> {
    for name in INDEXES {
        let path = dir.join(name);
        match workspace.find(&path) {
            Ok(found) if matches!(found.kind, FoundKind::File { .. }) => return Ok(Some((path, found))),
            Ok(_) => {}
            Err(error) if error.code == Code::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}

fn read_text(found: &Found, path: &Path, workspace: &Workspace) -> Result<String> {
    let shown = workspace.display(path);
    text(read_bytes(found, &shown)?, &shown)
}

/// All of a file that is small enough to be a document.
pub(crate) fn read_bytes(found: &Found, shown: &str) -> Result<Vec<u8>> {
    if let FoundKind::File { size } = found.kind
        && size > DOCUMENT_MAX
    {
        return Err(too_large(shown));
    }
    let failed = |error| Error::new(Code::LoadError, format!("{shown} could not be read: {error}"));
    let bytes = found.read(DOCUMENT_MAX).map_err(failed)?;
    if bytes.len() as u64 > DOCUMENT_MAX {
        return Err(too_large(shown));
    }
    Ok(bytes)
}

pub(crate) fn text(bytes: Vec<u8>, shown: &str) -> Result<String> {
    String::from_utf8(bytes).map_err(|_| not_text(shown))
}

pub(crate) fn not_text(shown: &str) -> Error {
    Error::new(Code::LoadError, format!("{shown} is not text.")).hint("Documents are UTF-8.")
}

fn too_large(shown: &str) -> Error {
    Error::new(Code::LoadError, format!("{shown} is larger than {} MB.", DOCUMENT_MAX / (1024 * 1024)))
}

/// A directory as a document: each name a link.
fn listing(found: &Found, path: &Path, workspace: &Workspace) -> Result<String> {
    let names = found.list(Hidden::LeftOut).map_err(|error| {
        Error::new(Code::LoadError, format!("{} could not be read: {error}", workspace.display(path)))
    })?;
    if names.is_empty() {
        return Ok("(empty)\n".to_owned());
    }
    Ok(names.iter().map(|name| format!("- {name}\n")).collect())
}
