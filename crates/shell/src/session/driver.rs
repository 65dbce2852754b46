//! The task that owns a live shell: it reads the terminal and the reports,
//! watches the clock, and answers what the handle asks.

mod ahead;
mod answer;
mod clock;
mod traffic;
mod turn;

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use rustix::process::Pid;
use tokio::sync::{broadcast, mpsc};

use self::ahead::Ahead;
use super::attach::{Audience, Size};
use super::control::Control;
use super::ending::Ending;
use super::foreground;
use super::lifeline::Lifeline;
use super::probe::Probe;
use super::report::{Event, Settings};
use super::request::{Answer, By, Request, Waiter};
use super::script::History;
use super::terminal::Terminal;
use super::watch::Watchers;
use super::{Cause, Death, Directory, Streams, Untold};
use crate::error::{Error, Result};
use crate::output::{Live, LogFiles, Screen, Transcript};
use crate::protocol::{Order, Report};
use crate::spawn::Guard;
use crate::status::Status;

pub(super) struct Driver {
    requests: mpsc::Receiver<Request>,
    live: broadcast::Sender<Live>,
    /// For the handle: whether the shell has.
    ended: Arc<AtomicBool>,
    guard: Guard,
    guard_gone: bool,
    terminal: Terminal,
    control: Control,
    turn_file: File,
    bash: Pid,
    lifeline: Lifeline,
    command_line: Vec<u8>,
    phase: Phase,
    waiter: Option<Waiter>,
    /// Of the command that runs or ran last.
    transcript: Transcript,
    /// Of the background while nothing runs.
    late: Transcript,
    screen: Screen,
    size: Size,
    directory: Directory,
    /// `$PWD` as bash last reported it.
    logical_directory: OsString,
    /// Where its output went when the last turn began.
    streams: Streams,
    status: i32,
    settings: Settings,
    /// A command that ended with nobody waiting.
    unreported: Option<Unreported>,
    untold: Untold,
    /// Input that the terminal has not taken yet.
    outbox: VecDeque<u8>,
    /// The terminal has more output than was read in one go …
    more_output: bool,
    /// … and is left alone until then.
    rest_until: Option<Instant>,
    /// The last command was interrupted.
    unsettled: bool,
    /// Why the shell is about to end, where that is our doing.
    cause: Option<Cause>,
    audience: Audience,
    watchers: Watchers,
    /// Who waits for secrets to be hidden.
    hiding: Option<Answer<Result<()>>>,
}

enum Phase {
    Idle,
    Running(Box<Active>),
    Dead(Death),
}

/// The turn that runs.
struct Active {
    token: String,
    payload: String,
    by: By,
    started: Instant,
    probe: Probe,
    stage: Stage,
    /// How often the report was asked for again.
    asked_again: u8,
    ending: Option<Ending>,
    interrupted: bool,
    ahead: Ahead,
}

/// The end of a command that nobody has been told of.
#[derive(Clone)]
struct Unreported {
    status: Status,
    /// The command, if a person typed it.
    typed: Option<String>,
}

/// How far a turn has come.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// An interrupt of the turn before may still be on its way to bash; with
    /// its answer it has arrived.
    Settling,
    /// The turn file holds the bare payload until bash has it in its history.
    History,
    Payload(History),
    /// Bash has read the lines that run it.
    Begun,
}

/// The parts of a shell that has just become ready.
pub(super) struct Parts {
    pub(super) requests: mpsc::Receiver<Request>,
    pub(super) live: broadcast::Sender<Live>,
    pub(super) ended: Arc<AtomicBool>,
    pub(super) guard: Guard,
    pub(super) terminal: Terminal,
    pub(super) control: Control,
    pub(super) turn_file: File,
    pub(super) bash: Pid,
    pub(super) directory: Directory,
    pub(super) logs: LogFiles,
}

impl Driver {
    pub(super) fn new(parts: Parts) -> Self {
        Self {
            requests: parts.requests,
            live: parts.live,
            ended: parts.ended,
            guard: parts.guard,
            guard_gone: false,
            terminal: parts.terminal,
            control: parts.control,
            turn_file: parts.turn_file,
            bash: parts.bash,
            lifeline: Lifeline::new(parts.bash),
            command_line: foreground::command_line(parts.bash),
            phase: Phase::Idle,
            waiter: None,
            transcript: Transcript::new(parts.logs.clone()),
            late: Transcript::new(parts.logs),
            screen: Screen::default(),
            size: Size::USUAL,
            logical_directory: parts.directory.path.clone().into_os_string(),
            directory: parts.directory,
            streams: Streams::Terminal,
            status: 0,
            settings: Settings::default(),
            unreported: None,
            untold: Untold::default(),
            outbox: VecDeque::new(),
            more_output: false,
            rest_until: None,
            unsettled: false,
            cause: None,
            audience: Audience::default(),
            watchers: Watchers::default(),
            hiding: None,
        }
    }

    /// Runs until the handle is gone or asks to close. Then the guard ends everything.
    pub(super) async fn drive(mut self) {
        let closing = loop {
            let deadline = self.deadline();
            tokio::select! {
                biased;
                request = self.requests.recv() => match request {
                    Some(Request::Close(answer)) => break Some(answer),
                    Some(Request::Hide(answer)) => self.hide_secrets(answer).await,
                    Some(request) => self.handle(request),
                    None => break None,
                },
                () = self.control.readable() => self.read_reports(),
                report = self.guard.socket.receive(), if !self.guard_gone => {
                    let report = report.ok().flatten();
                    if report.is_none() {
                        self.guard.ended().await;
                    }
                    self.hear_guard(report.as_ref());
                }
                () = self.terminal.master.writable(), if !self.outbox.is_empty() => self.write_input(),
                () = self.terminal.master.readable(), if self.rest_until.is_none() && !self.more_output => self.read_terminal(),
                () = std::future::ready(()), if self.more_output && self.rest_until.is_none() => {
                    self.read_terminal();
                    tokio::task::yield_now().await;
                }
                () = sleep_until(deadline) => self.on_time(),
            }
            if self.cause.is_some() && !self.guard_gone {
                // The guard ends the tree and then itself, which is heard above.
                let _ = self.guard.socket.send(&Order::Close).await;
            }
        };
        let _ = self.guard.socket.send(&Order::Close).await;
        self.guard.ended().await;
        self.close();
        if let Some(answer) = closing {
            let _ = answer.send(());
        }
    }

    /// Has the guard hide what has appeared; its report is the answer. A shell that has ended shows nothing.
    async fn hide_secrets(&mut self, answer: Answer<Result<()>>) {
        let asked = match &self.phase {
            Phase::Dead(_) => false,
            Phase::Idle | Phase::Running(_) => self.guard.socket.send(&Order::Hide).await.is_ok(),
        };
        if asked {
            self.hiding = Some(answer);
        } else {
            let _ = answer.send(Ok(()));
        }
    }

    /// Answers who waits for secrets to be hidden.
    fn secrets_hidden(&mut self, done: Result<()>) {
        if let Some(answer) = self.hiding.take() {
            let _ = answer.send(done);
        }
    }

    fn read_reports(&mut self) {
        while let Some(event) = self.control.next_event() {
            self.hear_bash(event);
        }
    }

    fn hear_bash(&mut self, event: Event) {
        match event {
            Event::Ready => {}
            Event::Acknowledged => self.go_on(),
            Event::Finished(finished) => self.finish(finished),
            Event::Drowned => self.cause = Some(Cause::Lost),
        }
    }

    fn hear_guard(&mut self, report: Option<&Report>) {
        match report {
            Some(Report::Exited { status }) => {
                self.secrets_hidden(Ok(()));
                self.die(*status, Cause::Ended);
            }
            Some(Report::Hidden) => self.secrets_hidden(Ok(())),
            Some(Report::Failed { stage, message }) => {
                self.secrets_hidden(Err(Error::Guard { stage: stage.clone(), message: message.clone() }));
            }
            Some(Report::Started { .. } | Report::Support(_)) => {}
            None => {
                self.secrets_hidden(Ok(()));
                self.guard_gone = true;
                self.die(Status::Signal(libc::SIGKILL as u8), Cause::GuardLost);
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum WaitingForInput {
    Yes,
    No,
}

async fn sleep_until(deadline: Option<Instant>) {
    match deadline {
        Some(at) => tokio::time::sleep_until(at.into()).await,
        None => std::future::pending().await,
    }
}
