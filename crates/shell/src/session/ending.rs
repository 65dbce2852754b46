//! Interrupting and killing what runs in the foreground, step by step.

use std::time::Instant;

use rustix::process::{Pid, Signal, kill_process_group};

use super::foreground;
use super::terminal::Terminal;
use crate::limits;

/// A foreground that is being ended.
#[derive(Debug)]
pub(super) struct Ending {
    at: Instant,
    plan: Plan,
}

#[derive(Debug)]
enum Plan {
    /// Once more, if the signal was lost between two programs.
    Interrupt { strikes_left: u8, looks_left: u8, last: Option<Strike> },
    /// The steps already taken, and the foreground and what the shell's children had done by then.
    Kill { steps: u8, strikes: u8, last: Option<(Option<Pid>, u64)> },
}

/// An interrupt, and what it struck.
#[derive(Debug)]
struct Strike {
    group: Option<Pid>,
    /// The programs in it …
    programs: Vec<Pid>,
    /// … and the children of bash that had yet to become one, and may not have heard it.
    unborn: Vec<Pid>,
    /// What the shell's children had done by then.
    waited: u64,
}

/// What came of an interrupt that did not end the turn.
#[derive(Debug, PartialEq, Eq)]
enum Effect {
    /// The program is still there: it has got the signal and does with it what it wants.
    Heard,
    /// It struck what was just ending or beginning, and something else runs now.
    Missed,
    /// Nothing has happened since.
    Open,
}

/// What to do after a step.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    Wait,
    GiveUp,
    /// Nothing but killing the shell itself helps.
    KillShell,
}

/// After so many steps a foreground that always comes back is the shell's own doing.
const KILL_STEPS: u8 = 8;

impl Ending {
    /// An interrupt that strikes at `at`.
    pub(super) fn interrupt(at: Instant) -> Self {
        let (strikes_left, looks_left) = (limits::INTERRUPT_TIMES, limits::INTERRUPT_LOOKS);
        Self { at, plan: Plan::Interrupt { strikes_left, looks_left, last: None } }
    }

    /// An end by all means, from `at` on.
    pub(super) fn kill(at: Instant) -> Self {
        Self { at, plan: Plan::Kill { steps: 0, strikes: 0, last: None } }
    }

    /// What becomes of this one when another is asked for: a kill is not taken back, and whoever waits is not put off.
    /// After a strike there is a pause: bash, on its way out of what it ran, must not be struck while it reads a line.
    pub(super) fn joined_by(self, other: Self) -> Self {
        match self.plan {
            Plan::Kill { .. } => self,
            Plan::Interrupt { .. } => Self { at: self.at, ..other },
        }
    }

    pub(super) fn due(&self) -> Instant {
        self.at
    }

    /// There is nothing to wait for any more with the first step.
    pub(super) fn hasten(&mut self, now: Instant) {
        if matches!(self.plan, Plan::Interrupt { last: None, .. } | Plan::Kill { last: None, .. }) {
            self.at = self.at.min(now);
        }
    }

    /// Takes the next step; `shell` is bash's own process group.
    pub(super) fn step(&mut self, terminal: &Terminal, shell: Pid, now: Instant) -> Next {
        match &mut self.plan {
            Plan::Interrupt { strikes_left, looks_left, last } => {
                let effect = last.as_ref().map_or(Effect::Missed, |strike| strike.effect(terminal, shell));
                let left = match effect {
                    Effect::Heard => return Next::GiveUp,
                    Effect::Missed => {
                        *last = Some(Strike::now(terminal, shell));
                        strikes_left
                    }
                    Effect::Open => looks_left,
                };
                if *left == 0 {
                    return Next::GiveUp;
                }
                *left -= 1;
                self.at = now + limits::INTERRUPT_AGAIN;
            }
            Plan::Kill { steps, strikes, last } => {
                let seen = (terminal.foreground(), foreground::waited_for(shell));
                let stays = last.replace(seen) == Some(seen);
                let pause = match seen.0.filter(|group| *group != shell) {
                    _ if *steps == KILL_STEPS || *strikes == limits::KILL_STRIKES => return Next::KillShell,
                    Some(group) if stays => {
                        let signal = if steps.is_multiple_of(2) { Signal::TERM } else { Signal::KILL };
                        *steps += 1;
                        // A group that is gone by now needs no signal.
                        let _ = kill_process_group(group, signal);
                        let _ = kill_process_group(group, Signal::CONT);
                        limits::KILL_STEP
                    }
                    // Bash has nothing left to end: it waits for its next line, and is asked for its report.
                    None if stays && foreground::is_idle(shell) => return Next::GiveUp,
                    None if stays => return Next::KillShell,
                    // First of all, and while programs come and go: bash stops starting them at an interrupt.
                    _ => {
                        *strikes += 1;
                        // Where it cannot be sent the next step does more.
                        let _ = terminal.signal();
                        if *strikes == 1 { limits::KILL_STEP } else { limits::INTERRUPT_AGAIN }
                    }
                };
                self.at = now + pause;
            }
        }
        Next::Wait
    }
}

impl Strike {
    fn now(terminal: &Terminal, shell: Pid) -> Self {
        let (group, waited) = (terminal.foreground(), foreground::waited_for(shell));
        // Looked at first: a child of bash that becomes a program after the signal may not have heard it.
        let (programs, unborn) = group.map(|group| foreground::members(shell, group)).unwrap_or_default();
        // A program that has switched the signal off wants the key; bash's own code has no use for it.
        let struck = if group == Some(shell) { terminal.signal() } else { terminal.interrupt() };
        // Without a foreground there is nobody to interrupt; the next step sees whoever comes.
        let _ = struck;
        Self { group, programs, unborn, waited }
    }

    fn effect(&self, terminal: &Terminal, shell: Pid) -> Effect {
        let same = terminal.foreground() == self.group;
        let members = self.group.filter(|_| same).map(|group| foreground::members(shell, group));
        let (programs, _) = members.unwrap_or_default();
        if programs.iter().any(|program| self.unborn.contains(program)) {
            return Effect::Missed;
        }
        match programs.is_empty() {
            false if self.programs.is_empty() => Effect::Missed,
            false => Effect::Heard,
            true if same && foreground::waited_for(shell) == self.waited => Effect::Open,
            true => Effect::Missed,
        }
    }
}
