//! Stopping the daemon, and knowing that it is gone.

use std::io;
use std::time::Duration;

use client::Error;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, retry_on_intr};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::{Link, blocking, failure, out_of_reach, start};
use crate::failure::{Failure, Status};
use crate::output;

/// How long an orderly end may take: shells and scripts are given time, and everything is flushed.
const ORDERLY_END: Duration = Duration::from_secs(30);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Process {
    Gone,
    Running,
}

/// `string --daemon stop`. A daemon that does not run is as good as stopped.
pub(super) async fn stop(link: &Link) -> Result<Status, Failure> {
    let shutdown = match link.client().shutdown().await {
        Err(Error::NotReachable { .. }) => {
            out_of_reach(link)?;
            start::forget_dead(link).await?;
            output::print("String daemon is not running.")?;
            return Ok(Status::Done);
        }
        outcome => outcome.map_err(|error| failure(&error))?,
    };
    wait_for_end(shutdown.pid).await?;
    output::print("String daemon stopped.")?;
    Ok(Status::Done)
}

/// Waits until the process is gone, and says so if it is not.
pub(super) async fn wait_for_end(pid: u32) -> Result<(), Failure> {
    match blocking(move || watch(pid, ORDERLY_END)).await {
        Ok(Process::Gone) => Ok(()),
        Ok(Process::Running) => Err(Failure::failed(format!(
            "the daemon (pid {pid}) is still stopping after {} s",
            ORDERLY_END.as_secs()
        ))),
        Err(error) => Err(Failure::failed(format!("cannot watch process {pid}: {error}"))),
    }
}

/// Waits for the end of a process, at most so long.
fn watch(pid: u32, limit: Duration) -> io::Result<Process> {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    let pid = pid.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
    let process = match pidfd_open(pid, PidfdFlags::empty()) {
        Ok(process) => process,
        Err(Errno::SRCH) => return Ok(Process::Gone),
        Err(error) => return Err(error.into()),
    };
    let limit = Timespec::try_from(limit).map_err(io::Error::other)?;
    let mut events = [PollFd::new(&process, PollFlags::IN)];
    let ended = retry_on_intr(|| poll(&mut events, Some(&limit)))?;
    Ok(if ended == 0 { Process::Running } else { Process::Gone })
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn the_end_of_a_process_is_noticed_before_and_after() {
        // `cat` lives exactly as long as its input.
        let mut child = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        assert_eq!(watch(child.id(), Duration::ZERO).unwrap(), Process::Running);
        drop(child.stdin.take());
        assert_eq!(watch(child.id(), ORDERLY_END).unwrap(), Process::Gone);
        child.wait().unwrap();
        assert_eq!(watch(child.id(), ORDERLY_END).unwrap(), Process::Gone);
        assert!(watch(0, ORDERLY_END).is_err());
    }
}
