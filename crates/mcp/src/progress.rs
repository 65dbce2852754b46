//! Progress notifications: that a command still runs, and what it shows meanwhile.

use std::convert::Infallible;
use std::time::{Duration, Instant};

use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::Peer;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Clients give up on a call that is silent for long; this keeps them waiting.
const STILL_RUNNING: Duration = Duration::from_secs(5);
/// How much of the latest output a notification carries.
const SHOWN: usize = 200;

/// Tells the client how a command goes, for as long as this is polled, and no more once the client has cancelled it: the
/// command takes its time to end, and the client may use the token again.
pub(crate) async fn report(
    peer: Peer<RoleServer>,
    token: Option<ProgressToken>,
    live: mpsc::Receiver<String>,
    cancelled: &CancellationToken,
) -> Infallible {
    if let Some(token) = token {
        tokio::select! {
            biased;
            () = cancelled.cancelled() => {}
            () = tell(peer, token, live) => {}
        }
    }
    std::future::pending().await
}

/// Ends with the command's output, or with the conversation.
async fn tell(peer: Peer<RoleServer>, token: ProgressToken, mut live: mpsc::Receiver<String>) {
    let started = Instant::now();
    for number in 1_u32.. {
        let message = match tokio::time::timeout(STILL_RUNNING, live.recv()).await {
            Ok(Some(first)) => {
                let later = std::iter::from_fn(|| live.try_recv().ok());
                latest_line(&later.fold(first, |text, piece| text + &piece))
            }
            Ok(None) => return,
            Err(_) => format!("running for {} s", started.elapsed().as_secs()),
        };
        let progress = ProgressNotificationParam::new(token.clone(), f64::from(number)).with_message(message);
        if peer.notify_progress(progress).await.is_err() {
            return;
        }
    }
}

fn latest_line(text: &str) -> String {
    let line = text.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    line.chars().take(SHOWN).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_line_that_says_something_is_shown() {
        assert_eq!(latest_line("one\n two \n\n"), "two");
        assert_eq!(latest_line("\n"), "");
        assert_eq!(latest_line(&"é".repeat(300)).chars().count(), SHOWN);
    }
}
