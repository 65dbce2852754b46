//! Script actions: the fields are the input, the output is the response.

use std::path::Path;
use std::time::Instant;

use serde_json::{Map, Value};

use super::bind::Bound;
use super::call::Call;
use super::result::CallResult;
use super::trust::Trust;
use crate::call::{Called, Calls, Failed, Naming, Settings, Shared, no_scripts};
use crate::document::Source;
use crate::error::Result;
use crate::manifest::Tool;
use crate::substitute::{Mark, Marked};
use crate::task;
use crate::variable::Variables;

/// What a script gave, and the variables of the session as it left them.
pub struct Scripted {
    pub result: CallResult,
    pub variables: Variables,
    /// Those that it set, in order.
    pub changes: Vec<(String, Marked)>,
    /// Of its result.
    pub mark: Mark,
    /// Why its task is not kept.
    pub unkept: Option<String>,
}

/// Runs the script of an action that the local document `source` declares.
pub async fn run(call: &Call<'_>, source: &Source, bound: &Bound, trust: &Trust) -> Result<Scripted> {
    trust.require_local("run scripts")?;
    if call.runtime.scripts.is_none() {
        return Err(no_scripts());
    }
    let file = match source {
        Source::File(path) | Source::Directory(path) | Source::Version { file: path, .. } => path.as_path(),
        Source::Web(_) => Path::new(""),
    };
    // Never the name of a manifest's tool, so that their states in a task stay apart.
    let name = source.display(&call.agent.workspace);
    let tool = Tool::of_action(name, file, call.found.document, call.found.action)?;
    let input: Map<String, Value> =
        bound.iter().map(|(name, value)| (name.to_owned(), value.clone())).collect();
    let calls = Calls {
        runtime: call.runtime,
        agent: call.agent,
        session: call.session,
        catalogue: call.runtime.tools.of(call.agent.workspace.home()).await,
        settings: Settings::of(Some(call.persistent)),
        task: call.task.map_or_else(|| Ok(task::Id::fresh()), task::Id::parse)?,
        naming: if call.task.is_some() { Naming::Named } else { Naming::Unnamed },
        shared: Shared::new(call.state.variables.clone(), bound.mark()),
    };
    let started = Instant::now();
    let Called { outcome, unkept } = calls.call(&tool, Value::Object(input)).await;
    let ms = crate::milliseconds(started.elapsed());
    let mut variables = call.state.variables.clone();
    // As for tools: what a failed script set is forgotten with it.
    let mark = calls.shared.mark();
    let changes = if outcome.is_ok() { calls.shared.into_changes() } else { Vec::new() };
    for (name, value) in &changes {
        variables.set(name.clone(), value.clone());
    }
    let result = match outcome {
        Ok(output) => CallResult::of_output(output, ms),
        Err(Failed { error, details }) => CallResult::of_failed_script(error, details, ms),
    };
    Ok(Scripted { result, variables, changes, mark, unkept })
}
