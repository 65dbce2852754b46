//! Files that a response template writes: only where the agent itself could, and only for local documents.

use super::Trust;
use crate::blocking;
use crate::document::{Bases, Target};
use crate::error::{Code, Error, Result, quoted};
use crate::template::{Evaluated, Save};

/// The largest file that is replaced: no answer is larger.
const REPLACED_MAX: u64 = 16 * 1024 * 1024;

/// Writes what a template asked for, and gives the error of the first file that could not be written.
pub async fn all(evaluated: &mut Evaluated, trust: &Trust, bases: Bases<'_>) -> Result<()> {
    let mut failed = None;
    for save in std::mem::take(&mut evaluated.saves) {
        let wanted = quoted(&save.path);
        match one(save, trust, bases).await {
            Ok(path) => evaluated.saves.push(Save { path, content: Ok(Vec::new()) }),
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

/// Writes one file, and gives the path as it is shown.
async fn one(save: Save, trust: &Trust, bases: Bases<'_>) -> Result<String> {
    trust.require_local("write files")?;
    let content = save.content?;
    let Ok(Target::Path { candidates, block: None }) = Target::parse(&save.path, bases) else {
        return Err(Error::new(Code::InvalidPath, format!("Not a file: {}", quoted(&save.path))));
    };
    let workspace = bases.workspace.clone();
    blocking::run(move || {
        let place = workspace.place(&candidates.literal)?;
        let found = place.open()?.map(|found| found.read(REPLACED_MAX));
        let before = found.transpose().map_err(|error| {
            Error::new(Code::LoadError, format!("{} could not be read: {error}", place.shown()))
        })?;
        place.write(before.as_deref(), &content)?;
        Ok(place.shown().to_owned())
    })
    .await
}
