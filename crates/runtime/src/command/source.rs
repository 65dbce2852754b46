//! `/source`: the document as its author wrote it.

use super::{Context, open};
use crate::error::Result;
use crate::reply::with_body;

pub fn run(context: Context<'_>) -> Result<String> {
    context.state.saw_page();
    let page = context.state.page.as_ref().ok_or_else(open::no_document)?;
    let status = format!("Source of {}", page.location.source.display(&context.agent.workspace));
    Ok(with_body(&status, page.source().trim_end()))
}
