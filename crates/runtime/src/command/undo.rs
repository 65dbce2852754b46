//! `/undo`: takes back the last edit of this topic, once.

use super::Context;
use crate::edit;
use crate::error::Result;

pub async fn run(context: Context<'_>) -> Result<String> {
    edit::revert(context).await
}
