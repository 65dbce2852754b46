//! The daemon's life as the command line sees it: reached, started, replaced, stopped.

mod serve;
mod start;
mod status;
mod stop;

use std::io;
use std::time::{Duration, Instant};

use client::{AgentId, Client, Error};

use crate::arguments::Action;
use crate::environment::{self, Environment};
use crate::failure::{Failure, Status};
use crate::output;
use crate::root::Root;
use start::Found;

/// The way to the daemon of one root, which is started on the way if need be.
#[derive(Debug)]
pub(crate) struct Link {
    root: Root,
    client: Client,
}

/// `string --daemon ACTION`.
pub(crate) fn manage(action: Action, environment: &Environment) -> Result<Status, Failure> {
    let root = environment.root()?;
    match action {
        Action::Foreground => serve::foreground(&root, environment),
        Action::Detached => serve::detached(&root, environment),
        Action::Start => {
            environment.port()?;
            crate::block_on(start::start(&Link::new(root)))
        }
        Action::Stop => crate::block_on(stop::stop(&Link::new(root))),
        Action::Status => crate::block_on(status::status(&Link::new(root))),
    }
}

impl Link {
    pub(crate) fn new(root: Root) -> Self {
        Self { client: Client::unix(root.socket()), root }
    }

    pub(crate) fn agent(self, id: AgentId) -> Self {
        Self { client: self.client.agent(id), ..self }
    }

    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    pub(crate) fn root(&self) -> &Root {
        &self.root
    }

    /// Tries something with the daemon. One that is missing is started first; one that is older and idle is
    /// replaced. Each happens once: what fails again is an error.
    pub(crate) async fn attempt<T>(
        &self,
        mut once: impl AsyncFnMut() -> Result<T, Error>,
    ) -> Result<T, Failure> {
        let mut outcome = once().await;
        if let Err(error @ Error::NotReachable { .. }) = outcome {
            self.repair(&error).await?;
            outcome = once().await;
        }
        if let Err(error @ Error::Outdated) = outcome {
            self.repair(&error).await?;
            outcome = once().await;
        }
        outcome.map_err(|error| failure(&error))
    }

    /// Starts a daemon that is missing, replaces one that is too old. Anything else stays what it is.
    pub(crate) async fn repair(&self, error: &Error) -> Result<(), Failure> {
        match error {
            Error::NotReachable { .. } => start::ensure(self).await,
            Error::Outdated => {
                output::notice("the daemon is older than this program; restarting it");
                start::replace(self).await
            }
            error => Err(failure(error)),
        }
    }

    /// Looks time and again, until a daemon answers, or one that died has been missed for so long. One that was stopped
    /// is not missed: somebody wanted it so, and whoever wants it back starts it.
    pub(crate) async fn look_for_daemon(&self, every: Duration, missed: Duration) {
        let begun = Instant::now();
        loop {
            tokio::time::sleep(every).await;
            match start::found(self).await {
                Found::Running => return,
                Found::Dead if begun.elapsed() >= missed => return,
                Found::Dead | Found::Nothing => {}
            }
        }
    }

    /// Passes on what an agent says, which never counts as a person's word.
    pub(crate) fn for_agent(self) -> Self {
        Self { client: self.client.for_agent(), ..self }
    }
}

/// Fails where a daemon that does not answer may well run: inside String's own shells it cannot be seen.
fn out_of_reach(link: &Link) -> Result<(), Failure> {
    if !(link.root.is_read_only() && environment::is_inside_a_shell()) {
        return Ok(());
    }
    let place = link.root.path().display();
    Err(Failure::no_daemon(format!(
        "String cannot be reached from here: {place} is read-only, as in the shells and commands that String runs.\n  \
         Call it in a terminal outside of them. Inside a bash topic, // begins a command of String: //info"
    )))
}

fn failure(error: &Error) -> Failure {
    match error {
        Error::Refused { error, .. } => Failure::failed(crate::call::error_text(error)),
        Error::TooLarge => Failure::usage(error.to_string()),
        error => Failure::no_daemon(error.to_string()),
    }
}

/// Runs something that blocks, so that Ctrl-C is still heard.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> io::Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(io::Error::other)?
}
