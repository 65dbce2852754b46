//! A turn from its beginning to its end, and the end of the shell.

use std::os::unix::fs::FileExt as _;
use std::time::Instant;

use super::{Active, Driver, Phase, Stage};
use crate::limits;
use crate::output::Live;
use crate::session::directory::Directory;
use crate::session::probe::Probe;
use crate::session::report::Finished;
use crate::session::script::{self, History};
use crate::session::{Cause, Death, Earlier, Outcome};
use crate::status::Status;

impl Driver {
    /// Starts a command; nothing may be running.
    pub(super) fn begin(&mut self, payload: String) {
        // What the terminal holds now is the background's.
        self.drain(limits::FINAL_READ);
        self.rest_until = None;
        self.outbox.clear();
        self.terminal.forget_input();
        self.collect_leftovers();
        self.screen.clear();
        let stage = match (History::of(&payload), self.settings.is_empty()) {
            (History::Read, false) => Stage::History,
            _ => Stage::Payload,
        };
        let now = Instant::now();
        self.phase = Phase::Running(Box::new(Active {
            token: new_token(),
            payload,
            started: now,
            probe: Probe::new(now),
            stage,
            asked_again: 0,
            ending: None,
        }));
        match stage {
            Stage::History => self.enter_history(),
            Stage::Payload => self.run_payload(),
        }
    }

    /// Keeps what no turn has returned for the next one that does.
    fn collect_leftovers(&mut self) {
        if let Some(status) = self.unreported.take() {
            let output = self.transcript.take();
            self.pending_earlier = Some(Earlier { status, output });
        }
        self.transcript.clear();
        if !self.late.is_clean() {
            self.pending_late = Some(self.late.take());
        }
        self.late.clear();
    }

    /// First lets bash enter the bare payload into its history: what runs
    /// afterwards has a line of ours before it.
    fn enter_history(&mut self) {
        let Phase::Running(active) = &self.phase else { return };
        self.control.reports.begin(&active.token);
        let content = format!("{}\n", active.payload);
        if self.write_turn_file(&content) {
            let Phase::Running(active) = &self.phase else { return };
            self.send(&script::enter_history(&active.token));
        }
    }

    pub(super) fn run_payload(&mut self) {
        let Phase::Running(active) = &mut self.phase else { return };
        let history = match active.stage {
            Stage::History => History::Leave,
            Stage::Payload => History::of(&active.payload),
        };
        active.stage = Stage::Payload;
        self.control.reports.begin(&active.token);
        let lines = script::turn(&active.token, self.status, history);
        let content = script::turn_file(&active.payload, &self.settings, self.status);
        if self.write_turn_file(&content) {
            self.send(&lines);
        }
    }

    fn write_turn_file(&mut self, content: &str) -> bool {
        let written =
            self.turn_file.set_len(0).and_then(|()| self.turn_file.write_all_at(content.as_bytes(), 0));
        if written.is_err() {
            self.cause = Some(Cause::Lost);
        }
        written.is_ok()
    }

    fn send(&mut self, lines: &str) {
        if self.control.send(lines).is_err() {
            self.cause = Some(Cause::Lost);
        }
    }

    /// The report of a turn has come.
    pub(super) fn finish(&mut self, finished: Finished) {
        if !matches!(self.phase, Phase::Running(_)) {
            return;
        }
        // Everything the command wrote is in the terminal by now.
        self.drain(limits::FINAL_READ);
        self.outbox.clear();
        if finished.restricted {
            self.cause = Some(Cause::Lost);
            return;
        }
        self.settings = finished.settings;
        self.status = finished.status;
        self.logical_directory = finished.logical_directory;
        self.find_directory();
        self.phase = Phase::Idle;
        let status = Status::Code((finished.status & 0xff) as u8);
        let _ = self.live.send(Live::Finished(status));
        if !self.audience.is_empty() {
            let prompt = self.audience.prompt(&self.directory.path);
            self.audience.show(prompt.as_bytes());
        }
        if !self.answer(Outcome::Finished(status)) {
            self.unreported = Some(status);
        }
    }

    /// The shell has ended; `cause` is why, unless it was our doing.
    pub(super) fn die(&mut self, status: Status, cause: Cause) {
        if matches!(self.phase, Phase::Dead(_)) {
            return;
        }
        self.drain(limits::FINAL_READ);
        self.outbox.clear();
        let cause = self.cause.take().unwrap_or(cause);
        let was_running = matches!(self.phase, Phase::Running(_));
        let mut death =
            Death { status, cause, directory: self.directory.clone(), unread: Default::default() };
        self.phase = Phase::Dead(death.clone());
        let _ = self.live.send(Live::Died(status));
        self.audience.show(b"\r\n");
        if self.answer(Outcome::Died(death.clone())) {
            return;
        }
        death.unread =
            if was_running || self.unreported.is_some() { self.transcript.take() } else { self.late.take() };
        self.phase = Phase::Dead(death);
    }

    /// Asks the kernel where bash is; keeps the last answer when there is none.
    pub(super) fn find_directory(&mut self) {
        if let Some(found) = Directory::of(self.bash, &self.logical_directory) {
            self.directory = found;
        }
    }
}

/// A word that the output of a program cannot guess.
fn new_token() -> String {
    let mut bytes = [0; 16];
    // Without randomness from the kernel nothing on this machine works.
    let _ = getrandom::fill(&mut bytes);
    format!("{:032x}", u128::from_ne_bytes(bytes))
}
