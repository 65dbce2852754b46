//! One-shot commands: `bash -c`, clean each time, with nothing left afterwards.

use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use rustix::pipe::{PipeFlags, pipe_with};
use tokio::io::AsyncReadExt as _;
use tokio::net::unix::pipe;
use tokio::sync::broadcast;

use crate::boundary::Boundary;
use crate::environment::Environment;
use crate::error::{Error, Result};
use crate::limits;
use crate::output::{Live, LogFiles, Output, Transcript};
use crate::protocol::{Job, Launch, Order, Report};
use crate::spawn::{Guard, Outputs, Spawner};
use crate::status::Status;

/// A command and what it runs with. Its standard input is empty.
#[derive(Debug, Clone)]
pub struct Command {
    pub text: String,
    pub directory: PathBuf,
    /// Also the way for values into the command: its text shows in process lists.
    pub environment: Environment,
    pub boundary: Boundary,
    /// After this the whole tree gets TERM, and KILL after [`limits::GRACE`].
    pub limit: Duration,
    pub logs: LogFiles,
    /// Where output goes while the command runs.
    pub live: Option<broadcast::Sender<Live>>,
}

/// How a one-shot command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// By itself. What it had left in the background is ended as well.
    Finished(Status),
    TimedOut,
    /// Whoever had it run has stopped it.
    Stopped,
}

/// A command whose outputs are one, in the order in which they were written.
#[derive(Debug, Clone)]
pub struct Executed {
    pub end: End,
    pub output: Output,
}

/// A command whose outputs are kept apart.
#[derive(Debug, Clone)]
pub struct ExecutedApart {
    pub end: End,
    pub stdout: Captured,
    pub stderr: Captured,
}

/// One output stream: as bytes for programs, as text for readers.
#[derive(Debug, Clone)]
pub struct Captured {
    /// The first bytes, as many as were asked for.
    pub bytes: Vec<u8>,
    /// How many there were.
    pub total: u64,
    pub text: Output,
}

/// Runs a command with both outputs merged.
pub async fn exec(spawner: &Spawner, command: Command) -> Result<Executed> {
    exec_until(spawner, command, std::future::pending()).await
}

/// The same, until `stop`: then all of it is killed, and what it has printed is returned.
pub async fn exec_until(
    spawner: &Spawner,
    command: Command,
    stop: impl Future<Output = ()>,
) -> Result<Executed> {
    let (mut output, writer) = Stream::open(&command, Keep(0))?;
    let error = writer.try_clone().map_err(Error::io("the output pipe"))?;
    let mut none = Stream::closed(&command);
    let end = run(spawner, command, Outputs::to(writer, error), &mut output, &mut none, stop).await?;
    Ok(Executed { end, output: output.finish().text })
}

/// Runs a command with its outputs apart, keeping the first `keep` bytes of each as they are.
pub async fn exec_apart(spawner: &Spawner, command: Command, keep: usize) -> Result<ExecutedApart> {
    let (mut stdout, standard) = Stream::open(&command, Keep(keep))?;
    let (mut stderr, error) = Stream::open(&command, Keep(keep))?;
    let outputs = Outputs::to(standard, error);
    let end = run(spawner, command, outputs, &mut stdout, &mut stderr, std::future::pending()).await?;
    Ok(ExecutedApart { end, stdout: stdout.finish(), stderr: stderr.finish() })
}

async fn run(
    spawner: &Spawner,
    command: Command,
    outputs: Outputs,
    first: &mut Stream,
    second: &mut Stream,
    stop: impl Future<Output = ()>,
) -> Result<End> {
    if command.text.contains('\0') {
        return Err(Error::NulByte);
    }
    let deadline = Instant::now() + command.limit;
    let mut guard = spawner.start(outputs).await?;
    let launch = Launch {
        job: Job::Command { text: command.text.into() },
        bash: spawner.bash(),
        directory: command.directory.into_os_string(),
        environment: command.environment.variables(),
        boundary: command.boundary,
        open_files: spawner.open_files(),
    };
    guard.socket.send(&Order::Launch(Box::new(launch))).await.map_err(Error::Spawn)?;
    let end = watch(&mut guard, deadline, first, second, stop).await?;
    // All writers are dead; only what no signal reaches could still hold the pipes open.
    let rest = async {
        while first.is_open() {
            first.read().await;
        }
        while second.is_open() {
            second.read().await;
        }
    };
    let _ = tokio::time::timeout(limits::GRACE, rest).await;
    guard.ended().await;
    Ok(end)
}

/// Reads until the guard says that the command and its whole tree have ended.
async fn watch(
    guard: &mut Guard,
    deadline: Instant,
    first: &mut Stream,
    second: &mut Stream,
    stop: impl Future<Output = ()>,
) -> Result<End> {
    let mut stop = std::pin::pin!(stop);
    let (mut timed_out, mut stopped) = (false, false);
    loop {
        tokio::select! {
            report = guard.socket.receive() => match report.map_err(Error::Spawn)? {
                Some(Report::Exited { .. }) if stopped => return Ok(End::Stopped),
                Some(Report::Exited { .. }) if timed_out => return Ok(End::TimedOut),
                Some(Report::Exited { status }) => return Ok(End::Finished(status)),
                Some(Report::Failed { stage, message }) => return Err(Error::Guard { stage, message }),
                Some(Report::Started { .. } | Report::Hidden | Report::Support(_)) => {}
                // Told to end everything at once, the guard has nothing to report.
                None if stopped => return Ok(End::Stopped),
                None => return Err(Error::GuardLost),
            },
            () = &mut stop, if !stopped => {
                stopped = true;
                guard.socket.send(&Order::Close).await.map_err(Error::Spawn)?;
            }
            () = first.read(), if first.is_open() => {}
            () = second.read(), if second.is_open() => {}
            () = tokio::time::sleep_until(deadline.into()), if !timed_out => {
                timed_out = true;
                guard.socket.send(&Order::Terminate).await.map_err(Error::Spawn)?;
            }
        }
    }
}

/// How many bytes of a stream are kept as they are.
#[derive(Clone, Copy)]
struct Keep(usize);

/// The reading end of an output.
struct Stream {
    pipe: Option<pipe::Receiver>,
    buffer: Box<[u8]>,
    keep: Keep,
    bytes: Vec<u8>,
    total: u64,
    transcript: Transcript,
    live: Option<broadcast::Sender<Live>>,
}

impl Stream {
    /// The stream, and the end to write to.
    fn open(command: &Command, keep: Keep) -> Result<(Self, OwnedFd)> {
        let (reader, writer) =
            pipe_with(PipeFlags::CLOEXEC).map_err(|error| Error::io("the output pipe")(error.into()))?;
        let pipe = pipe::Receiver::from_owned_fd(reader).map_err(Error::io("the output pipe"))?;
        let mut stream = Self::closed(command);
        stream.pipe = Some(pipe);
        stream.keep = keep;
        Ok((stream, writer))
    }

    fn closed(command: &Command) -> Self {
        Self {
            pipe: None,
            buffer: vec![0; 64 * 1024].into_boxed_slice(),
            keep: Keep(0),
            bytes: Vec::new(),
            total: 0,
            transcript: Transcript::new(command.logs.clone()),
            live: command.live.clone(),
        }
    }

    fn is_open(&self) -> bool {
        self.pipe.is_some()
    }

    /// Takes the next piece, or notices the end. Dropping the future loses nothing.
    async fn read(&mut self) {
        let Some(pipe) = &mut self.pipe else { return };
        match pipe.read(&mut self.buffer).await {
            Ok(count) if count > 0 => self.take(count),
            _ => self.pipe = None,
        }
    }

    fn take(&mut self, count: usize) {
        let bytes = &self.buffer[..count];
        self.total += count as u64;
        let room = self.keep.0 - self.bytes.len();
        self.bytes.extend_from_slice(&bytes[..count.min(room)]);
        let watchers = self.live.as_ref().map_or(0, broadcast::Sender::receiver_count);
        self.transcript.watch(watchers > 0);
        self.transcript.feed(bytes);
        if let Some(live) = &self.live {
            for event in self.transcript.take_live() {
                // Nobody watching is no error.
                let _ = live.send(event);
            }
        }
    }

    fn finish(mut self) -> Captured {
        Captured { bytes: self.bytes, total: self.total, text: self.transcript.take() }
    }
}
