//! The line before a topic: a request takes its place in it when it comes in, wherever and whenever it then runs.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Waker};

use futures::future::{MaybeDone, maybe_done};

use super::Call;
use crate::command::{Command, Step};
use crate::error::Result;
use crate::reply::Reply;
use crate::session::{Act, Topics, Turn};
use crate::topic::Topic;

/// A request that nothing which comes later can overtake. It runs nothing before it is told to, and dropped it gives
/// up its place.
pub struct Queued(pub(super) Fate);

pub(super) enum Fate {
    /// It was not understood.
    Refused(Reply),
    Lined {
        call: Call,
        topic: Topic,
        steps: Vec<Step>,
        held: Option<Held>,
    },
}

impl Queued {
    /// Waits for its turn, runs it, and gives the reply.
    pub async fn run(self) -> Reply {
        match self.0 {
            Fate::Refused(reply) => reply,
            Fate::Lined { call, topic, steps, held } => call.run(topic, steps, held).await,
        }
    }
}

impl Step {
    /// Whether the step takes its turn like any other.
    pub(super) fn waits(&self) -> bool {
        !matches!(self.command, Command::AtOnce(_))
    }
}

/// What the first step of a request holds from the moment it came in, so that nothing later is run before it.
pub(super) enum Held {
    Place(Place),
    Act(Act),
}

impl Held {
    pub(super) fn take(topics: &Arc<Topics>, step: &Step) -> Option<Self> {
        if step.waits() {
            return Some(Self::Place(Place::take(topics, &step.topic)));
        }
        topics.get(&step.topic).map(|session| Self::Act(session.begin_act()))
    }
}

/// A place in the line of a topic, which may already be its turn.
pub(super) struct Place(MaybeDone<Taking>);

type Taking = Pin<Box<dyn Future<Output = Result<Turn>> + Send>>;

impl Place {
    pub(super) fn take(topics: &Arc<Topics>, topic: &Topic) -> Self {
        let taking: Taking = Box::pin(turn_at(Arc::clone(topics), topic.clone()));
        let mut place = maybe_done(taking);
        // To ask once is to stand in line. Who waits for the answer says so when asking again.
        let _ = Pin::new(&mut place).poll(&mut Context::from_waker(Waker::noop()));
        Self(place)
    }

    pub(super) async fn turn(mut self) -> Result<Turn> {
        let mut place = Pin::new(&mut self.0);
        place.as_mut().await;
        place.take_output().expect("it is taken once, when it is done")
    }
}

async fn turn_at(topics: Arc<Topics>, topic: Topic) -> Result<Turn> {
    loop {
        let session = topics.enter(&topic)?;
        // Before the wait: an act that comes during it is for whatever runs then.
        let acts = session.acts();
        let turn = Turn::take(session).await?;
        acts.done().await;
        // Removed while this command waited: what was asked for is a session at this topic, so a fresh one.
        if !turn.session.is_closed() {
            return Ok(turn);
        }
    }
}
