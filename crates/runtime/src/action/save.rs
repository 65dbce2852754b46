//! Files that a response template writes: only where the agent itself could, and only for local documents.

use super::Trust;
use crate::agent::Workspace;
use crate::document::{Bases, Target};
use crate::error::{Code, Error, Result, quoted};
use crate::template::{Evaluated, Save};

/// Writes what a template asked for. What cannot be written becomes a warning.
pub async fn all(evaluated: &mut Evaluated, trust: &Trust, bases: Bases<'_>) {
    for save in std::mem::take(&mut evaluated.saves) {
        match one(&save, trust, bases).await {
            Ok(path) => evaluated.saves.push(Save { path, content: Vec::new() }),
            Err(error) => evaluated.warnings.push(format!("not saved: {}", error.message)),
        }
    }
}

/// Writes one file, and gives the path as it is shown.
async fn one(save: &Save, trust: &Trust, bases: Bases<'_>) -> Result<String> {
    trust.require_local("write files")?;
    let Ok(Target::Path { candidates, block: None }) = Target::parse(&save.path, bases) else {
        return Err(Error::new(Code::InvalidPath, format!("Not a file: {}", quoted(&save.path))));
    };
    let (workspace, content) = (bases.workspace.clone(), save.content.clone());
    let written = tokio::task::spawn_blocking(move || write(&workspace, &candidates.literal, &content)).await;
    written.unwrap_or_else(|failed| std::panic::resume_unwind(failed.into_panic()))
}

fn write(workspace: &Workspace, path: &std::path::Path, content: &[u8]) -> Result<String> {
    let shown = workspace.display(path);
    let parent =
        path.parent().ok_or_else(|| Error::new(Code::InvalidPath, format!("Not a file: {shown}")))?;
    workspace.find(parent)?;
    match workspace.find(path) {
        Ok(_) => {}
        Err(error) if error.code == Code::NotFound => {}
        Err(error) => return Err(error),
    }
    crate::files::write_atomic(path, content)
        .map_err(|error| Error::new(Code::LoadError, format!("{shown} could not be written: {error}")))?;
    Ok(shown)
}
