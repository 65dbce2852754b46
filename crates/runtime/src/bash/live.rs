//! Live output of shells and commands on its way to whoever watches.

use shell::Live;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use crate::sink::{self, Sink};

/// Prompts and progress bars are shorter; what is longer comes when its line ends.
const LINE_MAX: usize = 1024;

/// Passes live output on until `run` has ended.
pub async fn pass_on<T>(
    mut live: broadcast::Receiver<Live>,
    sink: &dyn Sink,
    run: impl Future<Output = T>,
) -> T {
    let mut run = std::pin::pin!(run);
    loop {
        tokio::select! {
            biased;
            event = live.recv() => match event {
                Ok(event) => send(&event, sink),
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return run.await,
            },
            done = &mut run => {
                // What was printed last may still lie in the channel.
                while let Ok(event) = live.try_recv() {
                    send(&event, sink);
                }
                return done;
            }
        }
    }
}

/// A line that is not finished yet is progress: the next thing replaces it.
fn send(event: &Live, sink: &dyn Sink) {
    match event {
        Live::Text(text) => sink.send(sink::Live::Output(text)),
        Live::Line(text) if text.len() <= LINE_MAX => sink.send(sink::Live::Progress(text)),
        Live::Line(_) | Live::Finished(_) | Live::Died(_) => {}
    }
}
