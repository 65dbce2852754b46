//! `/back` and `/refresh`: the previous document, and the current one again.

use super::{Context, open};
use crate::document::{Extent, Library};
use crate::error::{Code, Error, Result};

pub async fn back(mut context: Context<'_>) -> Result<String> {
    let Some(previous) = context.state.history.last().cloned() else {
        return Err(Error::new(Code::NoHistory, "This is the first document of this topic."));
    };
    let page = Library { workspace: &context.agent.workspace }.reopen(&previous).await?;
    let (reply, effects) = open::entering("Back to", &page, Extent::Start, &mut context).await?;
    context.state.history.pop();
    context.state.replace(page);
    effects.apply(context.state);
    Ok(reply)
}

pub async fn refresh(mut context: Context<'_>) -> Result<String> {
    let location = context.state.page.as_ref().ok_or_else(open::no_document)?.location.clone();
    let page = Library { workspace: &context.agent.workspace }.reopen(&location).await?;
    let (reply, effects) = open::entering("Refreshed", &page, Extent::Start, &mut context).await?;
    context.state.replace(page);
    effects.apply(context.state);
    Ok(reply)
}
