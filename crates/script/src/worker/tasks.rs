//! What a run waits for: answers of the host, timers, promises.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::io;
use std::time::{Duration, Instant};

use rquickjs::function::Rest;
use rquickjs::{Ctx, FromJs, Function, Persistent, Promise, Value};

use super::conversation::{Answer, Arguments, Conversation};
use crate::error::Error;
use crate::frame::Report;
use crate::host::{HostError, Level, Log};
use crate::limits::{IN_FLIGHT_MAX, LOG_BYTES_MAX, PENDING_MAX, QUEUED_BYTES_MAX, REJECTED_MAX, TIMERS_MAX};

/// Why a run does not go on.
pub(super) enum Stop {
    /// The engine holds an exception.
    Thrown,
    Failed(Error),
    /// The daemon is gone or does not keep to the protocol.
    Broken(io::Error),
}

pub(super) struct Tasks {
    conversation: Conversation,
    deadline: Instant,
    waiting: RefCell<Waiting>,
}

#[derive(Default)]
struct Waiting {
    asked: HashMap<u64, Asked>,
    in_flight: usize,
    queue: VecDeque<Question>,
    queued_bytes: usize,
    timers: BTreeMap<(Instant, u64), Persistent<Function<'static>>>,
    due: HashMap<u64, Instant>,
    next_timer: u64,
    /// Promises that were rejected and that nobody has looked at, each with its reason.
    rejected: Vec<(Persistent<Value<'static>>, Persistent<Value<'static>>)>,
}

struct Asked {
    resolve: Persistent<Function<'static>>,
    reject: Persistent<Function<'static>>,
    effect: Effect,
}

/// Whether a run that has its result still waits for the answer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    /// A write that was begun must not be lost because nobody awaited it.
    Write,
    Other,
}

struct Question {
    id: u64,
    method: String,
    arguments: Arguments,
}

impl Question {
    fn bytes(&self) -> usize {
        self.arguments.as_ref().map_or(0, |arguments| arguments.get().len())
    }
}

impl Tasks {
    pub(super) fn new(conversation: Conversation, deadline: Instant) -> Self {
        Self { conversation, deadline, waiting: RefCell::default() }
    }

    /// Begins a call of the host.
    pub(super) fn ask<'js>(
        &self,
        ctx: &Ctx<'js>,
        method: String,
        arguments: Arguments,
    ) -> rquickjs::Result<Promise<'js>> {
        let (promise, resolve, reject) = ctx.promise()?;
        let mut waiting = self.waiting.borrow_mut();
        let effect = Effect::of(&method);
        let question = Question { id: self.conversation.next_id(), method, arguments };
        let bytes = question.bytes();
        if waiting.asked.len() >= PENDING_MAX || waiting.queued_bytes + bytes > QUEUED_BYTES_MAX {
            drop(waiting);
            let message = "too many calls are waiting for their answers: await some of them first";
            reject.call::<_, ()>((refusal(ctx, &flood(message))?,))?;
            return Ok(promise);
        }
        let (resolve, reject) = (Persistent::save(ctx, resolve), Persistent::save(ctx, reject));
        waiting.asked.insert(question.id, Asked { resolve, reject, effect });
        waiting.queued_bytes += bytes;
        waiting.queue.push_back(question);
        Ok(promise)
    }

    /// Calls the host and waits for its answer.
    pub(super) fn ask_now(&self, method: String, arguments: Arguments) -> io::Result<Answer> {
        let id = self.conversation.next_id();
        self.conversation.ask(id, method, arguments)?;
        self.conversation.answer_to(id)
    }

    pub(super) fn set_timer<'js>(&self, ctx: &Ctx<'js>, run: Function<'js>, after: Duration) -> Option<u64> {
        let mut waiting = self.waiting.borrow_mut();
        if waiting.timers.len() >= TIMERS_MAX {
            return None;
        }
        let id = waiting.next_timer + 1;
        // Further away than the deadline is as good as never.
        let due = Instant::now() + after.min(Duration::from_secs(86_400));
        waiting.next_timer = id;
        waiting.timers.insert((due, id), Persistent::save(ctx, run));
        waiting.due.insert(id, due);
        Some(id)
    }

    pub(super) fn clear_timer(&self, id: u64) {
        let mut waiting = self.waiting.borrow_mut();
        if let Some(due) = waiting.due.remove(&id) {
            waiting.timers.remove(&(due, id));
        }
    }

    pub(super) fn log(&self, level: Level, mut text: String) {
        if text.len() > LOG_BYTES_MAX {
            text.truncate(text.floor_char_boundary(LOG_BYTES_MAX));
            text.push('…');
        }
        // A broken line shows when the run waits for the next answer, at the latest when it ends.
        let _ = self.conversation.send(&Report::Log(Log { level, text }));
    }

    pub(super) fn rejected<'js>(
        &self,
        ctx: &Ctx<'js>,
        promise: Value<'js>,
        reason: Value<'js>,
        handled: bool,
    ) {
        let rejected = &mut self.waiting.borrow_mut().rejected;
        if handled {
            let same = |other: &Persistent<Value<'static>>| {
                other.clone().restore(ctx).is_ok_and(|other| other == promise)
            };
            rejected.retain(|(other, _)| !same(other));
        } else if rejected.len() < REJECTED_MAX {
            rejected.push((Persistent::save(ctx, promise), Persistent::save(ctx, reason)));
        }
    }

    /// Runs until the promise is settled.
    pub(super) fn drive<'js, T: FromJs<'js>>(
        &self,
        ctx: &Ctx<'js>,
        promise: &Promise<'js>,
    ) -> Result<T, Stop> {
        loop {
            self.run_jobs(ctx)?;
            if let Some(result) = promise.result() {
                return Ok(result?);
            }
            if !self.run_timer(ctx)? {
                self.wait(ctx)?;
            }
        }
    }

    /// Sees to writes that nobody awaited, and to rejections that nobody saw.
    pub(super) fn finish_writes(&self, ctx: &Ctx<'_>) -> Result<(), Stop> {
        while self.waiting.borrow().asked.values().any(|asked| asked.effect == Effect::Write) {
            self.run_jobs(ctx)?;
            self.wait(ctx)?;
        }
        self.run_jobs(ctx)?;
        let rejected = std::mem::take(&mut self.waiting.borrow_mut().rejected);
        for (_, reason) in rejected {
            let reason = reason.restore(ctx)?;
            let text = reason.as_exception().and_then(|error| error.message());
            let text = text.unwrap_or_else(|| reason.type_name().to_owned());
            self.log(Level::Error, format!("a promise was rejected, and nobody awaited it: {text}"));
        }
        Ok(())
    }

    /// Lets go of everything that refers to the engine.
    pub(super) fn clear(&self) {
        *self.waiting.borrow_mut() = Waiting::default();
    }

    fn run_jobs(&self, ctx: &Ctx<'_>) -> Result<(), Stop> {
        loop {
            self.check_deadline()?;
            if !ctx.execute_pending_job() {
                return self.send_questions();
            }
        }
    }

    /// Runs the first timer that is due.
    fn run_timer(&self, ctx: &Ctx<'_>) -> Result<bool, Stop> {
        let timer = {
            let mut waiting = self.waiting.borrow_mut();
            match waiting.timers.first_key_value() {
                Some((&(due, id), _)) if due <= Instant::now() => {
                    waiting.due.remove(&id);
                    waiting.timers.remove(&(due, id))
                }
                _ => None,
            }
        };
        let Some(timer) = timer else { return Ok(false) };
        timer.restore(ctx)?.call::<_, Value<'_>>((Rest::<Value<'_>>(Vec::new()),))?;
        Ok(true)
    }

    fn wait(&self, ctx: &Ctx<'_>) -> Result<(), Stop> {
        let (timer, asked) = {
            let waiting = self.waiting.borrow();
            (waiting.timers.keys().next().map(|(due, _)| *due), !waiting.asked.is_empty())
        };
        if timer.is_none() && !asked {
            return Err(Stop::Failed(Error::Stuck));
        }
        let until = timer.map_or(self.deadline, |due| due.min(self.deadline));
        match self.conversation.answer(until).map_err(Stop::Broken)? {
            Some((id, answer)) => self.settle(ctx, id, answer),
            None => self.check_deadline(),
        }
    }

    fn settle(&self, ctx: &Ctx<'_>, id: u64, answer: Answer) -> Result<(), Stop> {
        let asked = {
            let mut waiting = self.waiting.borrow_mut();
            let Some(asked) = waiting.asked.remove(&id) else { return Ok(()) };
            waiting.in_flight -= 1;
            asked
        };
        let (resolve, reject) = (asked.resolve.restore(ctx)?, asked.reject.restore(ctx)?);
        match answer {
            Ok(value) => resolve.call::<_, ()>((ctx.json_parse(value.get())?,))?,
            Err(error) => reject.call::<_, ()>((refusal(ctx, &error)?,))?,
        }
        Ok(())
    }

    fn send_questions(&self) -> Result<(), Stop> {
        loop {
            let question = {
                let mut waiting = self.waiting.borrow_mut();
                if waiting.in_flight == IN_FLIGHT_MAX {
                    return Ok(());
                }
                let Some(question) = waiting.queue.pop_front() else { return Ok(()) };
                waiting.in_flight += 1;
                waiting.queued_bytes -= question.bytes();
                question
            };
            let Question { id, method, arguments } = question;
            self.conversation.ask(id, method, arguments).map_err(Stop::Broken)?;
        }
    }

    fn check_deadline(&self) -> Result<(), Stop> {
        if Instant::now() >= self.deadline { Err(Stop::Thrown) } else { Ok(()) }
    }
}

impl Effect {
    fn of(method: &str) -> Self {
        let reads = ["state.get", "state.list", "task.getState", "task.getToolState"];
        let durable = method.starts_with("state.") || method.starts_with("task.");
        if durable && !reads.contains(&method) { Self::Write } else { Self::Other }
    }
}

impl From<rquickjs::Error> for Stop {
    fn from(_: rquickjs::Error) -> Self {
        Self::Thrown
    }
}

/// A refusal as a plain object; the prelude makes the error that the script sees.
pub(super) fn refusal<'js>(ctx: &Ctx<'js>, error: &HostError) -> rquickjs::Result<Value<'js>> {
    let object = rquickjs::Object::new(ctx.clone())?;
    object.set("name", error.name.as_str())?;
    object.set("code", error.code.as_str())?;
    object.set("message", error.message.as_str())?;
    object.set("retryable", error.retryable)?;
    Ok(object.into_value())
}

fn flood(message: &str) -> HostError {
    HostError {
        name: "FloError".into(),
        code: "too_many_calls".into(),
        message: message.into(),
        retryable: false,
    }
}
