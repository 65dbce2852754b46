//! `/back` and `/refresh`: the previous document, and the current one again.

use super::ground::Ground;
use super::open::Before;
use super::{Context, open};
use crate::document::Extent;
use crate::error::{Code, Error, Result};

pub async fn back(mut context: Context<'_>) -> Result<String> {
    let Some(previous) = context.state.history.last().cloned() else {
        return Err(Error::new(Code::NoHistory, "This is the first document of this topic."));
    };
    let ground = Ground::of(&context)?;
    let library = ground.library(&context);
    let kept = context.state.left.as_deref().filter(|left| left.location == previous);
    let fresh = match kept {
        Some(left) => library.refresh(left).await?,
        None => Some(library.reopen(&previous).await?),
    };
    let mut page = match fresh {
        Some(page) => page,
        // Not changed: what was kept is as good as a new one.
        None => context.state.left.take().ok_or_else(open::no_document)?,
    };
    ground.label(&mut page);
    let before = Before::of(&page, Extent::Start, &context).await;
    let (reply, effects) = open::shown("Back to", &page, before, &ground, &mut context)?;
    context.state.history.pop();
    context.state.replace(page);
    effects.apply(context.state);
    Ok(reply)
}

pub async fn refresh(mut context: Context<'_>) -> Result<String> {
    let ground = Ground::of(&context)?;
    let current = context.state.page.as_ref().ok_or_else(open::no_document)?;
    let fresh = ground.library(&context).refresh(current).await?;
    // Not changed: the same page is as good as a new one.
    let shown = fresh.as_deref().unwrap_or(current);
    let before = Before::of(shown, Extent::Start, &context).await;
    let mut page = match fresh {
        Some(page) => page,
        None => context.state.page.take().ok_or_else(open::no_document)?,
    };
    ground.label(&mut page);
    let reply = open::shown("Refreshed", &page, before, &ground, &mut context);
    context.state.replace(page);
    let (reply, effects) = reply?;
    effects.apply(context.state);
    Ok(reply)
}
