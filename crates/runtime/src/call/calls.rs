//! The calls of one task, top-level and nested.

use std::sync::Arc;
use std::time::Instant;

use script::{Call, Limits};
use serde_json::value::to_raw_value;
use serde_json::{Value, json};

use super::failure::Failure;
use super::host::Host;
use super::session::Shared;
use super::settings::Settings;
use crate::Runtime;
use crate::agent::Agent;
use crate::error::{Code, Error, Result};
use crate::manifest::{Catalogue, Tool};
use crate::session::Session;
use crate::state::rounded;
use crate::substitute::{Mark, Marked};
use crate::task;
use crate::variable::Persistent;
use crate::watch::Running;

/// What every call of a task knows.
pub struct Calls<'a> {
    pub(super) runtime: &'a Runtime,
    pub(super) agent: &'a Agent,
    pub(super) session: &'a Session,
    pub(super) catalogue: Arc<Catalogue>,
    pub(super) settings: Settings<'a>,
    pub(super) task: task::Id,
    pub(super) naming: Naming,
    pub(super) shared: Shared,
}

/// What came of a call from outside.
pub struct Called {
    pub outcome: Result<Value, Failed>,
    /// What the agent is told if its named task could not be kept. What the call did is done all the same.
    pub unkept: Option<String>,
    /// The variables that its scripts set, in order. What a failed call set is forgotten with it.
    pub changes: Vec<(String, Marked)>,
    /// Of all that its scripts have seen.
    pub mark: Mark,
    pub ms: u64,
}

/// A call from outside that gave no output.
#[derive(Debug)]
pub struct Failed {
    /// What the agent reads.
    pub error: Error,
    /// What `{Response.error}` means then: code, message, retryable.
    pub details: Value,
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        let details = json!({ "code": error.code.as_str(), "message": error.message, "retryable": false });
        Self { error, details }
    }
}

/// Whether a caller named the task, and so may come back to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Naming {
    Named,
    Unnamed,
}

/// A call that runs. Dropped before [`Interrupted::not`], it leaves what happened so far, for as long as this process
/// runs.
struct Interrupted<'c> {
    calls: &'c Calls<'c>,
    record: Option<task::Record>,
}

impl Interrupted<'_> {
    fn not(mut self) {
        self.record = None;
    }
}

impl Drop for Interrupted<'_> {
    fn drop(&mut self) {
        let Some(record) = self.record.take() else { return };
        let Calls { runtime, agent, task, shared, .. } = self.calls;
        let record = task::Record { ended_at: runtime.now().as_millis(), ..record };
        runtime.tasks.remember(&agent.id, task.clone(), record, shared.take_events());
    }
}

impl<'a> Calls<'a> {
    /// The calls of the task that the caller `named`, or of a new one. `read` are the `$NAME` values, if they were
    /// needed already.
    pub fn new(
        runtime: &'a Runtime,
        agent: &'a Agent,
        session: &'a Session,
        catalogue: Arc<Catalogue>,
        read: Option<&'a Persistent>,
        named: Option<&str>,
        shared: Shared,
    ) -> Result<Self> {
        let (task, naming) = match named {
            Some(name) => (task::Id::parse(name)?, Naming::Named),
            None => (task::Id::fresh(), Naming::Unnamed),
        };
        Ok(Self { runtime, agent, session, catalogue, settings: Settings::of(read), task, naming, shared })
    }

    /// Calls a tool from outside, and keeps what happened. Secrets that its scripts were shown are in none of it.
    pub async fn call(self, tool: &Tool, input: Value) -> Called {
        let started = Instant::now();
        let started_at = self.runtime.now().as_millis();
        let given_up = task::Record {
            tool: tool.name.clone(),
            topic: self.session.topic.to_string(),
            started_at,
            ended_at: started_at,
            outcome: task::Outcome::Failed,
            calls: 1,
        };
        let running = Running::new(&self.runtime.watches, &self.agent.id, &self.task, given_up.clone());
        let listed = self.runtime.tasks.begin(&self.agent.id, &self.task, &given_up);
        // Last, so that what it leaves can be looked up when the others tell of it.
        let interrupted = Interrupted { calls: &self, record: Some(given_up.clone()) };
        let outcome = self.invoke(tool, input, 0).await;
        interrupted.not();
        let record = task::Record {
            ended_at: self.runtime.now().as_millis(),
            outcome: if outcome.is_ok() { task::Outcome::Ok } else { task::Outcome::Failed },
            ..given_up
        };
        let unkept = self.keep(&record).await;
        listed.ended(record.outcome);
        running.ended(&record).await;
        let outcome = match outcome {
            Ok(output) => Ok(self.shared.secrets().redact_value(output)),
            Err(failure) => {
                let secrets = self.shared.revealed();
                let details = secrets.redact_value(failure.details());
                Err(Failed { error: secrets.redact_error(failure.into_error(tool)), details })
            }
        };
        let mark = self.shared.mark();
        let changes = if outcome.is_ok() { self.shared.into_changes() } else { Vec::new() };
        Called { outcome, unkept, changes, mark, ms: crate::milliseconds(started.elapsed()) }
    }

    /// Keeps what happened. If the store cannot, it is remembered for as long as this process runs, and the answer is
    /// what to tell of it.
    async fn keep(&self, record: &task::Record) -> Option<String> {
        let (tasks, agent, id) = (&self.runtime.tasks, &self.agent.id, &self.task);
        let events = self.shared.take_events();
        let kept = match self.naming {
            Naming::Named => tasks.keep(agent, id, record.clone(), &events).await,
            Naming::Unnamed => {
                tasks.remember(agent, id.clone(), record.clone(), events);
                return None;
            }
        };
        let error = kept.err()?;
        tracing::warn!(%agent, task = %id, error = %error.message, "a task could not be kept");
        tasks.remember(agent, id.clone(), record.clone(), events);
        Some(format!(
            "The call was made, but task {id} is remembered until the daemon ends only: {}",
            error.message
        ))
    }

    /// Checks the input, runs the script, and runs it again where the manifest says so.
    pub(super) async fn invoke(&self, tool: &Tool, mut input: Value, depth: usize) -> Result<Value, Failure> {
        tool.schema.fill_defaults(&mut input);
        let mut failures = tool.schema.failures(&input);
        failures.extend(rounded(&input));
        if !failures.is_empty() {
            return Err(Failure::Input(failures));
        }
        let mut attempts = 0;
        loop {
            let outcome = self.run(tool, &input, depth).await;
            attempts += 1;
            match outcome {
                Err(failure) if failure.is_retryable() && attempts < tool.retry.attempts => {
                    tokio::time::sleep(tool.retry.pause_after(attempts)).await;
                }
                outcome => return outcome,
            }
        }
    }

    async fn run(&self, tool: &Tool, input: &Value, depth: usize) -> Result<Value, Failure> {
        let unavailable = || Failure::Script(script::Error::Closed);
        let scripts = self.runtime.scripts.as_ref().ok_or_else(unavailable)?;
        let input = to_raw_value(input).map_err(|_| unavailable())?;
        let limits = Limits { time: tool.timeout, memory_bytes: script::MEMORY_MAX };
        let call = Call { program: &tool.program, entrypoint: &tool.entrypoint, input, limits, depth };
        let host = Host { calls: self, tool, depth };
        let output = scripts.call(call, &host).await.map_err(Failure::Script)?;
        serde_json::from_str(output.get()).map_err(|error| Failure::Output(error.to_string()))
    }
}

/// The reply to a successful call: a text as it is, anything else as indented JSON.
pub fn shown(output: &Value) -> String {
    match output {
        Value::String(text) => text.clone(),
        other => format!("{other:#}"),
    }
}

/// The error for a daemon that cannot start workers.
pub fn no_scripts() -> Error {
    Error::new(Code::NotAllowed, "This daemon was started without scripts.")
}
