//! `/tool:NAME` for a tool that a manifest declares: its script runs, and the session gets the result.

use std::sync::Arc;
use std::time::Instant;

use super::{Context, surroundings};
use crate::action::{CallResult, Effects, InSession, Trust, Word, readable};
use crate::call::{Calls, Failed, Naming, Settings, Shared, help, no_scripts, read};
use crate::document::Page;
use crate::error::{Code, Result};
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
    let none = Persistent::default();
    let page = context.state.page.as_deref();
    let known = Known {
        variables: &context.state.variables,
        response: context.state.response.as_deref(),
        persistent: persistent.as_ref().unwrap_or(&none),
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
        settings: Settings::of(persistent.as_ref()),
        task: named.map_or_else(|| Ok(task::Id::fresh()), task::Id::parse)?,
        naming: if named.is_some() { Naming::Named } else { Naming::Unnamed },
        shared: Shared::new(context.state.variables.clone(), asked.mark),
    };
    let started = Instant::now();
    let outcome = calls.call(tool, asked.input).await;
    let ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    let mark = calls.shared.mark();
    match outcome {
        Ok(output) => {
            let variables = calls.shared.into_changes();
            let CallResult { response, plain, .. } = CallResult::of_output(output, ms);
            let reply = shortened(readable(&plain), context.agent.workspace.home());
            let response = Some(Marked { value: response, mark });
            Effects { response, variables, ..Effects::default() }.apply(context.state);
            Ok(reply)
        }
        // Nothing ran, as with a flag that does not exist.
        Err(Failed { error, .. }) if error.code == Code::InvalidParams => Err(error),
        Err(Failed { error, details }) => {
            let response = CallResult::of_failed_script(error.clone(), details, ms).response;
            let response = Some(Marked { value: response, mark });
            Effects { response, ..Effects::default() }.apply(context.state);
            Err(error)
        }
    }
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
