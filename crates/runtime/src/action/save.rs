//! Files that a response template writes: only where the agent itself could, and only for local documents. A name that
//! an answer chose replaces a file only if the topic has seen what is in it.

use std::path::PathBuf;
use std::sync::Arc;

use super::Trust;
use crate::agent::workspace::Place;
use crate::blocking;
use crate::document::{Bases, DOCUMENT_MAX, Target};
use crate::edit::{self, Digest, Overwrite, Seen, Undo};
use crate::error::{Code, Error, Result, quoted};
use crate::session::State;
use crate::template::{Evaluated, Save};

/// The largest file that is replaced: no answer is larger.
const REPLACED_MAX: u64 = 16 * 1024 * 1024;

/// What a topic knows of the files that were saved.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Saved {
    known: Vec<(PathBuf, Digest)>,
    /// One for each file that was written, if `/undo` can take it back.
    undos: Vec<Option<Undo>>,
}

impl Saved {
    pub fn apply(self, state: &mut State) {
        for (path, digest) in self.known {
            Arc::make_mut(&mut state.seen).remember(path, digest);
        }
        // What was edited before is not the last edit any more. Of several files, none is taken back alone.
        if !self.undos.is_empty() {
            let only = <[_; 1]>::try_from(self.undos).ok();
            state.undo = only.and_then(|[undo]| undo).map(Arc::new);
        }
    }
}

/// Writes what a template asked for, and gives the error of the first file that could not be written.
pub async fn all(
    evaluated: &mut Evaluated,
    trust: &Trust,
    bases: Bases<'_>,
    mut seen: Arc<Seen>,
    saved: &mut Saved,
) -> Result<()> {
    let mut failed = None;
    for save in std::mem::take(&mut evaluated.saves) {
        let wanted = quoted(&save.path);
        let overwrite = save.overwrite;
        match one(save, trust, bases, &seen).await {
            Ok(Written { shown, real, digest, undo }) => {
                // What the same template has saved before, the topic knows already.
                Arc::make_mut(&mut seen).remember(real.clone(), digest);
                saved.known.push((real, digest));
                saved.undos.extend(undo);
                evaluated.saves.push(Save { path: shown, overwrite, content: Ok(Vec::new()) });
            }
            Err(error) => {
                evaluated.warnings.push(format!("not saved: {}", error.message));
                let message = format!("Not saved to {wanted}: {}", error.message);
                failed.get_or_insert(Error { message, ..error });
            }
        }
    }
    let made = "The call was made: {Response} has its answer.";
    failed.map_or(Ok(()), |error| Err(error.hint(made)))
}

/// A file that holds what was to be saved.
struct Written {
    shown: String,
    /// With all links resolved.
    real: PathBuf,
    digest: Digest,
    /// None if the file was so already.
    undo: Option<Option<Undo>>,
}

async fn one(save: Save, trust: &Trust, bases: Bases<'_>, seen: &Arc<Seen>) -> Result<Written> {
    trust.require_local("write files")?;
    let content = save.content?;
    let Ok(Target::Path { candidates, block: None }) = Target::parse(&save.path, bases) else {
        return Err(Error::new(Code::InvalidPath, format!("Not a file: {}", quoted(&save.path))));
    };
    let (workspace, seen) = (bases.workspace.clone(), Arc::clone(seen));
    blocking::run(move || {
        let place = workspace.place(&candidates.literal)?;
        let found = place.open()?.map(|found| found.read(REPLACED_MAX));
        let before = found.transpose().map_err(|error| {
            Error::new(Code::LoadError, format!("{} could not be read: {error}", place.shown()))
        })?;
        let is_there = before.as_ref() == Some(&content);
        if let Some(before) = before.as_deref().filter(|_| !is_there && save.overwrite == Overwrite::IfSeen) {
            check(before, &place, &seen)?;
        }
        if !is_there {
            place.write(before.as_deref(), &content)?;
        }
        let is_text = is_text(&content) && before.as_deref().is_none_or(is_text);
        let undo = || is_text.then(|| Undo::of(candidates.literal, before.as_deref(), &content));
        let undo = (!is_there).then(undo);
        let (shown, real) = (place.shown().to_owned(), place.path());
        Ok(Written { shown, real, digest: Digest::of(&content), undo })
    })
    .await
}

fn check(before: &[u8], place: &Place, seen: &Seen) -> Result<()> {
    let known = seen.get(&place.path());
    edit::check(known, Digest::of(before), place.shown()).map_err(|error| {
        error.hint("An answer chose this name: a file that this topic has not read does not give way to it.")
    })
}

/// Whether an edit could have made it, which is what `/undo` takes back.
fn is_text(content: &[u8]) -> bool {
    content.len() as u64 <= DOCUMENT_MAX && std::str::from_utf8(content).is_ok()
}
