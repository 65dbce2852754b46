//! `/back`: the previous document of this topic.

use super::{Context, open};
use crate::error::{Code, Error, Result};

pub async fn run(context: Context<'_>) -> Result<String> {
    let Context { agent, state, .. } = context;
    let Some(previous) = state.history.last().cloned() else {
        return Err(Error::new(Code::NoHistory, "This is the first document of this topic."));
    };
    let mut page = open::load(previous.source.path().to_owned(), agent.workspace.clone()).await?;
    page.location.block = previous.block;
    let reply = open::shown("Back to", &page, &agent.workspace)?;
    state.history.pop();
    state.has_read(&page);
    state.page = Some(Box::new(page));
    Ok(reply)
}
