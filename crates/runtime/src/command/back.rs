//! `/back` and `/refresh`: the previous document, and the current one again.

use super::ground::Ground;
use super::{Context, open};
use crate::document::Extent;
use crate::error::{Code, Error, Result};

pub async fn back(context: Context<'_>) -> Result<String> {
    let Some(previous) = context.state.history.last().cloned() else {
        return Err(Error::new(Code::NoHistory, "This is the first document of this topic."));
    };
    let ground = Ground::of(&context)?;
    let mut page = ground.library(&context).reopen(&previous).await?;
    ground.label(&mut page);
    let state = context.state;
    let reply = open::shown("Back to", &page, Extent::Start, state, ground.workspace())?;
    state.history.pop();
    state.replace(page);
    Ok(reply)
}

pub async fn refresh(context: Context<'_>) -> Result<String> {
    let ground = Ground::of(&context)?;
    let current = context.state.page.as_ref().ok_or_else(open::no_document)?;
    let fresh = ground.library(&context).refresh(current).await?;
    let state = context.state;
    let mut page = match fresh {
        Some(page) => page,
        // Not changed: the same page is as good as a new one.
        None => state.page.take().ok_or_else(open::no_document)?,
    };
    ground.label(&mut page);
    let reply = open::shown("Refreshed", &page, Extent::Start, state, ground.workspace());
    state.replace(page);
    reply
}
