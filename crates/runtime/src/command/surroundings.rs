//! What a command finds around it: the `$NAME` files, the current document, the directory it starts from.

use super::Context;
use crate::document::{Bases, Source};
use crate::error::Result;
use crate::topic::Topic;
use crate::variable::{self, Change, Persistent, Scope, Surroundings};

/// The `$NAME` values that a scope sees, read off the async threads: a disk may be slow.
pub async fn persistent(context: &Context<'_>, scope: &Scope) -> Result<Persistent> {
    let (home, scope) = (context.agent.workspace.home().to_owned(), scope.clone());
    blocking(move || variable::read(&home, &scope)).await
}

/// Changes the file of a scope.
pub async fn change(context: &Context<'_>, scope: &Scope, changes: Vec<Change>) -> Result<()> {
    let (home, scope) = (context.agent.workspace.home().to_owned(), scope.clone());
    blocking(move || variable::change(&home, &scope, &changes)).await
}

/// Where the session stands, for `$CURRENT_FILE` and its kin.
pub fn of(context: &Context<'_>) -> Surroundings {
    let workspace = &context.agent.workspace;
    let home = workspace.home().to_owned();
    let page = context.state.page.as_deref();
    let directory = page
        .and_then(|page| page.location.source.directory())
        .or(context.state.directory.as_deref())
        .unwrap_or(workspace.home())
        .to_owned();
    let work_directory = match &context.session.topic {
        Topic::App { name, config } => {
            let config = config.as_ref().map(|config| format!(":{config}")).unwrap_or_default();
            home.join(".string/work").join(format!("{name}{config}"))
        }
        _ => directory.clone(),
    };
    let text = |text: Option<String>| text.unwrap_or_default();
    Surroundings {
        file: text(page.and_then(|page| file_of(&page.location.source))),
        uri: text(page.map(|page| page.location.source.display(workspace))),
        target: text(page.map(|page| page.location.display(workspace))),
        block: text(page.and_then(|page| page.location.block.clone())),
        app_directory: directory.clone(),
        directory,
        home,
        work_directory,
        words: Vec::new(),
    }
}

/// Where relative paths in arguments start.
pub fn bases<'a>(context: &'a Context<'_>) -> Bases<'a> {
    Bases {
        workspace: &context.agent.workspace,
        page: context.state.page.as_ref().map(|page| &page.location.source),
        directory: context.state.directory.as_deref(),
        caller: context.caller.cwd.as_deref(),
    }
}

fn file_of(source: &Source) -> Option<String> {
    match source {
        Source::File(path) | Source::Directory(path) => Some(path.display().to_string()),
        Source::Web(_) => None,
    }
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|failed| std::panic::resume_unwind(failed.into_panic()))
}
