//! What a command finds around it: the `$NAME` files, the current document, the directory it starts from.

use super::{Context, exec};
use crate::blocking;
use crate::document::{Bases, Page, Source};
use crate::error::Result;
use crate::substitute::Mark;
use crate::variable::{self, Change, Persistent, Scope, Surroundings};

/// The `$NAME` values that a scope sees, read off the async threads: a disk may be slow.
pub async fn persistent(context: &Context<'_>, scope: &Scope) -> Result<Persistent> {
    let (home, scope) = (context.agent.workspace.home().to_owned(), scope.clone());
    blocking::run(move || variable::read(&home, &scope)).await
}

/// Changes the file of a scope.
pub async fn change(context: &Context<'_>, scope: &Scope, changes: Vec<Change>) -> Result<()> {
    variable::change(context.agent.workspace.home(), scope, changes).await
}

/// Where the session stands with a page as its document, for `$CURRENT_FILE` and its kin.
pub fn of(context: &Context<'_>, page: Option<&Page>) -> Surroundings {
    let workspace = &context.agent.workspace;
    let home = workspace.home().to_owned();
    let open = page.and_then(|page| page.location.source.directory()).or(context.state.directory.as_deref());
    let directory = exec::work_directory(&context.session.topic, &home)
        .unwrap_or_else(|| open.unwrap_or(&home).to_owned());
    let text = |text: Option<String>| text.unwrap_or_default();
    Surroundings {
        file: text(page.and_then(|page| file_of(&page.location.source))),
        uri: text(page.map(|page| page.location.source.display(workspace))),
        target: text(page.map(|page| page.location.display(workspace))),
        block: text(page.and_then(|page| page.location.block.clone())),
        app_directory: directory.clone(),
        work_directory: directory.clone(),
        directory,
        home,
        words: Vec::new(),
        words_mark: Mark::default(),
    }
}

/// Where relative paths in arguments start.
pub fn bases<'a>(context: &'a Context<'_>, page: Option<&'a Page>) -> Bases<'a> {
    Bases {
        workspace: &context.agent.workspace,
        page: page.map(|page| &page.location.source),
        directory: context.state.directory.as_deref(),
        caller: context.caller.cwd.as_deref(),
    }
}

fn file_of(source: &Source) -> Option<String> {
    match source {
        Source::File(path) | Source::Directory(path) => Some(path.display().to_string()),
        // There is no file that holds what the page shows.
        Source::Version { .. } | Source::Web(_) => None,
    }
}
