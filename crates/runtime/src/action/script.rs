//! Script actions: the fields are the input, the output is the response.

use std::path::Path;

use serde_json::{Map, Value};

use super::bind::Bound;
use super::call::Call;
use super::result::CallResult;
use super::trust::Trust;
use crate::call::{Called, Calls, Shared, no_scripts};
use crate::document::Source;
use crate::error::Result;
use crate::manifest::Tool;
use crate::substitute::{Mark, Marked};
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
    let catalogue = call.runtime.tools.of(call.agent.workspace.home()).await;
    let shared = Shared::new(call.state.variables.clone(), bound.mark());
    let read = Some(call.persistent);
    let calls = Calls::new(call.runtime, call.agent, call.session, catalogue, read, call.task, shared)?;
    let Called { outcome, unkept, changes, mark, ms } = calls.call(&tool, Value::Object(input)).await;
    let mut variables = call.state.variables.clone();
    for (name, value) in &changes {
        variables.set(name.clone(), value.clone());
    }
    Ok(Scripted { result: CallResult::of_script(outcome, ms), variables, changes, mark, unkept })
}
