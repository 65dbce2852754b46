//! Starting guards, and cleaning up after one that was killed.

use std::collections::HashSet;
use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream as StdUnixStream;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Resource, Rlimit, Signal, WaitOptions, getrlimit, kill_process, setrlimit};
use tokio::net::UnixStream;
use tokio::process::{Child, Command};

use crate::boundary::Support;
use crate::error::{Error, Result};
use crate::guard;
use crate::limits;
use crate::protocol::{CallerEnd, Order, Report};
use crate::stat::Stat;
use crate::tree;

/// How soon dying orphans are looked at again.
const ORPHANS_AGAIN: Duration = Duration::from_millis(5);

/// Starts guards. One per process; clones share it.
///
/// The process becomes a subreaper: what a killed guard leaves behind comes
/// to it, and is ended. Its own children are told from those by their
/// session, so the process must not start children in sessions of their own.
#[derive(Clone)]
pub struct Spawner {
    shared: Arc<Shared>,
}

struct Shared {
    program: PathBuf,
    bash: PathBuf,
    open_files: Option<u64>,
}

/// The guards of this process: of its children, the only ones in sessions of their own.
static GUARDS: LazyLock<Mutex<HashSet<Pid>>> = LazyLock::new(Mutex::default);

impl Spawner {
    /// A spawner that re-executes `program`, whose `main` must call
    /// [`guard::main`] when its first argument is [`guard::ARGUMENT`].
    /// `bash` is the bash to run. This process may open more files from now on; what it starts may not.
    pub fn new(program: impl Into<PathBuf>, bash: impl Into<PathBuf>) -> Result<Self> {
        rustix::process::set_child_subreaper(Some(rustix::process::getpid()))
            .map_err(|error| Error::Spawn(error.into()))?;
        let shared = Shared { program: program.into(), bash: bash.into(), open_files: raise_open_files() };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// Tries out, in a process of its own, what this kernel allows.
    pub async fn support(&self) -> Result<Support> {
        let mut guard = self.start(Outputs::none()).await?;
        guard.socket.send(&Order::Probe).await.map_err(Error::Spawn)?;
        let report = guard.socket.receive().await.map_err(Error::Spawn)?;
        guard.ended().await;
        match report {
            Some(Report::Support(support)) => Ok(support),
            _ => Err(Error::GuardLost),
        }
    }

    pub(crate) fn bash(&self) -> OsString {
        self.shared.bash.clone().into_os_string()
    }

    /// The limit of open files that children get: the one this process had at first.
    pub(crate) fn open_files(&self) -> Option<u64> {
        self.shared.open_files
    }

    pub(crate) async fn start(&self, outputs: Outputs) -> Result<Guard> {
        let (ours, theirs) = StdUnixStream::pair().map_err(Error::Spawn)?;
        ours.set_nonblocking(true).map_err(Error::Spawn)?;
        let (child, pid) = self.spawn(theirs, outputs)?;
        let socket = CallerEnd::new(UnixStream::from_std(ours).map_err(Error::Spawn)?);
        Ok(Guard { socket, pid, child })
    }

    fn spawn(&self, socket: StdUnixStream, outputs: Outputs) -> Result<(Child, Pid)> {
        // Held over the start, so that a sweep never meets a guard it does not know.
        let mut guards = guards();
        let child = Command::new(&self.shared.program)
            .arg(guard::ARGUMENT)
            .env_clear()
            .stdin(OwnedFd::from(socket))
            .stdout(outputs.standard)
            .stderr(outputs.error)
            .spawn()
            .map_err(Error::Spawn)?;
        let pid = child.id().and_then(|id| Pid::from_raw(id.cast_signed())).ok_or(Error::GuardLost)?;
        guards.insert(pid);
        Ok((child, pid))
    }
}

/// Where a guard's own outputs, and so those of a one-shot command, go.
pub(crate) struct Outputs {
    standard: Stdio,
    error: Stdio,
}

impl Outputs {
    pub(crate) fn none() -> Self {
        Self { standard: Stdio::null(), error: Stdio::null() }
    }

    pub(crate) fn to(standard: OwnedFd, error: OwnedFd) -> Self {
        Self { standard: standard.into(), error: error.into() }
    }
}

/// A running guard. Dropping it closes the socket, upon which the guard ends its tree.
pub(crate) struct Guard {
    pub(crate) socket: CallerEnd,
    pid: Pid,
    child: Child,
}

impl Guard {
    /// Waits until the guard process is gone, and sees to what it left if it was killed.
    pub(crate) async fn ended(&mut self) {
        // An error means that it was reaped already, which is as good.
        let status = loop {
            if self.child.id().is_some() {
                // What it guards may have stopped it, and then it ends nothing.
                let _ = kill_process(self.pid, Signal::CONT);
            }
            if let Ok(status) = tokio::time::timeout(limits::KILL_STEP, self.child.wait()).await {
                break status;
            }
        };
        guards().remove(&self.pid);
        if !status.is_ok_and(|status| status.success()) {
            end_orphans().await;
        }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        guards().remove(&self.pid);
    }
}

/// Each live shell holds six descriptors, so the usual 1,024 are used up by
/// 170 of them. Returns the limit as it was: nobody else in the process may
/// raise it before.
fn raise_open_files() -> Option<u64> {
    let limit = getrlimit(Resource::Nofile);
    let wanted = limit.maximum.map_or(limits::OPEN_FILES, |most| most.min(limits::OPEN_FILES));
    let current = limit.current?;
    if current < wanted {
        setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), ..limit }).ok()?;
    }
    Some(current)
}

/// Ends what guards that were killed have left to this process, and waits until it is gone.
async fn end_orphans() {
    let deadline = Instant::now() + limits::KILL_PATIENCE;
    // What an orphan leaves behind becomes an orphan in turn.
    while !orphans().is_empty() && Instant::now() < deadline {
        tree::kill_trees(orphans);
        for orphan in orphans() {
            // One that is still dying is met again.
            let _ = rustix::process::waitpid(Some(orphan), WaitOptions::NOHANG);
        }
        tokio::time::sleep(ORPHANS_AGAIN).await;
    }
}

/// The children of this process that it did not start itself.
fn orphans() -> Vec<Pid> {
    let own = rustix::process::getpid();
    let session = |process: Pid| Stat::of(process)?.session();
    let (own_session, guards) = (session(own), guards().clone());
    let foreign = |child: &Pid| !guards.contains(child) && session(*child) != own_session;
    tree::children(own).into_iter().filter(foreign).collect()
}

fn guards() -> MutexGuard<'static, HashSet<Pid>> {
    GUARDS.lock().unwrap_or_else(PoisonError::into_inner)
}
