//! A turn: the right to run one command in a session, taken in order of arrival.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::sync::OwnedMutexGuard;
use tokio_util::sync::CancellationToken;

use super::{Running, Session, State};
use crate::agent::Workspace;
use crate::error::{Code, Error, Result};

/// How many commands may wait for a busy topic. More is a caller that does not read its replies.
pub const WAITING_MAX: usize = 16;
/// How long a command waits. Longer, and its caller has most likely given up.
pub const WAIT_MAX: Duration = Duration::from_secs(60);

/// Holds the session until dropped.
#[derive(Debug)]
pub struct Turn {
    pub session: Arc<Session>,
    pub state: OwnedMutexGuard<State>,
    cancel: CancellationToken,
}

impl Turn {
    /// Waits for the session. Dropping the future gives up the place in the queue.
    pub async fn take(session: Arc<Session>) -> Result<Self> {
        let lock = Arc::clone(&session.state);
        // A free lock with nobody before us: the common case takes no place and sets no timer.
        let state = match Arc::clone(&lock).try_lock_owned() {
            Ok(state) => state,
            Err(_) => {
                let _place = Place::take(&session)?;
                let waited = tokio::time::timeout(WAIT_MAX, lock.lock_owned()).await;
                waited.map_err(|_| timed_out(&session))?
            }
        };
        Ok(Self { session, state, cancel: CancellationToken::new() })
    }

    /// Names the command about to run, so that others see it and can stop it.
    pub fn begin(&mut self, command: &str) -> CancellationToken {
        self.cancel = CancellationToken::new();
        let running = Running { command: command.to_owned(), cancel: self.cancel.clone() };
        self.session.glance().running = Some(Box::new(running));
        self.cancel.clone()
    }

    /// The command has ended: what others see of the session is what it has left.
    pub fn end(&mut self, workspace: &Workspace) {
        let location = self.state.location(workspace).map(Into::into);
        let mut glance = self.session.glance();
        (glance.running, glance.location) = (None, location);
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.session.glance().running = None;
    }
}

/// One of the places in the queue.
struct Place<'a>(&'a Session);

impl<'a> Place<'a> {
    fn take(session: &'a Session) -> Result<Self> {
        let taken = session.waiting.fetch_update(Ordering::AcqRel, Ordering::Acquire, |waiting| {
            (waiting < WAITING_MAX).then_some(waiting + 1)
        });
        taken.map(|_| Self(session)).map_err(|_| queue_full(session))
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::AcqRel);
    }
}

fn queue_full(session: &Session) -> Error {
    let message = format!("{WAITING_MAX} commands already wait for {}.", session.topic);
    with_way_out(Error::new(Code::QueueFull, message), session)
}

fn timed_out(session: &Session) -> Error {
    let message = format!("{} was busy for {} s.", session.topic, WAIT_MAX.as_secs());
    with_way_out(Error::new(Code::QueueTimeout, message), session)
}

fn with_way_out(error: Error, session: &Session) -> Error {
    let running = session.running().map(|command| format!("Running: {command}"));
    let slashes = session.topic.slashes();
    let stop = format!("Stop it with {slashes}interrupt, or use another topic: topics run in parallel.");
    error.hints(running).hint(stop)
}

#[cfg(test)]
mod tests {
    use store::SystemClock;

    use super::super::Map;
    use super::*;
    use crate::activity;
    use crate::agent;
    use crate::topic::Topic;

    #[tokio::test]
    async fn a_command_that_has_ended_is_not_shown_as_running_though_its_turn_goes_on() {
        let map = Map::new(activity::Stream::new(Arc::new(SystemClock)));
        let topics = map.of(&agent::Id::default_agent());
        let session = topics.enter(&Topic::parse("main").unwrap()).unwrap();
        let workspace = Workspace::new("/home/u".into(), vec![], "/home/u/.string".into());
        assert!(!map.busy());
        let mut turn = Turn::take(Arc::clone(&session)).await.unwrap();
        turn.begin("/info");
        assert_eq!(session.running().as_deref(), Some("/info"));
        turn.end(&workspace);
        assert_eq!(session.running(), None);
        assert!(map.busy(), "another command of the same call may follow");
        drop(turn);
        assert!(!map.busy());
    }
}
