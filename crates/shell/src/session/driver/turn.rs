//! A turn from its beginning to its end, and the end of the shell.

use std::io;
use std::os::unix::fs::FileExt as _;
use std::sync::atomic::Ordering;
use std::time::Instant;

use super::ahead::Ahead;
use super::{Active, Driver, Phase, Stage, Unreported};
use crate::error::Error;
use crate::limits;
use crate::output::Live;
use crate::session::directory::Directory;
use crate::session::probe::Probe;
use crate::session::report::Finished;
use crate::session::request::By;
use crate::session::script::{self, History};
use crate::session::{Cause, Death, Earlier, Outcome, Untold};
use crate::status::Status;

impl Driver {
    /// Starts a command; nothing may be running.
    pub(super) fn begin(&mut self, payload: String, by: By) {
        if by == By::Caller {
            self.audience.show_command(&self.directory.path, &payload);
        }
        // What the terminal holds now is the background's.
        self.drain(limits::FINAL_READ);
        self.rest_until = None;
        if by == By::Caller {
            // What a person has typed ahead is for the person's own commands.
            self.outbox.clear();
            self.terminal.forget_input();
        }
        let now = Instant::now();
        self.phase = Phase::Running(Box::new(Active {
            token: new_token(),
            payload,
            by,
            started: now,
            probe: Probe::new(now),
            stage: Stage::Settling,
            asked_again: 0,
            ending: None,
            interrupted: false,
            ahead: Ahead::default(),
        }));
        if std::mem::take(&mut self.unsettled) {
            self.send_stage();
        } else {
            self.prepare();
        }
    }

    /// Bash has done what the present stage asked of it.
    pub(super) fn go_on(&mut self) {
        let Phase::Running(active) = &mut self.phase else { return };
        match active.stage {
            Stage::Settling => {
                self.drain(limits::FINAL_READ);
                self.prepare();
            }
            Stage::History => {
                active.stage = Stage::Payload(History::Leave);
                self.send_stage();
            }
            Stage::Payload(_) | Stage::Begun => {
                let now = Instant::now();
                active.stage = Stage::Begun;
                if let Some(ending) = &mut active.ending {
                    ending.hasten(now);
                }
                self.take_step(now);
            }
        }
    }

    fn prepare(&mut self) {
        self.collect_leftovers();
        self.screen.clear();
        let Phase::Running(active) = &mut self.phase else { return };
        active.stage = match History::of(&active.payload) {
            // What runs then has a line of ours before it, so the bare payload goes first.
            History::Read if !self.settings.is_empty() => Stage::History,
            history => Stage::Payload(history),
        };
        self.send_stage();
    }

    /// Sends the lines of the present stage, or sends them again.
    fn send_stage(&mut self) {
        let Phase::Running(active) = &self.phase else { return };
        self.control.reports.begin(&active.token);
        let (file, lines) = match active.stage {
            Stage::Settling => (None, script::acknowledge(&active.token)),
            Stage::History => (Some(format!("{}\n", active.payload)), script::enter_history(&active.token)),
            Stage::Begun => return,
            Stage::Payload(history) => {
                let file = script::turn_file(&active.token, &active.payload, &self.settings, self.status);
                (Some(file), script::turn(&active.token, &self.settings, self.status, history))
            }
        };
        let written = file.map_or(Ok(()), |content| {
            self.turn_file.set_len(0)?;
            self.turn_file.write_all_at(content.as_bytes(), 0)
        });
        if written.and_then(|()| self.control.send(&lines)).is_err() {
            self.cause = Some(Cause::Lost);
        }
    }

    /// Asks for the report that an interrupt or the payload has suppressed, and gives up at the fourth time. An
    /// interrupt may have left bash inside a quote in what was left of a line; another one takes it out of there.
    pub(super) fn ask_again(&mut self) {
        let Phase::Running(active) = &self.phase else { return };
        let token = active.token.clone();
        self.read_reports();
        let Phase::Running(active) = &mut self.phase else { return };
        if active.token != token {
            // It has come, and the next command has begun.
            return;
        }
        let asked_before = active.asked_again;
        active.asked_again += 1;
        active.probe = Probe::new(Instant::now());
        let asked = match (asked_before, active.stage) {
            (3.., _) => Err(io::ErrorKind::TimedOut.into()),
            (1, _) if active.interrupted => self.terminal.signal(),
            (_, Stage::Settling | Stage::History) => {
                self.send_stage();
                Ok(())
            }
            (_, Stage::Payload(_) | Stage::Begun) => {
                let report = if active.interrupted { script::report_interrupted } else { script::report };
                self.control.send(&report(&active.token))
            }
        };
        if asked.is_err() {
            self.cause = Some(Cause::Lost);
        }
    }

    /// Keeps what no turn has returned for the next one that does.
    pub(super) fn collect_leftovers(&mut self) {
        if let Some(Unreported { status, typed }) = self.unreported.take() {
            let output = self.transcript.take();
            if self.untold.earlier.len() == limits::EARLIER {
                self.untold.earlier.remove(0);
            }
            self.untold.earlier.push(Earlier { typed, status, output });
        }
        self.transcript.clear();
        if !self.late.is_clean() {
            self.untold.late = Some(self.late.take());
        }
        self.late.clear();
    }

    /// The report of a turn has come.
    pub(super) fn finish(&mut self, finished: Finished) {
        let Phase::Running(active) = &self.phase else { return };
        if finished.restricted || self.lifeline.is_cut() {
            self.cause = Some(Cause::Lost);
            return;
        }
        self.unsettled = active.interrupted;
        let command = active.payload.clone();
        let typed = (active.by == By::Person).then(|| active.payload.clone());
        // First: what the terminal echoes of it belongs to this command.
        let typed_ahead = self.has_typed_ahead();
        let next = if typed_ahead { None } else { self.take_unread() };
        // Everything the command wrote is in the terminal by now.
        self.drain(limits::FINAL_READ);
        // An interrupt that struck before they were put back has not taken them away.
        if !(self.unsettled && finished.settings.is_empty()) {
            self.settings = finished.settings;
        }
        self.status = finished.status;
        self.streams = finished.streams;
        self.logical_directory = finished.logical_directory;
        self.find_directory();
        self.phase = Phase::Idle;
        let status = Status::Code((finished.status & 0xff) as u8);
        let _ = self.live.send(Live::Finished(status));
        self.watchers.finished(&command, status);
        if !self.audience.is_empty() {
            let prompt = self.audience.prompt(&self.directory.path);
            self.audience.show(prompt.as_bytes());
        }
        if let Some(text) = next {
            self.unreported = Some(Unreported { status, typed });
            self.begin(text, By::Caller);
        } else if !self.answer(Outcome::Finished(status)) {
            self.unreported = Some(Unreported { status, typed });
        }
        if typed_ahead {
            self.run_typed_ahead();
        }
    }

    /// The shell has ended; `cause` is why, unless it was our doing.
    pub(super) fn die(&mut self, status: Status, cause: Cause) {
        if matches!(self.phase, Phase::Dead(_)) {
            return;
        }
        let next = self.take_unread();
        self.drain(limits::FINAL_READ);
        let cause = self.cause.take().unwrap_or(cause);
        if let Phase::Running(active) = &self.phase {
            let typed = (active.by == By::Person).then(|| active.payload.clone());
            self.unreported = Some(Unreported { status, typed });
        }
        let mut death = Death { status, cause, directory: self.directory.clone(), untold: Untold::default() };
        self.phase = Phase::Dead(death.clone());
        self.ended.store(true, Ordering::Release);
        let _ = self.live.send(Live::Died(status));
        self.watchers.died(status);
        self.audience.leave();
        if next.is_none() && self.answer(Outcome::Died(death.clone())) {
            return;
        }
        self.collect_leftovers();
        // Whoever waits with a command of its own is told that it was not run; with nobody, the next one is.
        let waiter = self.waiter.take().filter(|waiter| !waiter.answer.is_closed());
        if waiter.is_none() {
            self.keep_unread(next);
        }
        death.untold = std::mem::take(&mut self.untold);
        self.phase = Phase::Dead(death.clone());
        if let Some(waiter) = waiter {
            let _ = waiter.answer.send(Err(Error::Gone(Box::new(death))));
        }
    }

    /// The handle has closed the shell, and all of it is gone. Whoever waits gets what was printed until then.
    pub(super) fn close(&mut self) {
        self.drain(limits::FINAL_READ);
        let status = Status::Signal(libc::SIGKILL as u8);
        let directory = self.directory.clone();
        self.answer(Outcome::Died(Death {
            status,
            cause: Cause::Closed,
            directory,
            untold: Untold::default(),
        }));
    }

    /// Asks the kernel where bash is; keeps the last answer when there is none.
    pub(super) fn find_directory(&mut self) {
        if let Some(found) = Directory::of(self.bash, &self.logical_directory) {
            self.directory = found;
        }
    }
}

/// A word that the output of a program cannot guess, and short: the lines of a turn have it in many places.
fn new_token() -> String {
    let mut bytes = [0; 4];
    // Without randomness from the kernel nothing on this machine works.
    let _ = getrandom::fill(&mut bytes);
    format!("{:08x}", u32::from_ne_bytes(bytes))
}
