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
    /// The group that got the last signal.
    group: Option<Pid>,
    /// How much the shell's children had done by then.
    waited: u64,
    plan: Plan,
}

#[derive(Debug)]
enum Plan {
    /// Once more, if the signal hit a group that was ending anyway.
    Interrupt { left: u8 },
    /// The steps already taken.
    Kill { steps: u8 },
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
    pub(super) fn interrupt(terminal: &Terminal, shell: Pid, now: Instant) -> Self {
        let plan = Plan::Interrupt { left: limits::INTERRUPT_TIMES };
        let waited = foreground::waited_for(shell);
        Self { at: now + limits::INTERRUPT_AGAIN, group: send_interrupt(terminal), waited, plan }
    }

    pub(super) fn kill(terminal: &Terminal, now: Instant) -> Self {
        let group = send_interrupt(terminal);
        Self { at: now + limits::KILL_STEP, group, waited: 0, plan: Plan::Kill { steps: 0 } }
    }

    pub(super) fn due(&self) -> Instant {
        self.at
    }

    /// Takes the next step; `shell` is bash's own process group.
    pub(super) fn step(&mut self, terminal: &Terminal, shell: Pid, now: Instant) -> Next {
        let foreground = terminal.foreground();
        match &mut self.plan {
            Plan::Interrupt { left } => {
                // A program that is still there has got the signal and does
                // with it what it wants. A shell that has waited for a child
                // since took it for the child's.
                let waited = foreground::waited_for(shell);
                let got_it = foreground == self.group && (self.group != Some(shell) || waited == self.waited);
                if got_it || *left == 0 {
                    return Next::GiveUp;
                }
                *left -= 1;
                self.at = now + limits::INTERRUPT_AGAIN;
                self.waited = waited;
                self.group = send_interrupt(terminal);
            }
            Plan::Kill { steps } => {
                let Some(group) = foreground.filter(|group| *group != shell) else { return Next::KillShell };
                if *steps == KILL_STEPS {
                    return Next::KillShell;
                }
                let signal = if steps.is_multiple_of(2) { Signal::TERM } else { Signal::KILL };
                *steps += 1;
                // A group that is gone by now needs no signal.
                let _ = kill_process_group(group, signal);
                let _ = kill_process_group(group, Signal::CONT);
                self.at = now + limits::KILL_STEP;
            }
        }
        Next::Wait
    }
}

fn send_interrupt(terminal: &Terminal) -> Option<Pid> {
    let group = terminal.foreground();
    // Without a foreground there is nobody to interrupt; the next step sees whoever comes.
    let _ = terminal.interrupt();
    group
}
