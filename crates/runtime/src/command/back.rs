//! `/back` and `/refresh`: the previous document, and the current one again.

use super::ground::Ground;
use super::open::Before;
use super::{Context, open};
use crate::agent::Workspace;
use crate::document::{Extent, Page, Source};
use crate::error::{Code, Error, Result};

pub async fn back(mut context: Context<'_>) -> Result<String> {
    let Some(previous) = context.state.history.last().cloned() else {
        let message = match context.state.page {
            Some(_) => "This is the first document of this topic.",
            None => "No document was open in this topic before.",
        };
        return Err(Error::new(Code::NoHistory, message));
    };
    let ground = Ground::of(&context)?;
    let library = ground.library(&context);
    let kept = context.state.left.as_deref().filter(|left| left.visit() == previous);
    let fresh = match kept {
        Some(left) => library.refresh(left).await,
        None => library.reopen(&previous).await.map(Some),
    };
    let fresh = match fresh {
        Err(error) if is_final(&error, &previous.location.source) => {
            context.state.history.pop();
            return Err(error.hint(way_on(&context, ground.workspace())));
        }
        other => other?,
    };
    let mut fresh = fresh;
    if let Some(page) = &mut fresh {
        arrive(page, &ground);
    }
    // Not changed: what was kept is as good as a new one.
    let shown = fresh.as_deref().or(context.state.left.as_deref()).ok_or_else(open::no_document)?;
    let before = Before::of(shown, Extent::Start, &context).await;
    let page = fresh.or_else(|| context.state.left.take()).ok_or_else(open::no_document)?;
    let (reply, effects) = open::shown("Back to", &page, before, &ground, &mut context)?;
    context.state.history.pop();
    context.state.replace(page);
    effects.apply(context.state);
    Ok(reply)
}

pub async fn refresh(mut context: Context<'_>) -> Result<String> {
    let ground = Ground::of(&context)?;
    let current = context.state.page.as_ref().ok_or_else(open::no_document)?;
    let mut fresh = ground.library(&context).refresh(current).await?;
    if let Some(page) = &mut fresh {
        arrive(page, &ground);
    }
    // Not changed: the same page is as good as a new one.
    let shown = fresh.as_deref().unwrap_or(current);
    let before = Before::of(shown, Extent::Start, &context).await;
    let page = match fresh {
        Some(page) => page,
        None => context.state.page.take().ok_or_else(open::no_document)?,
    };
    let reply = open::shown("Refreshed", &page, before, &ground, &mut context);
    context.state.replace(page);
    let (reply, effects) = reply?;
    effects.apply(context.state);
    Ok(reply)
}

/// Makes a page that was loaded again ready to be shown: under the name it has here, and without a part that is gone.
fn arrive(page: &mut Page, ground: &Ground) {
    ground.label(page);
    if let Some(gone) = page.leave_missing_part() {
        page.note_missing(&gone);
    }
}

/// Whether asking for a document once more would give the same error. A server may only be out of reach.
fn is_final(error: &Error, source: &Source) -> bool {
    let is_web = matches!(source, Source::Web(_));
    !is_web || matches!(error.code, Code::NotFound | Code::NotAllowed | Code::InvalidParams)
}

/// Where `/back` leads after a document that is gone.
fn way_on(context: &Context<'_>, workspace: &Workspace) -> String {
    match context.state.history.last() {
        Some(next) => format!("/back again leads to {}", next.location.display(workspace)),
        None => "There is no other document to go back to.".to_owned(),
    }
}
