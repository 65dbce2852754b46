//! Being the daemon: in this terminal, or on its own.

use std::fs::File;
use std::io::{self, Write};
use std::time::Duration;

use server::{Error, Limits, Settings};
use tokio::sync::oneshot;

use super::Link;
use crate::descriptors;
use crate::environment::Environment;
use crate::failure::{Failure, Status};
use crate::output;
use crate::root::Root;

/// What a detached daemon writes when its doors are open. Anything else is the reason why they are not.
pub(super) const READY: u8 = b'.';

/// How long a daemon that holds the root may take to answer or to end.
const PATIENCE: Duration = Duration::from_secs(30);
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// What a daemon is that turns out to be there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Another {
    /// All that was wanted.
    Serves,
    IsInTheWay,
}

/// `string --daemon foreground`: until Ctrl-C or SIGTERM.
pub(super) fn foreground(root: &Root, environment: &Environment) -> Result<Status, Failure> {
    let settings = settings(root, environment)?;
    let lock = root.lock_start().map_err(|error| {
        Failure::no_daemon(format!("cannot start the daemon: {}: {error}", root.path().display()))
    })?;
    let banner =
        format!("String daemon {} on {}. Ctrl-C stops it.", env!("CARGO_PKG_VERSION"), root.path().display());
    run(root, &settings, Some(lock), Another::IsInTheWay, move || {
        // A closed stdout is no reason not to serve.
        let _ = output::print(&banner);
    })?;
    output::print("String daemon stopped.")?;
    Ok(Status::Done)
}

/// What `start` runs: reports on stdout, then belongs to nobody. Whoever started it holds the start lock.
pub(super) fn detached(root: &Root, environment: &Environment) -> Result<Status, Failure> {
    let outcome = leave_the_caller().and_then(|()| {
        let settings = settings(root, environment)?;
        run(root, &settings, None, Another::Serves, || {
            // The caller listens until this end closes; one that is gone does not matter.
            let _ = output::print_piece(char::from(READY).encode_utf8(&mut [0; 4]));
            let _ = silence();
        })
    });
    match outcome {
        Ok(()) => Ok(Status::Done),
        Err(failure) => {
            output::print(&failure.message)?;
            Err(Failure::new(failure.status, ""))
        }
    }
}

fn leave_the_caller() -> Result<(), Failure> {
    let failed = |error: io::Error| Failure::no_daemon(format!("cannot leave the caller: {error}"));
    descriptors::close_inherited().map_err(failed)?;
    rustix::process::setsid().map_err(|error| failed(error.into()))?;
    Ok(())
}

/// Closes the pipe to the caller; from now on nothing that is printed goes anywhere.
fn silence() -> io::Result<()> {
    let nowhere = File::options().write(true).open("/dev/null")?;
    io::stdout().flush()?;
    Ok(rustix::stdio::dup2_stdout(nowhere)?)
}

fn settings(root: &Root, environment: &Environment) -> Result<Settings, Failure> {
    Ok(Settings {
        root: root.path().to_owned(),
        home: environment.home()?,
        port: environment.port()?,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        limits: Limits::default(),
        shells: Some(environment.shells()),
    })
}

/// Serves to the end. `lock` keeps other callers from starting one until this one is ready.
fn run(
    root: &Root,
    settings: &Settings,
    lock: Option<File>,
    another: Another,
    ready: impl FnOnce(),
) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::no_daemon(format!("cannot start the daemon: {error}")))?;
    let mut once = Some((lock, ready));
    let mut ready = || {
        if let Some((lock, ready)) = once.take() {
            drop(lock);
            ready();
        }
    };
    runtime.block_on(async {
        let mut outcome = server::run(settings.clone(), &mut ready).await;
        if let Err(Error::AlreadyRunning(_)) = outcome {
            match settled(root).await? {
                Settled::Free => outcome = server::run(settings.clone(), &mut ready).await,
                Settled::Served if matches!(another, Another::Serves) => {
                    ready();
                    return Ok(());
                }
                Settled::Served => {}
            }
        }
        outcome.map_err(|error| Failure::no_daemon(error.to_string()))
    })
}

/// What becomes of a root that another daemon holds.
enum Settled {
    /// It was about to end.
    Free,
    /// It answers.
    Served,
}

/// One that does not answer flushes and will be gone soon, or makes a door anew that was removed.
async fn settled(root: &Root) -> Result<Settled, Failure> {
    tokio::select! {
        freed = freed(root) => freed.map(|()| Settled::Free),
        () = served(root) => Ok(Settled::Served),
        () = tokio::time::sleep(PATIENCE) => Err(silent(root)),
    }
}

/// Waits until the daemon that holds the root lets go of it.
async fn freed(root: &Root) -> Result<(), Failure> {
    let (path, (told, free)) = (root.daemon_lock(), oneshot::channel());
    // A thread that nobody waits for: it may wait for longer than anybody wants to.
    std::thread::spawn(move || told.send(File::open(path).and_then(|lock| lock.lock_shared())));
    let freed = free.await.map_err(io::Error::other).flatten();
    freed.map_err(|error| Failure::no_daemon(format!("cannot wait for the former daemon: {error}")))
}

/// Waits until the daemon that holds the root answers.
async fn served(root: &Root) {
    let link = Link::new(root.clone());
    while let Err(client::Error::NotReachable { .. }) = link.client().health().await {
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// Something holds the root and neither answers nor ends.
fn silent(root: &Root) -> Failure {
    let who = root.daemon_id().map_or_else(|| "another daemon".to_owned(), |pid| format!("the daemon {pid}"));
    let way_out = root.daemon_id().map(|pid| format!("; end it: kill {pid}")).unwrap_or_default();
    Failure::no_daemon(format!("{who} holds {} and does not answer{way_out}", root.path().display()))
}
