//! A path as written may mean several files: the first that is there, and what is near where none is.

use std::path::PathBuf;

use super::flags;
use crate::command::neighbour;
use crate::document::{Candidates, Library, Opened, Reading, Source, typed};
use crate::edit::LineRange;
use crate::error::{Code, Result};

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
    let text = literal.to_string_lossy();
    let exists = |path: &str| library.workspace.find(path.as_ref()).is_ok();
    if let Some((_, flag)) = text.split_once(" --").filter(|(path, _)| exists(path.trim_end())) {
        return Err(flags::unknown(&format!("--{}", flag.split_whitespace().next().unwrap_or_default())));
    }
    if let Some((path, lines)) = LineRange::split(&text).filter(|(path, _)| exists(path)) {
        let shown = library.workspace.display(path.as_ref());
        return Err(missing.hint(format!(
            "From that line on: /open {} --from L{}",
            typed(&shown),
            lines.first
        )));
    }
    // A version that is missing has said what there is.
    let near = missing.hints.is_empty().then(|| neighbour::hint(&literal, library.workspace)).flatten();
    Err(missing.hints(near))
}
