//! One turn of a topic: its steps, each run to its end, or stopped.

use std::any::Any;
use std::convert::Infallible;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::FutureExt;
use tokio_util::sync::CancellationToken;

use super::Call;
use super::steps::Ran;
use crate::activity::Phase;
use crate::command::terminal::AtOnce;
use crate::command::{self, Answer, Command, Context, Step, terminal};
use crate::edit;
use crate::error::{Code, Error, Result};
use crate::session::{Session, Turn};
use crate::topic::Kind;

/// Said of what nobody interrupted.
const STOPPING: &str = "The daemon was told to stop. The next command starts it again.";
/// How soon a shell that had nothing to interrupt is looked at again.
const STOP_AGAIN: Duration = Duration::from_millis(10);

impl Call {
    /// `left` is cancelled when the caller has gone away.
    pub(super) async fn run_turn(self, mut turn: Turn, steps: Vec<Step>, left: CancellationToken) -> Ran {
        let mut ran = Ran::default();
        let mut steps = steps.into_iter();
        for mut step in steps.by_ref() {
            if let Command::Input(text) = &step.command {
                let shown = terminal::shown(text, &turn.state);
                step.shown = self.runtime.conceal.line(&self.agent, &step.topic, &shown).await;
            }
            match self.run_step(&step, &mut turn, &left).await {
                Ok(Answer::Reply(part)) => ran.parts.push((step.topic, part)),
                Ok(Answer::Elsewhere(topic)) => {
                    ran.left.push(Step { command: Command::enter(topic.clone()), topic, ..step });
                    break;
                }
                Err(error) => {
                    ran.code = Some(error.code);
                    ran.parts.push((step.topic, error.to_string()));
                }
            }
            if ran.code.is_some() || turn.session.is_closed() {
                break;
            }
        }
        ran.left.extend(steps);
        ran.meta = turn.state.meta(&self.agent.workspace);
        ran
    }

    async fn run_step(&self, step: &Step, turn: &mut Turn, left: &CancellationToken) -> Result<Answer> {
        let started = Instant::now();
        let interrupted = turn.begin(&step.shown);
        // Whoever hears of it and looks finds it running, and later not.
        self.tell(step, Phase::Started);
        let session = Arc::clone(&turn.session);
        let given_up = async {
            self.unwanted().await;
            // The turn is this command's, so it is this command that is stopped.
            stop(&session).await;
            std::future::pending::<Infallible>().await
        };
        let mut context = Context {
            runtime: &self.runtime,
            agent: &self.agent,
            topics: &self.topics,
            session: &turn.session,
            state: &mut turn.state,
            caller: &self.caller,
            sink: &*self.sink,
            interrupted: &interrupted,
            left,
        };
        edit::reload_if_edited(&mut context).await;
        let handler = AssertUnwindSafe(command::run(step.command.clone(), context)).catch_unwind();
        let result = tokio::select! {
            biased;
            result = handler => result.unwrap_or_else(|panic| Err(failed_by_a_bug(&*panic))),
            never = given_up => match never {},
            () = interrupted.cancelled(), if !step.command.stops_itself() => Err(Error::new(Code::Interrupted, format!("Stopped: {}", step.shown))),
        };
        turn.end(&self.agent.workspace);
        self.record(step, result.as_ref().err().map(|error| error.code), started);
        let is_stopping = self.runtime.stop.is_cancelled();
        let result = result.map_err(|error| match error.code {
            Code::Interrupted if is_stopping => error.hint(STOPPING),
            _ => error,
        });
        match result {
            Err(error) => Err(self.runtime.conceal.error(&self.agent, &step.topic, error).await),
            done => done,
        }
    }

    /// Runs a step that acts on the running command and therefore cannot wait for it.
    pub(super) async fn run_at_once(&self, step: &Step, act: AtOnce) -> Result<String> {
        let started = Instant::now();
        let result = command::at_once(act, &step.topic, &self.topics).await;
        self.record(step, result.as_ref().err().map(|error| error.code), started);
        result
    }
}

/// Interrupts what runs in a session. A shell then ends its command itself, and says how.
async fn stop(session: &Session) {
    if session.topic.kind() == Kind::Bash {
        // One that is being started, or has not got its command yet, has nothing to interrupt so far.
        while terminal::at_once(AtOnce::Interrupt, session).await.is_err() {
            tokio::time::sleep(STOP_AGAIN).await;
        }
    } else {
        session.interrupt();
    }
}

/// A bug: the log has the details under an id, and the agent gets the id.
pub(super) fn failed_by_a_bug(panic: &(dyn Any + Send)) -> Error {
    let text = panic.downcast_ref::<&str>().copied();
    let details = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    let id = ulid::Ulid::generate();
    tracing::error!(%id, details = details.unwrap_or("panic without a message"), "a command failed by a bug");
    Error::new(Code::InternalError, format!("A bug in String stopped this command ({id})."))
        .hint("The topic and the daemon go on. The log has the details: string system status")
}
