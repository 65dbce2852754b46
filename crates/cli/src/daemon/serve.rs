//! Being the daemon: in this terminal, or on its own.

use std::fs::File;
use std::io::{self, Write};

use server::{Error, Limits, Settings};

use super::{Link, blocking};
use crate::descriptors;
use crate::environment::Environment;
use crate::failure::{Failure, Status};
use crate::output;
use crate::root::Root;

/// What a detached daemon writes when its doors are open. Anything else is the reason why they are not.
pub(super) const READY: u8 = b'.';

/// `string --daemon foreground`: until Ctrl-C or SIGTERM.
pub(super) fn foreground(root: &Root, environment: &Environment) -> Result<Status, Failure> {
    let settings = settings(root, environment)?;
    let lock = root.lock_start().map_err(|error| {
        Failure::no_daemon(format!("cannot start the daemon: {}: {error}", root.path().display()))
    })?;
    let banner =
        format!("String daemon {} on {}. Ctrl-C stops it.", env!("CARGO_PKG_VERSION"), root.path().display());
    run(root, &settings, Some(lock), move || {
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
        run(root, &settings, None, || {
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
fn run(root: &Root, settings: &Settings, lock: Option<File>, ready: impl FnOnce()) -> Result<(), Failure> {
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
        if let Err(Error::AlreadyRunning(_)) = outcome
            && is_leaving(root).await
        {
            wait_for_the_root(root).await?;
            outcome = server::run(settings.clone(), &mut ready).await;
        }
        outcome.map_err(|error| Failure::no_daemon(error.to_string()))
    })
}

/// Whether the daemon that holds the root has closed its doors: it is flushing, and will be gone soon.
async fn is_leaving(root: &Root) -> bool {
    let health = Link::new(root.clone()).client().health().await;
    matches!(health, Err(client::Error::NotReachable { .. }))
}

/// Waits until the daemon that holds the root lets go of it.
async fn wait_for_the_root(root: &Root) -> Result<(), Failure> {
    let path = root.run().join("daemon.lock");
    blocking(move || File::open(path)?.lock_shared())
        .await
        .map_err(|error| Failure::no_daemon(format!("cannot wait for the former daemon: {error}")))
}
