//! Pages of edited files: loaded anew before the next command of a topic that shows one.

use crate::agent::Workspace;
use crate::blocking;
use crate::document::{self, Source};
use crate::session::{Session, State};

/// Loads the page of a topic again, if its file was edited. What cannot be loaded stays, with a warning.
///
/// The agent has not seen the new content, so this does not count as reading it.
pub async fn reload_if_edited(session: &Session, state: &mut State, workspace: &Workspace) {
    if !session.take_edited() {
        return;
    }
    let Some(location) = state.page.as_ref().map(|page| page.location.clone()) else { return };
    let Source::File(path) = location.source else { return };
    let shown = workspace.display(&path);
    let workspace = workspace.clone();
    match blocking::run(move || document::load(&path, &workspace)).await {
        Ok(mut page) => {
            page.location.block = location.block.filter(|block| page.view_of(Some(block)).is_ok());
            state.page = Some(Box::new(page));
            state.reload_failure = None;
        }
        Err(error) => {
            let warning = format!("{shown} was edited and could not be loaded again: {}", error.message);
            state.reload_failure = Some(warning.into());
        }
    }
}
