//! `/close`: drops the document; the topic stays, with its history.

use super::{Context, open};
use crate::error::Result;

pub fn run(context: Context<'_>) -> Result<String> {
    let page = context.state.page.take().ok_or_else(open::no_document)?;
    Ok(format!("Closed: {}", page.name(&context.agent.workspace)))
}
