//! The store as a file: copied while it is in use, and examined.

use serde_json::json;

use super::show::Report;
use crate::command::Context;
use crate::error::{Code, Error, Result, store_failed};
use crate::hub::agent::typed_path;
use crate::reply::with_body;

/// Copies the whole store, of all agents, to a new file.
pub async fn backup(path: &str, context: &Context<'_>) -> Result<Report> {
    require_person(context, "A backup holds what belongs to every agent: only a person makes one.")?;
    let target = typed_path(path, context)?;
    let copied = context.runtime.durable.backup(&target).await;
    copied.map_err(|error| match error {
        store::Error::Exists { .. } => {
            Error::new(Code::Conflict, format!("{} exists already.", target.display()))
                .hint("A backup is a new file. Name another one, or remove that one first.")
        }
        other => Error::new(Code::LoadError, format!("No backup was made: {other}."))
            .hints(other.way_out().map(str::to_owned)),
    })?;
    let bytes = std::fs::metadata(&target).map(|data| data.len()).unwrap_or_default();
    let text = format!("Backed up all of durable state to {} ({bytes} bytes)", target.display());
    Ok(Report { text, json: json!({ "file": target, "bytes": bytes }) })
}

/// Reads everything and says what is wrong.
pub async fn check(context: &Context<'_>) -> Result<Report> {
    require_person(context, "The check reads what belongs to every agent: only a person runs it.")?;
    let problems = context.runtime.durable.check().await.map_err(store_failed)?;
    let json = json!({ "problems": problems });
    if problems.is_empty() {
        return Ok(Report { text: "Durable state is sound.".to_owned(), json });
    }
    Ok(Report { text: with_body("Durable state is damaged", &problems.join("\n")), json })
}

fn require_person(context: &Context<'_>, why: &str) -> Result<()> {
    if context.caller.origin.is_person() {
        return Ok(());
    }
    Err(Error::new(Code::NotAllowed, why)
        .hint("Run it in a terminal on this machine, outside String's own shells."))
}
