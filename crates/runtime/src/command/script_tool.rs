//! `/tool:NAME` for a tool that a manifest declares: its script runs, and the session gets the result.

use std::sync::Arc;

use super::{Context, surroundings};
use crate::action::{CallResult, Effects, InSession, Trust, Word, readable};
use crate::call::{Called, Calls, Shared, help, no_scripts, read};
use crate::document::Page;
use crate::error::{Code, Result};
use crate::long::shortened;
use crate::manifest::{Catalogue, Tool};
use crate::substitute::Marked;
use crate::variable::{Claimant, Known, Persistent, Scope, Surroundings, missing, required};

pub async fn run(
    tool: &Tool,
    catalogue: Arc<Catalogue>,
    words: &[Word],
    body: Option<&str>,
    context: Context<'_>,
) -> Result<String> {
    let persistent = persistent(tool, words, &context).await?;
    let none = Persistent::default();
    let values = persistent.as_ref().unwrap_or(&none);
    let surroundings = surroundings::of(&context, context.state.page.as_deref());
    let asked = read(tool, words, body, &in_session(&context, values, &surroundings))?;
    if asked.help {
        return Ok(help(tool));
    }
    if let Some(error) = required(Claimant::Tool, &missing(&tool.requirements, values), None) {
        return Err(error);
    }
    if context.runtime.scripts.is_none() {
        return Err(no_scripts());
    }
    let named = asked.task.as_deref().or(context.caller.task.as_deref());
    let shared = Shared::new(context.state.variables.clone(), asked.mark);
    let (runtime, agent, session) = (context.runtime, context.agent, context.session);
    let calls = Calls::new(runtime, agent, session, catalogue, persistent.as_ref(), named, shared)?;
    let Called { outcome, unkept, changes, mark, ms } = calls.call(tool, asked.input).await;
    let CallResult { response, plain, error } = CallResult::of_script(outcome, ms);
    let reply = match error {
        None => Ok(shortened(readable(&plain), agent.workspace.home()).await),
        // Nothing ran, as with a flag that does not exist.
        Some(error) if error.code == Code::InvalidParams => return Err(error),
        Some(error) => Err(error),
    };
    let response = Some(Marked { value: response, mark });
    let warnings = Vec::from_iter(unkept);
    Effects { response, variables: changes, warnings, ..Effects::default() }.apply(context.state);
    reply
}

/// What the words of a call mean in the caller's session.
pub fn in_session<'a>(
    context: &'a Context<'_>,
    persistent: &'a Persistent,
    surroundings: &'a Surroundings,
) -> InSession<'a> {
    let page = context.state.page.as_deref();
    let known = Known {
        variables: &context.state.variables,
        response: context.state.response.as_deref(),
        persistent,
        surroundings,
        document: page.map(Page::content),
        bases: surroundings::bases(context, page),
    };
    InSession { known, state: context.state, trust: &Trust::Local }
}

/// The `$NAME` values, read beforehand only for a call whose words or tool name some.
async fn persistent(tool: &Tool, words: &[Word], context: &Context<'_>) -> Result<Option<Persistent>> {
    let names_some =
        !tool.vault.is_empty() || !tool.env.is_empty() || words.iter().any(|word| word.plain().is_none());
    match names_some {
        true => surroundings::persistent(context, &Scope::of(&context.session.topic)).await.map(Some),
        false => Ok(None),
    }
}
