//! Pages of edited files: loaded anew before the next command of a topic that shows one.

use std::path::Path;
use std::sync::Arc;

use crate::apart::apart;
use crate::command::Context;
use crate::command::ground::Ground;
use crate::document::{Page, Visit};
use crate::error::Result;

/// How many files are told apart; after more, any page counts as edited.
const FILES_MAX: usize = 16;

/// Files that were edited since a session last looked.
#[derive(Debug, Default)]
pub struct Edits {
    files: Vec<Arc<Path>>,
    /// More than can be told apart.
    many: bool,
}

impl Edits {
    pub fn add(&mut self, path: &Arc<Path>) {
        if self.many || self.files.contains(path) {
            return;
        }
        if self.files.len() == FILES_MAX {
            self.add_all();
        } else {
            self.files.push(Arc::clone(path));
        }
    }

    /// Any page counts as edited.
    pub fn add_all(&mut self) {
        *self = Self { files: Vec::new(), many: true };
    }

    fn concern(&self, page: &Page) -> bool {
        self.many || self.files.iter().any(|path| page.shows(path))
    }
}

/// Loads the page of a topic again, if a file that it shows was edited. What cannot be loaded stays, with a warning.
///
/// The agent has not seen the new content, so this does not count as reading it.
pub async fn reload_if_edited(context: &mut Context<'_>) {
    let edits = context.session.take_edits();
    let Some(page) = context.state.page.as_ref().filter(|page| edits.concern(page)) else { return };
    let visit = page.visit();
    if visit.location.source.directory().is_none() {
        return;
    }
    match apart(|| reload(&visit, context)).await {
        Ok(page) => context.state.renew(page),
        Err(error) => {
            let shown = visit.location.source.display(&context.agent.workspace);
            let warning = format!("{shown} was edited and could not be loaded again: {}", error.message);
            context.state.reload_failure = Some(warning.into());
        }
    }
}

/// The page as it is now, on the ground of its topic; without its block, if that is gone.
async fn reload(visit: &Visit, context: &Context<'_>) -> Result<Box<Page>> {
    let ground = Ground::of(context)?;
    let mut page = ground.library(context).reopen(visit).await?;
    ground.label(&mut page);
    page.leave_missing_part();
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_so_many_files_are_told_apart() {
        let mut edits = Edits::default();
        let path = |n: usize| Arc::from(Path::new(&format!("/{n}")));
        for n in 0..FILES_MAX {
            edits.add(&path(n));
            edits.add(&path(0));
        }
        assert_eq!((edits.files.len(), edits.many), (FILES_MAX, false));
        edits.add(&path(FILES_MAX));
        edits.add(&path(0));
        assert_eq!((edits.files.len(), edits.many), (0, true));
    }
}
