//! What the driver does when it is time: it looks at the foreground, takes the next step of ending it, and answers
//! whoever has waited long enough.

use std::time::Instant;

use super::{Active, Driver, Phase, WaitingForInput};
use crate::session::Cause;
use crate::session::attach::Size;
use crate::session::ending::{Ending, Next};
use crate::session::foreground::{self, Activity};
use crate::session::probe::Verdict;
use crate::session::request::{By, Patience, Waiter};

impl Driver {
    /// When something is to be done even if nothing happens.
    pub(super) fn deadline(&self) -> Option<Instant> {
        let active = match &self.phase {
            Phase::Running(active) => Some(active),
            Phase::Idle | Phase::Dead(_) => None,
        };
        let ending = active.and_then(|active| active.ending.as_ref()).map(Ending::due);
        let waiting = self.waiter.as_ref().map(|waiter| waiter.until);
        // Nobody is kept waiting by a program that nobody asks about.
        let probe = active.filter(|active| self.is_awaited(active)).map(|active| active.probe.due());
        [ending, waiting, probe, self.rest_until].into_iter().flatten().min()
    }

    /// Whether somebody waits for what comes of a command: the caller, or the person who typed it.
    fn is_awaited(&self, active: &Active) -> bool {
        self.waiter.is_some() || active.by == By::Person
    }

    pub(super) fn on_time(&mut self) {
        let now = Instant::now();
        if self.rest_until.is_some_and(|until| now >= until) {
            self.rest_until = None;
        }
        if self.audience.emptied() {
            self.resize(Size::USUAL);
        }
        self.take_step(now);
        self.look_at_foreground(now);
        if self.waiter.as_ref().is_some_and(|waiter| now >= waiter.until) {
            self.release();
            self.answer_with_state(WaitingForInput::No);
        }
    }

    /// The next step of ending the foreground, when one is due.
    pub(super) fn take_step(&mut self, now: Instant) {
        let Phase::Running(active) = &mut self.phase else { return };
        let Some(ending) = active.ending.as_mut().filter(|ending| now >= ending.due()) else { return };
        match ending.step(&self.terminal, self.bash, now) {
            Next::Wait => {}
            Next::GiveUp => active.ending = None,
            Next::KillShell => {
                active.ending = None;
                self.cause = Some(Cause::Killed);
            }
        }
    }

    fn look_at_foreground(&mut self, now: Instant) {
        // Its report may be there already, which ends the question.
        self.read_reports();
        let Phase::Running(active) = &self.phase else { return };
        // What has not got all of its input is still under way.
        if !self.is_awaited(active) || now < active.probe.due() || !self.outbox.is_empty() {
            return;
        }
        // Before the look: a bash that has not read its line yet is idle for another reason.
        let line_read = self.control.is_read();
        let has_input = self.terminal.has_input();
        let mut seen = foreground::look(self.bash, self.terminal.foreground(), self.terminal.device());
        if seen == Activity::ReaderLost && foreground::command_line(self.bash) != self.command_line {
            // Not bash's reader, but that of a program in its place.
            seen = Activity::Reading;
        }
        if has_input && matches!(seen, Activity::Reading | Activity::Polling | Activity::Opaque) {
            // It was about to wake up, or does not want what is there.
            seen = Activity::Working;
        }
        let Phase::Running(active) = &mut self.phase else { return };
        let verdict = active.probe.judge(seen, self.terminal.modes(), now);
        // What is being ended has no use for input, and its interrupt may have taken the report with it.
        if active.ending.is_some() && verdict != Verdict::Unreported {
            return;
        }
        if matches!(verdict, Verdict::NeedsInput | Verdict::TakesInput) && self.reads_on() {
            return;
        }
        match verdict {
            Verdict::Busy => {}
            Verdict::Unreported if line_read && !self.control.hung_up => self.ask_again(),
            Verdict::Unreported => {}
            Verdict::NeedsInput => self.answer_with_state(WaitingForInput::Yes),
            Verdict::TakesInput => {
                self.read_terminal();
                let news = !self.transcript.is_clean();
                let answered = |waiter: &Waiter| waiter.patience == Patience::First || news;
                if self.waiter.as_ref().is_some_and(answered) {
                    self.answer_with_state(WaitingForInput::Yes);
                }
            }
            Verdict::Lost => self.cause = Some(Cause::Lost),
        }
    }
}
