//! `/back` and `/refresh`: the previous document, and the current one again.

use super::{Context, open};
use crate::document::{Extent, Library};
use crate::error::{Code, Error, Result};

pub async fn back(context: Context<'_>) -> Result<String> {
    let Context { agent, state, .. } = context;
    let Some(previous) = state.history.last().cloned() else {
        return Err(Error::new(Code::NoHistory, "This is the first document of this topic."));
    };
    let page = Library { workspace: &agent.workspace }.reopen(&previous).await?;
    let reply = open::shown("Back to", &page, Extent::Start, state, &agent.workspace)?;
    state.history.pop();
    state.replace(page);
    Ok(reply)
}

pub async fn refresh(context: Context<'_>) -> Result<String> {
    let Context { agent, state, .. } = context;
    let location = state.page.as_ref().ok_or_else(open::no_document)?.location.clone();
    let page = Library { workspace: &agent.workspace }.reopen(&location).await?;
    let reply = open::shown("Refreshed", &page, Extent::Start, state, &agent.workspace)?;
    state.replace(page);
    Ok(reply)
}
