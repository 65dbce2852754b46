//! Ctrl-C while a command runs: the first asks the daemon to stop the command, the second leaves.

use std::future::Future;
use std::pin::pin;

use client::Client;
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinSet;

use crate::failure::Failure;
use crate::output;

pub(crate) enum Outcome<T> {
    Finished(T),
    /// Ctrl-C was pressed twice.
    Abandoned,
}

/// What a command is called, so that it and no other can be stopped.
pub(crate) fn fresh_id() -> String {
    ulid::Ulid::generate().to_string()
}

/// Waits for a command, which the daemon knows by its id. A first Ctrl-C asks to stop it and goes on waiting.
pub(crate) async fn watch<T>(
    client: &Client,
    request_id: &str,
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
                asking.spawn(interrupt(client.clone(), request_id.to_owned()));
            }
        }
    }
}

/// Whether it helped shows in the reply that is being waited for.
async fn interrupt(client: Client, request_id: String) {
    if let Err(error) = client.cancel(&request_id).await {
        output::notice(&format!("could not interrupt: {error}"));
    }
}
