//! The steps of a request, one turn of a topic after the other, and what becomes of their replies.

use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::time::Instant;

use futures::FutureExt;
use tokio_util::sync::CancellationToken;

use super::Call;
use super::queue::{Held, Place};
use super::turn::failed_by_a_bug;
use crate::command::{self, Command, Format, Step};
use crate::error::{Code, Error, Result};
use crate::reply::{Meta, Reply};
use crate::topic::Topic;
use crate::{detach, long};

/// What came of some steps.
#[derive(Default)]
pub(super) struct Ran {
    /// The replies, each with the topic it came from.
    pub(super) parts: Vec<(Topic, String)>,
    pub(super) code: Option<Code>,
    pub(super) meta: Meta,
    /// Why the first step did not get its turn, which ends them all.
    pub(super) turned_away: Option<Error>,
    /// Steps that did not get their turn, because one before them failed or removed the session.
    pub(super) left: Vec<Step>,
}

impl Call {
    /// Runs the steps, of which the first may have its place already.
    pub(super) async fn run(self, topic: Topic, steps: Vec<Step>, mut held: Option<Held>) -> Reply {
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
        ran.unwrap_or_else(|panic| Ran::of(topic, Some(Err(failed_by_a_bug(&*panic)))))
    }

    /// Nobody wants the reply any more: its caller has said so, or the daemon stops.
    pub(super) async fn unwanted(&self) {
        tokio::select! {
            () = self.cancel.cancelled() => {}
            () = self.runtime.stop.cancelled() => {}
        }
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

fn given_up(step: &Step) -> Error {
    // What text for a shell is, a command or input for one, is known in its turn only.
    let shown = if step.shown.is_empty() { "text for the shell" } else { &step.shown };
    Error::new(Code::Interrupted, format!("Given up before its turn: {shown}"))
}
