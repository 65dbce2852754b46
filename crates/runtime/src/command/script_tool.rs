//! `/tool:NAME` for a tool that a manifest declares: its script runs, and the session gets the result.

use std::sync::Arc;
use std::time::Instant;

use serde_json::json;

use super::{Context, surroundings};
use crate::action::{Effects, InSession, Trust, Word};
use crate::call::{Calls, Naming, Shared, help, no_scripts, read, shown};
use crate::document::Page;
use crate::error::Result;
use crate::long::shortened;
use crate::manifest::{Catalogue, Tool};
use crate::substitute::Marked;
use crate::task;
use crate::variable::{Known, Persistent, Scope};

pub async fn run(
    tool: &Tool,
    catalogue: Arc<Catalogue>,
    words: &[Word],
    body: Option<&str>,
    context: Context<'_>,
) -> Result<String> {
    let persistent = persistent(tool, words, &context).await?;
    let page = context.state.page.as_deref();
    let known = Known {
        variables: &context.state.variables,
        response: context.state.response.as_deref(),
        persistent: &persistent,
        surroundings: &surroundings::of(&context, page),
        document: page.map(Page::content),
        bases: surroundings::bases(&context, page),
    };
    let asked = read(tool, words, body, &InSession { known, state: context.state, trust: &Trust::Local })?;
    if asked.help {
        return Ok(help(tool));
    }
    if context.runtime.scripts.is_none() {
        return Err(no_scripts());
    }
    let named = asked.task.as_deref().or(context.caller.task.as_deref());
    let calls = Calls {
        runtime: context.runtime,
        agent: context.agent,
        session: context.session,
        catalogue,
        persistent: &persistent,
        task: named.map_or_else(|| Ok(task::Id::fresh()), task::Id::parse)?,
        naming: if named.is_some() { Naming::Named } else { Naming::Unnamed },
        shared: Shared::new(context.state.variables.clone(), asked.mark),
    };
    let started = Instant::now();
    let output = calls.call(tool, asked.input).await.map_err(|failed| failed.error)?;
    let ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    let mark = calls.shared.mark();
    let variables = calls.shared.into_changes();
    let reply = shortened(shown(&output), context.agent.workspace.home());
    let response = Marked { value: json!({ "status": 0, "body": output, "ms": ms }), mark };
    Effects { response: Some(response), variables, ..Effects::default() }.apply(context.state);
    Ok(reply)
}

/// The `$NAME` values, read only for a call that may use them.
async fn persistent(tool: &Tool, words: &[Word], context: &Context<'_>) -> Result<Persistent> {
    let may_use =
        !tool.vault.is_empty() || !tool.env.is_empty() || words.iter().any(|word| word.plain().is_none());
    match may_use {
        true => surroundings::persistent(context, &Scope::of(&context.session.topic)).await,
        false => Ok(Persistent::default()),
    }
}
