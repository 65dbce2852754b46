//! A path as written may mean several files: the first that is there, and what is near where none is.

use std::path::{Path, PathBuf};

use crate::command::neighbour;
use crate::document::{Candidates, Library, Opened, Reading, Source, typed};
use crate::error::{Code, Result};

/// The path whose name itself holds what was taken for a block: `C#.md`.
pub(super) fn named_with_sign(path: &Path, block: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!("#{block}"));
    name.into()
}

/// The first reading of a path that exists, and that path.
pub(super) async fn find(candidates: Candidates, library: Library<'_>) -> Result<(Opened, PathBuf)> {
    let Candidates { literal, decoded, beside } = candidates;
    let missing = match library.open(&Source::File(literal.clone()), Reading::Main).await {
        Err(error) if error.code == Code::NotFound => error,
        other => return other.map(|opened| (opened, literal)),
    };
    if let Some(decoded) = decoded {
        match library.open(&Source::File(decoded.clone()), Reading::Main).await {
            Err(error) if error.code == Code::NotFound => {}
            other => return other.map(|opened| (opened, decoded)),
        }
    }
    // Only what could be opened is hinted at: a link must not tell whether its target exists.
    let neighbour = beside.filter(|beside| library.workspace.find(&beside.path).is_ok());
    if let Some(beside) = neighbour {
        let hint = format!("It exists beside the current document: /open {}", typed(&beside.target));
        return Err(missing.hint(hint));
    }
    // A version that is missing has said what there is.
    let near = missing.hints.is_empty().then(|| neighbour::hint(&literal, library.workspace)).flatten();
    Err(missing.hints(near))
}
