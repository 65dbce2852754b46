//! `string --attach TOPIC`: a person at the terminal of an agent's shell.

mod keys;
mod raw;
mod screen;

use client::{Error, Keyboard, Screen, Shown};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;

use self::keys::Keys;
use self::raw::{Raw, Window};
use self::screen::Modes;
use crate::daemon::Link;
use crate::failure::{Failure, Status};
use crate::output;

/// Why the person is no longer at the terminal.
enum End {
    Detached,
    /// In the daemon's words.
    Over(String),
    Failed(Failure),
}

/// Attaches, and stays until the detach key, the end of the shell or a signal.
pub(crate) async fn run(link: &Link, topic: &str) -> Result<Status, Failure> {
    let window = Window::of_stdin();
    let attached = link.attempt(async || link.client().attach(topic, window.columns, window.rows).await);
    let (screen, keyboard) = attached.await?;
    let agent = link.client().speaks_as();
    output::print(&format!("Attached to {topic} of agent {agent}. {} detaches.", keys::DETACH_NAME))?;
    let raw = Raw::enter().map_err(|error| Failure::failed(format!("cannot use the terminal: {error}")))?;
    let mut modes = Modes::default();
    let end = match sit(screen, keyboard, window, &mut modes).await {
        Ok(end) => end,
        Err(failure) => End::Failed(failure),
    };
    let left = output::print_piece(&modes.leave());
    drop(raw);
    left?;
    match end {
        End::Detached => {
            output::print(&format!("\nDetached from {topic}. It goes on.")).map(|()| Status::Done)
        }
        End::Over(why) => output::print(&format!("\n{why}")).map(|()| Status::Done),
        End::Failed(failure) => Err(failure),
    }
}

/// Passes keys and output to and fro.
async fn sit(
    mut screen: Screen,
    mut keyboard: Keyboard,
    mut window: Window,
    modes: &mut Modes,
) -> Result<End, Failure> {
    let mut keys = keys::read();
    let mut resized = heard(SignalKind::window_change())?;
    let mut asked_to_end = heard(SignalKind::terminate())?;
    let mut hung_up = heard(SignalKind::hangup())?;
    loop {
        tokio::select! {
            shown = screen.next() => match shown.map_err(broken)? {
                Shown::Bytes(bytes) => {
                    modes.note(&bytes);
                    output::print_bytes(&bytes)?;
                }
                Shown::End(why) => return Ok(End::Over(why)),
            },
            typed = next(&mut keys) => match typed {
                Keys::Typed(bytes) => {
                    // The signal of a window that changed before may come after the keys.
                    follow(&mut window, &mut keyboard).await?;
                    keyboard.keys(bytes).await.map_err(broken)?;
                }
                Keys::Detach => return Ok(End::Detached),
            },
            _ = resized.recv() => follow(&mut window, &mut keyboard).await?,
            _ = asked_to_end.recv() => return Ok(End::Detached),
            _ = hung_up.recv() => return Ok(End::Detached),
        }
    }
}

/// Tells the shell of a window that is not what it was when last told.
async fn follow(told: &mut Window, keyboard: &mut Keyboard) -> Result<(), Failure> {
    let window = Window::of_stdin();
    if *told != window {
        keyboard.resize(window.columns, window.rows).await.map_err(broken)?;
        *told = window;
    }
    Ok(())
}

/// A terminal that is gone has nobody at it.
async fn next(keys: &mut mpsc::Receiver<Keys>) -> Keys {
    keys.recv().await.unwrap_or(Keys::Detach)
}

fn heard(kind: SignalKind) -> Result<tokio::signal::unix::Signal, Failure> {
    signal(kind).map_err(|error| Failure::failed(format!("cannot listen for signals: {error}")))
}

fn broken(error: Error) -> Failure {
    Failure::no_daemon(error.to_string())
}
