//! Starting the daemon: once, however many callers ask at the same moment.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use client::Error;
use semver::Version;

use super::serve::READY;
use super::{Link, blocking, failure, out_of_reach, stop};
use crate::failure::{Failure, Status};
use crate::output;

/// What a second process of this binary runs.
const DETACHED: [&str; 2] = ["--daemon", "detached"];
/// Said when everything works but HTTP.
const NO_PORT: &str = "another program has its port, so only the socket is served: no HTTP, no webhooks.\n  \
    Free the port, or set STRING_PORT to another one, and restart: string --daemon stop, then string --daemon start";
/// The running program itself, even if its file has been replaced or removed.
const SELF: &str = "/proc/self/exe";

/// `string --daemon start`.
pub(super) async fn start(link: &Link) -> Result<Status, Failure> {
    let word = match link.client().health().await {
        Ok(_) => "already running",
        Err(_) => {
            link.attempt(async || link.client().health().await).await?;
            "started"
        }
    };
    let pid = link.root.daemon_id().map(|pid| format!(" (pid {pid})")).unwrap_or_default();
    output::print(&format!("String daemon {word}{pid}."))?;
    // An older daemon does not say.
    if link.client().describe().await.is_ok_and(|described| described.port.is_none()) {
        output::notice(NO_PORT);
    }
    Ok(Status::Done)
}

/// Makes sure that a daemon answers. Whoever takes the lock first starts it; the others find it running.
pub(super) async fn ensure(link: &Link) -> Result<(), Failure> {
    let lock = lock(link).await?;
    match link.client().health().await {
        Err(Error::NotReachable { .. }) => spawn(link, lock).await,
        _ => Ok(()),
    }
}

/// What there is of a daemon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    Running,
    /// It died, and nobody has started another.
    Dead,
    /// There was none, or it was stopped.
    Nothing,
}

pub(super) async fn found(link: &Link) -> Found {
    // Looked at first: the lock would make a root anew that somebody has removed.
    if link.root.daemon_id().is_none() {
        return Found::Nothing;
    }
    // Whoever starts one is waited for.
    let Ok(_lock) = lock(link).await else { return Found::Nothing };
    match link.client().health().await {
        Ok(_) | Err(Error::Outdated) => Found::Running,
        Err(_) if link.root.has_dead_daemon() => Found::Dead,
        Err(_) => Found::Nothing,
    }
}

/// One that died counts as stopped from now on.
pub(super) async fn forget_dead(link: &Link) -> Result<(), Failure> {
    if link.root.daemon_id().is_some() {
        let _lock = lock(link).await?;
        if link.root.has_dead_daemon() {
            // Only those who would start it again look at the file.
            let _ = std::fs::remove_file(link.root.pid());
        }
    }
    Ok(())
}

/// Puts this version in the place of an older daemon, unless another caller has just done so.
pub(super) async fn replace(link: &Link) -> Result<(), Failure> {
    let lock = lock(link).await?;
    match link.client().health().await {
        Ok(health) if is_current(&health.version) => return Ok(()),
        Err(Error::NotReachable { .. }) => {}
        _ => {
            let shutdown = link.client().shutdown().await.map_err(|error| failure(&error))?;
            stop::wait_for_end(shutdown.pid).await?;
        }
    }
    spawn(link, lock).await
}

/// A version that cannot be read is not worth keeping.
fn is_current(version: &str) -> bool {
    let own = Version::parse(env!("CARGO_PKG_VERSION")).expect("cargo checked it");
    Version::parse(version).is_ok_and(|version| version >= own)
}

async fn lock(link: &Link) -> Result<File, Failure> {
    let root = link.root.clone();
    blocking(move || root.lock_start()).await.map_err(|error| match out_of_reach(link) {
        Err(failure) => failure,
        Ok(()) => Failure::no_daemon(format!(
            "cannot start the daemon: {error}\n  Its files lie there. Choose another place: STRING_ROOT=DIR string …"
        )),
    })
}

/// Starts the daemon and waits until it is ready. The lock is held until then.
async fn spawn(link: &Link, lock: File) -> Result<(), Failure> {
    let root = link.root.path().to_owned();
    let heard = blocking(move || {
        let heard = spawn_and_listen(&root);
        drop(lock);
        heard
    })
    .await
    .map_err(|error| Failure::no_daemon(format!("cannot start the daemon: {error}")))?;
    if heard == [READY] {
        return Ok(());
    }
    let reason = String::from_utf8_lossy(&heard);
    Err(Failure::no_daemon(match reason.trim() {
        "" => format!("the daemon ended before it was ready; see the log in {}", link.root.log().display()),
        reason => format!("the daemon could not start: {reason}"),
    }))
}

/// Everything the daemon says until it closes its end: that it is ready, or why it is not.
fn spawn_and_listen(root: &Path) -> io::Result<Vec<u8>> {
    let mut child = Command::new(program())
        .args(DETACHED)
        .env("STRING_ROOT", root)
        .env_remove("STRING_AGENT_ID")
        // The caller's directory must stay removable.
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut heard = Vec::new();
    if let Some(mut report) = child.stdout.take() {
        report.read_to_end(&mut heard)?;
    }
    // A caller that lives long would otherwise keep the daemon's entry in the process table after its end.
    std::thread::Builder::new().name("reap daemon".to_owned()).spawn(move || child.wait())?;
    Ok(heard)
}

/// The name under which the program was started, so that process lists show it, while that file exists.
fn program() -> PathBuf {
    std::env::current_exe().ok().filter(|path| path.exists()).unwrap_or_else(|| SELF.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_older_or_unreadable_version_makes_way() {
        for (version, current) in [
            (env!("CARGO_PKG_VERSION"), true),
            ("999.0.0", true),
            ("0.0.1", false),
            ("", false),
            ("new", false),
        ] {
            assert_eq!(is_current(version), current, "{version}");
        }
    }
}
