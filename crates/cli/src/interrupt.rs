//! Ctrl-C while a command runs: the first asks the daemon to stop the command, the second leaves.

use std::future::Future;
use std::pin::pin;

use client::Client;
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinSet;
use wire::ExecRequest;

use crate::failure::Failure;
use crate::output;

pub(crate) enum Outcome<T> {
    Finished(T),
    /// Ctrl-C was pressed twice.
    Abandoned,
}

/// Waits for work in a topic. A first Ctrl-C sends the interrupt and goes on waiting.
pub(crate) async fn watch<T>(
    client: &Client,
    topic: &str,
    work: impl Future<Output = T>,
) -> Result<Outcome<T>, Failure> {
    let mut presses = signal(SignalKind::interrupt())
        .map_err(|error| Failure::failed(format!("cannot listen for Ctrl-C: {error}")))?;
    let mut work = pin!(work);
    let mut asking = JoinSet::new();
    let mut pressed = false;
    loop {
        tokio::select! {
            biased;
            outcome = &mut work => return Ok(Outcome::Finished(outcome)),
            _ = presses.recv() => {
                if pressed {
                    return Ok(Outcome::Abandoned);
                }
                pressed = true;
                output::notice("interrupting; Ctrl-C again leaves at once");
                asking.spawn(interrupt(client.clone(), topic.to_owned()));
            }
        }
    }
}

/// `//` reaches String in shells too. Whether it helped shows in the reply that is being waited for.
async fn interrupt(client: Client, topic: String) {
    let request = ExecRequest { topic, cmd: "//interrupt".to_owned(), ..Default::default() };
    if let Err(error) = client.exec(&request).await {
        output::notice(&format!("could not interrupt: {error}"));
    }
}
