//! The one way in: a request becomes steps, steps take turns, and their replies become one reply.

mod queue;

use std::collections::VecDeque;
use std::convert::Infallible;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::FutureExt;
pub use queue::Queued;
use queue::{Fate, Held, Place};
use tokio_util::sync::CancellationToken;

use crate::activity::{Phase, What};
use crate::agent::Agent;
use crate::command::terminal::AtOnce;
use crate::command::{self, Actions, Answer, Caller, Command, Context, Format, Step, terminal};
use crate::error::{Code, Error, Result};
use crate::reply::{Meta, Reply};
use crate::session::{Session, Topics, Turn};
use crate::sink::Sink;
use crate::topic::{Kind, Topic};
use crate::{Request, Runtime, audit, detach, edit, long};

/// How soon a shell that had nothing to interrupt is looked at again.
const STOP_AGAIN: Duration = Duration::from_millis(10);

/// What all steps of a request share.
#[derive(Clone)]
struct Call {
    runtime: Arc<Runtime>,
    agent: Arc<Agent>,
    topics: Arc<Topics>,
    caller: Caller,
    sink: Arc<dyn Sink>,
    /// Cancelled by a caller that no longer wants the reply.
    cancel: CancellationToken,
}

/// What came of some steps.
#[derive(Default)]
struct Ran {
    /// The replies, each with the topic it came from.
    parts: Vec<(Topic, String)>,
    code: Option<Code>,
    meta: Meta,
    /// Why the first step did not get its turn, which ends them all.
    turned_away: Option<Error>,
    /// Steps that did not get their turn, because one before them failed or removed the session.
    left: Vec<Step>,
}

impl Runtime {
    /// Runs the commands of a request and gives their reply.
    ///
    /// Dropping the future takes a command that still waits with it; one that has begun runs to its end.
    pub async fn exec(self: &Arc<Self>, request: Request, sink: Arc<dyn Sink>) -> Reply {
        self.exec_until(request, sink, CancellationToken::new()).await
    }

    /// The same, until `cancel`: a command that waits is given up, one that runs is interrupted.
    pub async fn exec_until(
        self: &Arc<Self>,
        request: Request,
        sink: Arc<dyn Sink>,
        cancel: CancellationToken,
    ) -> Reply {
        self.enqueue(request, sink, cancel).run().await
    }

    /// The same, in two parts: the request has its place at once, and is run later or elsewhere.
    pub fn enqueue(
        self: &Arc<Self>,
        request: Request,
        sink: Arc<dyn Sink>,
        cancel: CancellationToken,
    ) -> Queued {
        let refused = |topic, error| Queued(Fate::Refused(self.refuse(&request, topic, &error)));
        let topic = match Topic::parse(&request.topic) {
            Ok(topic) => topic,
            Err(error) => return refused(None, error),
        };
        let understood = self.agents.named(&request.agent).and_then(|agent| {
            let steps = command::parse(&request.payload, &topic, self.actions(&agent, &topic))?;
            Ok((agent, steps))
        });
        let (agent, steps) = match understood {
            Ok(understood) => understood,
            Err(error) => return refused(Some(topic), error),
        };
        let topics = self.sessions.of(&agent.id);
        let held = steps.first().and_then(|step| Held::take(&topics, step));
        let caller = Caller { cwd: request.cwd, task: request.task, origin: request.origin };
        let call = Call { runtime: Arc::clone(self), agent, topics, caller, sink, cancel };
        Queued(Fate::Lined { call, topic, steps, held })
    }

    /// Only an open topic or an app has a document that may have actions.
    fn actions(&self, agent: &Agent, topic: &Topic) -> Actions {
        let is_open = self.sessions.of(&agent.id).get(topic).is_some();
        if is_open || topic.kind() == Kind::App { Actions::Possible } else { Actions::Impossible }
    }

    /// A request that could not even be understood: nothing was created.
    fn refuse(&self, request: &Request, topic: Option<Topic>, error: &Error) -> Reply {
        let word = request.payload.split_whitespace().next().unwrap_or_default();
        // What is not understood may hold anything, also a secret: the first word is all that is kept.
        let shown = if word.starts_with('/') { format!("{word} …") } else { "…".to_owned() };
        self.audit.write(audit::Line {
            time: self.clock.now(),
            agent: request.agent.clone(),
            topic: topic.as_ref().map_or_else(|| self.conceal.word(&request.topic), ToString::to_string),
            command: shown,
            code: Some(error.code),
            ms: 0,
        });
        Reply::failed(topic, error)
    }
}

impl Call {
    /// Runs the steps, of which the first may have its place already.
    async fn run(self, topic: Topic, steps: Vec<Step>, mut held: Option<Held>) -> Reply {
        // What a program asked for is whole, however long: with a piece missing it would be no JSON.
        let is_json = steps.iter().all(|step| step.command.format() == Format::Json);
        let mut queue = VecDeque::from(self.conceal(steps).await);
        let mut all = Ran::default();
        while all.code.is_none() && !queue.is_empty() {
            let ran = self.run_next(&mut queue, held.take()).await;
            all.turned_away = ran.turned_away.filter(|_| all.parts.is_empty());
            all.parts.extend(ran.parts);
            all.code = ran.code;
            all.meta = ran.meta;
            ran.left.into_iter().rev().for_each(|step| queue.push_front(step));
        }
        // A reply that came from one other topic as a whole says so; a mixed one belongs to the caller's.
        let first = all.parts.first().map(|(from, _)| from.clone());
        let common = first.filter(|first| all.parts.iter().all(|(from, _)| from == first));
        if let (Some((_, last)), false) = (all.parts.last_mut(), queue.is_empty()) {
            queue.iter().for_each(|step| last.push_str(&format!("\n  {}", command::not_run(&step.shown))));
        }
        let mut parts: Vec<String> = all.parts.into_iter().map(|(_, part)| part).collect();
        let content = if parts.len() == 1 { parts.remove(0) } else { parts.join("\n\n") };
        let home = self.agent.workspace.home();
        let content = if is_json { content } else { long::bounded(content, home).await };
        Reply {
            topic: common.or(Some(topic)),
            code: all.code,
            content,
            meta: all.meta,
            turned_away: all.turned_away,
        }
    }

    /// Runs the first steps of the queue that share a topic, in one turn of it.
    async fn run_next(&self, queue: &mut VecDeque<Step>, held: Option<Held>) -> Ran {
        let topic = queue[0].topic.clone();
        if let Command::AtOnce(act) = queue[0].command {
            if let Some(Held::Act(held)) = &held {
                held.earlier.done().await;
            }
            let result = match queue.pop_front() {
                Some(step) => Some(self.run_at_once(&step, act).await),
                None => None,
            };
            return Ran::of(topic, result);
        }
        let together = queue.iter().take_while(|step| step.topic == topic && step.waits()).count();
        let place = match held {
            Some(Held::Place(place)) => place,
            _ => Place::take(&self.topics, &topic),
        };
        let turn = tokio::select! {
            biased;
            turn = place.turn() => turn,
            () = self.unwanted() => Err(given_up(&queue[0])),
        };
        let turn = match turn {
            Ok(turn) => turn,
            Err(error) => {
                let step = queue.pop_front();
                step.iter().for_each(|step| self.record(step, Some(error.code), Instant::now()));
                let turned_away = Some(error.clone());
                return Ran { turned_away, ..Ran::of(topic, Some(Err(error))) };
            }
        };
        let steps = queue.drain(..together).collect();
        // The command goes on when the caller goes away.
        let left = CancellationToken::new();
        let work = detach::to_the_end(self.clone().run_turn(turn, steps, left.clone())).telling(left);
        let ran = AssertUnwindSafe(work).catch_unwind().await;
        ran.unwrap_or_else(|panic| Ran::of(topic, Some(Err(internal_error(panic_message(&*panic))))))
    }

    /// Nobody wants the reply any more: its caller has said so, or the daemon stops.
    async fn unwanted(&self) {
        tokio::select! {
            () = self.cancel.cancelled() => {}
            () = self.runtime.stop.cancelled() => {}
        }
    }

    /// `left` is cancelled when the caller has gone away.
    async fn run_turn(self, mut turn: Turn, steps: Vec<Step>, left: CancellationToken) -> Ran {
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

    /// The steps, with values of the `$NAME` files taken out of what is logged of their arguments.
    async fn conceal(&self, mut steps: Vec<Step>) -> Vec<Step> {
        for step in steps.iter_mut().filter(|step| step.shown.contains(char::is_whitespace)) {
            step.shown = self.runtime.conceal.line(&self.agent, &step.topic, &step.shown).await;
        }
        steps
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
            result = handler => result.unwrap_or_else(|panic| Err(internal_error(panic_message(&*panic)))),
            never = given_up => match never {},
            () = interrupted.cancelled(), if !step.command.stops_itself() => Err(Error::new(Code::Interrupted, format!("Stopped: {}", step.shown))),
        };
        turn.end(&self.agent.workspace);
        self.record(step, result.as_ref().err().map(|error| error.code), started);
        match result {
            Err(error) => Err(self.runtime.conceal.error(&self.agent, &step.topic, error).await),
            done => done,
        }
    }

    /// Runs a step that acts on the running command and therefore cannot wait for it.
    async fn run_at_once(&self, step: &Step, act: AtOnce) -> Result<String> {
        let started = Instant::now();
        let result = command::at_once(act, &step.topic, &self.topics).await;
        self.record(step, result.as_ref().err().map(|error| error.code), started);
        result
    }

    fn record(&self, step: &Step, code: Option<Code>, started: Instant) {
        let ms = crate::milliseconds(started.elapsed());
        self.tell(step, Phase::Ended { code, ms });
        self.runtime.audit.write(audit::Line {
            time: self.runtime.clock.now(),
            agent: self.agent.id.to_string(),
            topic: step.topic.to_string(),
            command: step.shown.clone(),
            code,
            ms,
        });
    }

    fn tell(&self, step: &Step, phase: Phase) {
        let what = || What::Command { topic: step.topic.to_string(), command: step.shown.clone(), phase };
        self.runtime.activity.tell(&self.agent.id, what);
    }
}

impl Step {
    /// Whether the step takes its turn like any other.
    fn waits(&self) -> bool {
        !matches!(self.command, Command::AtOnce(_))
    }
}

impl Ran {
    fn of(topic: Topic, result: Option<Result<String>>) -> Self {
        match result {
            Some(Ok(part)) => Self { parts: vec![(topic, part)], ..Self::default() },
            Some(Err(error)) => {
                Self { parts: vec![(topic, error.to_string())], code: Some(error.code), ..Self::default() }
            }
            None => Self::default(),
        }
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

fn given_up(step: &Step) -> Error {
    // What text for a shell is, a command or input for one, is known in its turn only.
    let shown = if step.shown.is_empty() { "text for the shell" } else { &step.shown };
    Error::new(Code::Interrupted, format!("Given up before its turn: {shown}"))
}

/// A bug: the log has the details under an id, and the agent gets the id.
fn internal_error(details: &str) -> Error {
    let id = ulid::Ulid::generate();
    tracing::error!(%id, details, "a command failed by a bug");
    Error::new(Code::InternalError, format!("A bug in String stopped this command ({id})."))
        .hint("The topic and the daemon go on. The log has the details: string system status")
}

fn panic_message(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("panic without a message")
}
