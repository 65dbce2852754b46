//! Answering what the handle asks.

use std::time::{Duration, Instant};

use rustix::termios::LocalModes;

use super::{Driver, Phase, Stage, Unreported, WaitingForInput};
use crate::error::{Error, Result};
use crate::limits;
use crate::session::attach::{Size, Typing};
use crate::session::ending::Ending;
use crate::session::request::{Answer, Ask, By, Patience, Request, Waiter};
use crate::session::watch::{Seen, Until};
use crate::session::{Info, Input, Outcome, Running, RunningCommand, Turn};

/// Waits longer than this are cut, so that instants do not overflow.
const LONGEST_WAIT: Duration = Duration::from_secs(365 * 24 * 3600);

const CTRL_C: u8 = 0x03;

impl Driver {
    pub(super) fn handle(&mut self, request: Request) {
        if self.audience.emptied() {
            self.resize(Size::USUAL);
        }
        // An answer that nobody waits for any more is no error, here and below.
        match request {
            Request::Turn { ask, wait, answer } => self.take_turn(ask, wait, answer),
            Request::Interrupt(answer) => {
                let _ = answer.send(self.end(Ending::interrupt));
            }
            Request::EndOfFile(answer) => {
                let _ = answer.send(self.end_of_file());
            }
            Request::Kill(answer) => {
                let _ = answer.send(self.end(Ending::kill));
            }
            Request::Screen(answer) => {
                self.drain(limits::FINAL_READ);
                let _ = answer.send(self.screen.draw(self.size.columns, self.size.rows));
            }
            Request::Info(answer) => {
                let _ = answer.send(self.info());
            }
            Request::Attach { size, member, answer } => {
                // Nobody is let in to a shell that has ended: the end of the output says so.
                if !matches!(self.phase, Phase::Dead(_)) {
                    self.audience.join(member);
                    self.resize(size);
                    self.welcome();
                }
                let _ = answer.send(());
            }
            Request::Watch { until, answer } => self.watch(until, answer),
            Request::Keys { bytes, answer } => {
                let _ = answer.send(self.take_keys(&bytes));
            }
            Request::Resize(size) => self.resize(size),
            Request::Detach | Request::Hide(_) | Request::Close(_) => {}
        }
    }

    /// Gives a waiter the turn so far; whether there was one.
    pub(super) fn answer(&mut self, outcome: Outcome) -> bool {
        let Some(waiter) = self.waiter.take_if(|waiter| !waiter.answer.is_closed()) else {
            self.waiter = None;
            return false;
        };
        let turn = Turn {
            outcome,
            output: self.transcript.take(),
            untold: std::mem::take(&mut self.untold),
            directory: self.directory.clone(),
            streams: self.streams,
        };
        waiter.answer.send(Ok(turn)).is_ok()
    }

    /// Answers that the command still runs.
    pub(super) fn answer_with_state(&mut self, waiting: WaitingForInput) {
        self.drain(limits::FINAL_READ);
        self.find_directory();
        let pid = self.foreground_pid();
        self.answer(Outcome::Running(Running { pid, waiting_for_input: waiting == WaitingForInput::Yes }));
    }

    fn take_turn(&mut self, ask: Ask, wait: Duration, answer: Answer<Result<Turn>>) {
        self.read_reports();
        if let Phase::Dead(death) = &self.phase {
            let _ = answer.send(Err(Error::Gone(Box::new(death.clone()))));
            return;
        }
        let running = matches!(self.phase, Phase::Running(_));
        let ask = match ask {
            Ask::Send(text) if !running => Ask::Run(text),
            ask => ask,
        };
        let done = match (&ask, running) {
            (Ask::Run(_), true) => Err(Error::Busy),
            (Ask::Input(_), false) => Err(Error::NothingRuns),
            (Ask::Input(Input::Line(text) | Input::Keys(text)), true) => self.check_input(text),
            (Ask::Send(text), true) if !self.is_told_to_end() => self.check_input(text),
            (Ask::Run(text) | Ask::Send(text), _) if text.contains('\0') => Err(Error::NulByte),
            _ => Ok(()),
        };
        if let Err(error) = done {
            let _ = answer.send(Err(error));
            return;
        }
        let until = Instant::now() + wait.min(LONGEST_WAIT);
        let patience = if matches!(ask, Ask::Wait) { Patience::News } else { Patience::First };
        self.waiter = Some(Waiter { answer, until, patience, sent: None });
        match ask {
            Ask::Run(payload) => self.begin(payload, By::Caller),
            Ask::Send(text) => self.send_text(text),
            Ask::Input(input) => self.give_input(&input),
            Ask::Wait => self.wait(),
        }
    }

    fn wait(&mut self) {
        self.drain(limits::FINAL_READ);
        match (&mut self.phase, self.unreported.clone()) {
            (Phase::Running(active), _) => active.probe.begin_again(Instant::now()),
            (_, Some(Unreported { typed: Some(_), .. })) => {
                // Not what was waited for.
                self.collect_leftovers();
                self.find_directory();
                self.answer(Outcome::Idle);
            }
            (_, Some(Unreported { status, typed: None })) => {
                if self.answer(Outcome::Finished(status)) {
                    self.unreported = None;
                }
            }
            _ => {
                if !self.late.is_clean() {
                    self.untold.late = Some(self.late.take());
                }
                self.find_directory();
                self.answer(Outcome::Idle);
            }
        }
    }

    pub(super) fn check_input(&self, text: &str) -> Result<()> {
        let longest = text.split(['\n', '\r']).map(str::len).max().unwrap_or(0);
        let limit = limits::CANONICAL_LINE - 1;
        if longest > limit && self.terminal.modes().contains(LocalModes::ICANON) {
            return Err(Error::LineTooLong { length: longest, limit });
        }
        Ok(())
    }

    pub(super) fn give_input(&mut self, input: &Input) {
        // Enter is a carriage return: the terminal makes a line end of it
        // for those who want one, and programs that take keys expect it.
        match input {
            Input::Line(text) => {
                self.outbox.extend(text.replace('\n', "\r").bytes());
                self.outbox.push_back(b'\r');
            }
            Input::Keys(text) => self.outbox.extend(text.replace('\n', "\r").bytes()),
        }
        self.push_input();
    }

    pub(super) fn push_input(&mut self) {
        self.write_input();
        if let Phase::Running(active) = &mut self.phase {
            active.probe.begin_again(Instant::now());
        }
    }

    /// Ends what runs as `plan` says, beginning as soon as bash has read the lines of the turn.
    fn end(&mut self, plan: fn(Instant) -> Ending) -> Result<()> {
        self.outbox.clear();
        let now = Instant::now();
        let Phase::Running(active) = &mut self.phase else { return Err(Error::NothingRuns) };
        active.interrupted = true;
        active.ahead.told_to_end();
        let wait = if active.stage == Stage::Begun { Duration::ZERO } else { limits::LINES_READ };
        let asked = plan(now + wait);
        active.ending = Some(match active.ending.take() {
            Some(before) => before.joined_by(asked),
            None => asked,
        });
        self.take_step(now);
        Ok(())
    }

    fn end_of_file(&mut self) -> Result<()> {
        let Phase::Running(active) = &mut self.phase else { return Err(Error::NothingRuns) };
        active.ahead.told_to_end();
        self.outbox.push_back(self.terminal.end_of_file());
        self.push_input();
        Ok(())
    }

    /// Shows somebody who has just come what there is to see.
    fn welcome(&mut self) {
        match self.phase {
            Phase::Idle => {
                let prompt = self.audience.prompt(&self.directory.path);
                self.audience.show(prompt.as_bytes());
            }
            Phase::Running(_) => self.audience.show_newest(self.screen.recent()),
            Phase::Dead(_) => {}
        }
    }

    /// Ctrl-C, where the terminal makes a signal of it, goes the way that also finds a program which is just
    /// being started.
    fn pass_keys(&mut self, keys: &[u8]) {
        let signal = |key: &u8| *key == CTRL_C && self.terminal.modes().contains(LocalModes::ISIG);
        let Some(at) = keys.iter().rposition(signal) else {
            return self.give_keys(keys);
        };
        // As at any terminal, an interrupt drops what was typed before it.
        if self.end(Ending::interrupt).is_ok() {
            self.forget_keys();
            self.audience.show(b"^C");
        }
        self.give_keys(&keys[at + 1..]);
    }

    pub(super) fn take_keys(&mut self, keys: &[u8]) -> Typing {
        match self.phase {
            Phase::Running(_) => {
                self.pass_keys(keys);
                Typing::input(keys)
            }
            Phase::Idle => {
                let typed = self.audience.type_keys(keys);
                self.audience.show(typed.echo.as_bytes());
                let Some(line) = typed.line else {
                    if typed.empty_lines {
                        self.welcome();
                    }
                    return Typing::default();
                };
                self.begin(line.clone(), By::Person);
                // What was typed ahead is the command's to read.
                let ahead = &keys[typed.used..];
                self.pass_keys(ahead);
                Typing { commands: vec![line], ..Typing::input(ahead) }
            }
            Phase::Dead(_) => Typing::default(),
        }
    }

    fn watch(&mut self, until: Until, answer: Answer<Seen>) {
        self.read_reports();
        self.drain(limits::FINAL_READ);
        if let Phase::Dead(death) = &self.phase {
            let _ = answer.send(Seen::Died(death.status));
            return;
        }
        let unread = format!("{}\n{}", self.transcript.unread(), self.late.unread());
        self.watchers.add(until, answer, &unread);
    }

    fn info(&mut self) -> Info {
        self.read_reports();
        self.find_directory();
        let pid = self.foreground_pid();
        let (running, death) = match &self.phase {
            Phase::Idle => (None, None),
            Phase::Running(active) => {
                let running_for = active.started.elapsed();
                let hides_input = self.terminal.hides_lines();
                let payload = active.payload.clone();
                (Some(RunningCommand { payload, pid, running_for, hides_input }), None)
            }
            Phase::Dead(death) => (None, Some(death.clone())),
        };
        Info { pid: self.bash.as_raw_pid(), directory: self.directory.clone(), running, death }
    }

    fn foreground_pid(&self) -> i32 {
        self.terminal.foreground().unwrap_or(self.bash).as_raw_pid()
    }
}
