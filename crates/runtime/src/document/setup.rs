//! The setup page of a document: where its reader learns what it needs before it works.

use sfmd::{DirectiveKind, Document};

use super::quote::typed;
use super::{Library, Location, Source};
use crate::agent::workspace::FoundKind;
use crate::blocking;

/// The file that is the setup page of its neighbours, without being named by them.
const SIBLING: &str = "requirements.md";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setup {
    /// What `/open` takes.
    pub target: String,
    pub named: Named,
}

/// How it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Named {
    /// `[!requirements](path)`.
    ByThePage,
    /// A `requirements.md` beside a page that requires something.
    ByItsName,
}

impl Setup {
    /// The page that a document names.
    pub fn named(base: &Source, document: &Document, library: &Library<'_>) -> Option<Self> {
        let path = document.directives.iter().find_map(|directive| match &directive.kind {
            DirectiveKind::Requirements { path } => Some(path),
            _ => None,
        })?;
        let (path, block) = match path.split_once('#') {
            Some((path, block)) => (path, Some(block.to_owned())),
            None => (path.as_str(), None),
        };
        let source = if path.is_empty() { base.clone() } else { base.join(path, library.workspace).ok()? };
        let target = Location { source, block }.display(library.workspace);
        Some(Self { target: typed(&target).into_owned(), named: Named::ByThePage })
    }

    /// The page beside a local document.
    pub async fn beside(source: &Source, library: &Library<'_>) -> Option<Self> {
        let Source::File(file) = source else { return None };
        let sibling = file.with_file_name(SIBLING);
        if sibling == *file {
            return None;
        }
        let target = typed(&library.workspace.display(&sibling)).into_owned();
        let workspace = library.workspace.clone();
        let found = blocking::run(move || workspace.find(&sibling)).await.ok()?;
        matches!(found.kind, FoundKind::File { .. }).then_some(Self { target, named: Named::ByItsName })
    }
}
