//! Commands as plain processes: the base environment, empty input, and an end for the whole group.

use std::process::Stdio;

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::Command as Process;

use super::cli::{Command, Commands, End, Finished};
use crate::agent::Agent;
use crate::error::{Code, Error, Result};

/// As much of each output as is kept.
const OUTPUT_MAX: u64 = 8 * 1024 * 1024;
/// Where programs are looked for.
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

#[derive(Debug, Default)]
pub struct Plain;

impl Commands for Plain {
    fn run<'a>(&'a self, command: Command, agent: &'a Agent) -> BoxFuture<'a, Result<Finished>> {
        run(command, agent).boxed()
    }
}

async fn run(command: Command, agent: &Agent) -> Result<Finished> {
    let mut child = Process::new("bash")
        .arg("-c")
        .arg(&command.line)
        .current_dir(&command.directory)
        .env_clear()
        .env("HOME", agent.workspace.home())
        .env("PATH", PATH)
        .env("LANG", "C.UTF-8")
        .env("TERM", "dumb")
        .envs(command.values)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| failed(&error))?;
    let group = Group(child.id());
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let ended = async {
        let (stdout, stderr, status) = tokio::join!(read(stdout), read(stderr), child.wait());
        Ok(Finished { end: End::Exit(exit_code(status?)), stdout: stdout?, stderr: stderr? })
    };
    let finished: std::io::Result<Finished> = match tokio::time::timeout(command.limit, ended).await {
        Ok(finished) => finished,
        Err(_) => Ok(Finished { end: End::TimedOut, stdout: Vec::new(), stderr: Vec::new() }),
    };
    drop(group);
    finished.map_err(|error| failed(&error))
}

/// The processes of a command. Dropped, it ends them all: also when the command is interrupted.
struct Group(Option<u32>);

impl Drop for Group {
    fn drop(&mut self) {
        let pid = self.0.and_then(|id| i32::try_from(id).ok()).and_then(rustix::process::Pid::from_raw);
        if let Some(pid) = pid {
            // There may be nobody left.
            let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
        }
    }
}

/// Reads to the end, and keeps the beginning.
async fn read(output: Option<impl AsyncRead + Unpin>) -> std::io::Result<Vec<u8>> {
    let mut kept = Vec::new();
    if let Some(mut output) = output {
        (&mut output).take(OUTPUT_MAX).read_to_end(&mut kept).await?;
        tokio::io::copy(&mut output, &mut tokio::io::sink()).await?;
    }
    Ok(kept)
}

/// As a shell counts: 128 and the signal for what a signal ended.
fn exit_code(status: std::process::ExitStatus) -> i32 {
    use std::os::unix::process::ExitStatusExt;
    status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(-1)
}

fn failed(error: &std::io::Error) -> Error {
    Error::new(Code::ActionFailed, format!("The command could not be run: {error}"))
}
