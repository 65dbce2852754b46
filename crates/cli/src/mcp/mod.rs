//! `string --mcp`: brings an MCP client and the daemon together, and stays in case the daemon leaves.
//!
//! The daemon is given the client's streams and talks to it without anybody in between. Should it die, what it owes is
//! answered here, and the next message finds a new daemon that goes on where the old one was. A client that waits to be
//! told of changes may have nothing more to say: for it, a new daemon is looked for.

mod ends;

use std::io;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use mcp::{Record, Streams};
use wire::stdio::Seat;

use crate::agent;
use crate::daemon::Link;
use crate::failure::{Failure, Status};
use crate::output;
use ends::Ends;

/// As much is read at once while no daemon does it.
const CHUNK: usize = 16 * 1024;
/// What is said of a request that a daemon took with it.
const DIED: &str = "it stopped meanwhile. The command may have run.";

/// How often a daemon is looked for on behalf of a client that says nothing …
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// … and how long one that died is missed before it is started again. Where none lasts it takes longer from one to the
/// next: they may all die of the same thing.
const MISSED_MAX: Duration = Duration::from_secs(30);

/// Which tools the client is told of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Listing {
    One,
    /// The installed ones too.
    Installed,
}

/// Serves one client until it closes our standard input and has its answers.
pub(crate) async fn run(link: Link, cwd: Option<String>, listing: Listing) -> Result<Status, Failure> {
    if link.client().speaks_as() != agent::DEFAULT {
        // A client with a slip in its settings must not look connected. Without a daemon there is nobody to ask, and the
        // client is told so with each of its requests.
        match agent::check(&link).await {
            Err(failure) if failure.status != Status::NoDaemon => return Err(failure),
            _ => {}
        }
    }
    let ends = Ends::of_this_process().map_err(broken)?;
    let record = Record::new().map_err(broken)?;
    let seat = Seat { cwd, tools: listing == Listing::Installed };
    let front = Front { link: link.for_agent(), seat, ends, record };
    let served = front.serve().await;
    let written = front.ends.finish();
    served.and(output::written(written)).map(|()| Status::Done)
}

fn broken(error: io::Error) -> Failure {
    Failure::failed(format!("the conversation broke off: {error}"))
}

struct Front {
    link: Link,
    seat: Seat,
    ends: Ends,
    record: Record,
}

impl Front {
    /// One daemon after the other, until the client leaves. A daemon is needed only once the client says something, or
    /// while it waits to be told of changes.
    async fn serve(&self) -> Result<(), Failure> {
        let mut missed = LOOK_EVERY;
        loop {
            tokio::select! {
                heard = self.hear() => if !heard.map_err(broken)? {
                    return Ok(());
                },
                () = self.link.look_for_daemon(LOOK_EVERY, missed), if self.record.holds_subscriptions() => {}
            }
            let begun = Instant::now();
            let descriptors = [self.ends.input.as_fd(), self.ends.output.as_fd(), self.record.as_fd()];
            let client = self.link.client();
            let handed = self.link.attempt(async || client.converse(&self.seat, descriptors).await).await;
            let why = match handed {
                Ok(conversation) => match conversation.end().await {
                    Some(farewell) => return farewell.error.map_or(Ok(()), |why| Err(Failure::failed(why))),
                    None => DIED.to_owned(),
                },
                Err(failure) => failure.message,
            };
            self.refuse(&why).await.map_err(broken)?;
            let has_lasted = begun.elapsed() > MISSED_MAX;
            missed = if has_lasted { LOOK_EVERY } else { MISSED_MAX.min(missed * 2) };
        }
    }

    /// Waits until the client says something, which is kept for the daemon. Whether there was anything. What is dropped
    /// while it waits has taken nothing.
    async fn hear(&self) -> io::Result<bool> {
        let mut buffer = vec![0; CHUNK];
        // Only while it is needed: whoever reads shall be the only one that is woken.
        let count = self.streams()?.read(&mut buffer).await?;
        // A last line counts without its end too.
        let said = if count == 0 && self.record.holds_input() { b"\n" } else { &buffer[..count] };
        self.record.keep(said);
        Ok(!said.is_empty())
    }

    /// Answers what nobody else will.
    async fn refuse(&self, why: &str) -> io::Result<()> {
        let streams = self.streams()?;
        if self.record.take_cut() {
            streams.write(b"\n".to_vec()).await?;
        }
        for request in self.record.take_unanswered() {
            streams.write(request.refusal(why)).await?;
        }
        Ok(())
    }

    fn streams(&self) -> io::Result<Streams> {
        Streams::new(self.ends.input.try_clone()?, self.ends.output.try_clone()?)
    }
}
