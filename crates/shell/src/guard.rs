//! The guard: one small process per shell or command that starts it inside
//! the boundary, reaps everything below it, and ends all of it when told to
//! or when the caller's process is gone.

mod launch;

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::process::ExitCode;
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, WaitOptions, kill_process};

use crate::boundary::{self, Covers};
use crate::limits;
use crate::protocol::{GuardEnd, Job, Launch, Order, Report};
use crate::status::Status;
use crate::{sys, tree};
use launch::Started;

/// The first argument that makes a binary call [`main`].
pub const ARGUMENT: &str = "__guard";

/// Runs the guard over the socket on standard input. To be called first
/// thing in `main`, before any thread or runtime exists.
pub fn main() -> ExitCode {
    // Bash's first lines rely on which descriptors are free; a leaked one would shift them.
    sys::close_from(3);
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// What failed, and at which step: told to the caller as a report.
struct Failure {
    stage: &'static str,
    error: io::Error,
}

impl Failure {
    fn at(stage: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |error| Self { stage, error }
    }
}

fn run() -> io::Result<()> {
    let socket = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3)?;
    let caller = GuardEnd::new(socket);
    sys::reset_signals();
    // The caller's terminal must not reach the guard with its signals.
    let _ = rustix::process::setsid();
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    // A guard that was stopped must see that its caller has gone.
    rustix::process::set_parent_process_death_signal(Some(Signal::CONT))?;
    let signals = sys::signal_descriptor(&[libc::SIGCHLD, libc::SIGTERM, libc::SIGINT, libc::SIGHUP])?;
    match caller.receive()? {
        Some(Order::Launch(launch)) => guard(&caller, &signals, &launch),
        Some(Order::Probe) => caller.send(&Report::Support(boundary::probe()), &[]),
        Some(Order::Terminate | Order::Hide | Order::Close) | None => Ok(()),
    }
}

fn guard(caller: &GuardEnd, signals: &OwnedFd, launch: &Launch) -> io::Result<()> {
    let started = match launch.job {
        Job::Terminal => launch::terminal(launch),
        Job::Command { .. } => launch::command(launch),
    };
    let Started { pid, descriptors, mut covers } = match started {
        Ok(started) => started,
        Err(Failure { stage, error }) => {
            return caller.send(&Report::Failed { stage: stage.into(), message: error.to_string() }, &[]);
        }
    };
    let borrowed: Vec<_> = descriptors.iter().map(|fd| fd.as_fd()).collect();
    // A caller that is gone already is noticed like one that goes later.
    let _ = caller.send(&Report::Started { pid: pid.as_raw_pid() }, &borrowed);
    // The terminal must hang up when the caller lets go of it.
    drop(descriptors);
    let status = watch(caller, signals, pid, &mut covers);
    tree::end_descendants(|| {
        wait_for(&[PollFd::new(signals, PollFlags::IN)], Some(Instant::now() + limits::KILL_STEP));
        sys::pending_signals(signals.as_fd());
    });
    if let Some(status) = status {
        caller.send(&Report::Exited { status }, &[])?;
    }
    Ok(())
}

/// Reaps until the process ends by itself, or until it is to be ended.
fn watch(caller: &GuardEnd, signals: &OwnedFd, pid: Pid, covers: &mut Covers) -> Option<Status> {
    let mut kill_at = None;
    loop {
        let ready =
            wait_for(&[PollFd::new(signals, PollFlags::IN), PollFd::new(caller, PollFlags::IN)], kill_at);
        if ready[0] {
            let pending = sys::pending_signals(signals.as_fd());
            if let Some(status) = reap(pid) {
                return Some(status);
            }
            if pending.iter().any(|signal| *signal != libc::SIGCHLD) {
                return None;
            }
        }
        if ready[1] {
            match caller.receive() {
                Ok(Some(Order::Terminate)) => {
                    tree::signal_descendants(rustix::process::getpid(), Signal::TERM);
                    // A stopped process takes the signal only when it goes on.
                    tree::signal_descendants(rustix::process::getpid(), Signal::CONT);
                    kill_at = Some(Instant::now() + limits::GRACE);
                }
                Ok(Some(Order::Hide)) => {
                    let report = match covers.lay() {
                        Ok(()) => Report::Hidden,
                        Err((stage, error)) => {
                            Report::Failed { stage: stage.into(), message: error.to_string() }
                        }
                    };
                    // A caller that is gone is noticed with the next look.
                    let _ = caller.send(&report, &[]);
                }
                Ok(Some(Order::Close | Order::Launch(_) | Order::Probe) | None) | Err(_) => return None,
            }
        }
        if kill_at.is_some_and(|at| Instant::now() >= at) {
            return Some(Status::Signal(libc::SIGKILL as u8));
        }
    }
}

/// Collects every child that has ended; the status of `pid` if it is among them.
fn reap(pid: Pid) -> Option<Status> {
    let mut ended = None;
    while let Ok(Some((child, status))) = rustix::process::wait(WaitOptions::NOHANG | WaitOptions::UNTRACED) {
        if child != pid {
            continue;
        }
        if status.stopped() {
            // A shell that stopped itself (`suspend`) has nobody else to wake it.
            let _ = kill_process(pid, Signal::CONT);
        } else {
            ended = Status::from_wait(status);
        }
    }
    ended
}

/// Which of the descriptors can be read, waiting until one can or until `deadline`.
fn wait_for(descriptors: &[PollFd<'_>], deadline: Option<Instant>) -> Vec<bool> {
    let mut descriptors = descriptors.to_vec();
    let timeout =
        deadline.and_then(|at| Timespec::try_from(at.saturating_duration_since(Instant::now())).ok());
    if poll(&mut descriptors, timeout.as_ref()).is_err() {
        return vec![false; descriptors.len()];
    }
    descriptors.iter().map(|entry| !entry.revents().is_empty()).collect()
}
