//! What lies near a path that does not exist: the hint that repairs a slip.

use std::path::Path;

use crate::agent::Workspace;
use crate::agent::workspace::Hidden;
use crate::document::typed;
use crate::error::nearest;

/// The name that was probably meant, or else the directory to look into. Only what the agent can open is told.
pub fn hint(path: &Path, workspace: &Workspace) -> Option<String> {
    let name = path.file_name()?.to_string_lossy();
    let folder = path.parent()?;
    let names = workspace.find(folder).ok().and_then(|found| found.list(Hidden::LeftOut).ok());
    let Some(names) = names else {
        let above = folder.ancestors().skip(1).find(|above| workspace.find(above).is_ok())?;
        return look(above, workspace);
    };
    // A document is often called by its name alone.
    let document = Some(format!("{name}.md")).filter(|name| names.contains(name));
    let near = nearest(&name, names.iter().map(|name| name.trim_end_matches('/')));
    let near = document.as_deref().or(near);
    let near = near.map(|near| folder.join(near)).filter(|path| workspace.find(path).is_ok());
    match near {
        Some(path) => Some(format!("Did you mean {}?", workspace.display(&path))),
        None => look(folder, workspace),
    }
}

fn look(folder: &Path, workspace: &Workspace) -> Option<String> {
    // The top of a package has no name.
    let shown = Some(workspace.display(folder)).filter(|shown| !shown.is_empty());
    shown.map(|shown| format!("Look around: /ls {}", typed(&shown)))
}
