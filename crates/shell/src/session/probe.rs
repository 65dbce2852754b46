//! When to look at the foreground, and what to conclude from what was seen.

use std::time::{Duration, Instant};

use rustix::process::Pid;
use rustix::termios::LocalModes;

use super::foreground::{Activity, Look};
use crate::limits;

/// What a look amounts to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Busy,
    /// It will not go on without input.
    NeedsInput,
    /// It would take input, but may as well go on without.
    TakesInput,
    /// The end of the turn has not been reported although bash is ready for the next one.
    Unreported,
    /// Bash reads commands from the terminal: it is not ours any more.
    Lost,
}

/// The schedule of one turn, and the look before.
#[derive(Debug)]
pub(super) struct Probe {
    next: Instant,
    pause: Duration,
    reading_before: bool,
    last_output: Instant,
    last_sleep: Option<Sleep>,
    /// Who slept when input was sent, and how long that counts as not having taken it.
    asleep: Option<(Sleep, Instant)>,
}

/// A thread and the number of its sleep.
type Sleep = (Pid, u64);

impl Probe {
    pub(super) fn new(now: Instant) -> Self {
        Self {
            next: now + limits::PROBE_FIRST,
            pause: limits::PROBE_FIRST,
            reading_before: false,
            last_output: now,
            last_sleep: None,
            asleep: None,
        }
    }

    pub(super) fn due(&self) -> Instant {
        self.next
    }

    pub(super) fn output_seen(&mut self, now: Instant) {
        self.last_output = now;
    }

    /// Somebody asks anew.
    pub(super) fn begin_again(&mut self, now: Instant) {
        *self = Self { last_sleep: self.last_sleep, last_output: self.last_output, ..Self::new(now) };
    }

    /// Input has been sent: whoever was seen waiting for it still seems to, until it wakes up.
    pub(super) fn input_sent(&mut self, now: Instant) {
        let asleep = self.last_sleep.map(|sleep| (sleep, now + limits::INPUT_TAKEN));
        *self = Self { next: now + limits::PROBE_AFTER_INPUT, asleep, ..Self::new(now) };
    }

    /// Draws the conclusion from a look and plans the next one.
    pub(super) fn judge(&mut self, look: Look, modes: LocalModes, now: Instant) -> Verdict {
        self.pause = (self.pause * 2).min(limits::PROBE_LAST);
        self.next = now + self.pause;
        self.last_sleep = look.sleep;
        let same = |(sleep, until): (Sleep, Instant)| look.sleep == Some(sleep) && now < until;
        if self.asleep.is_some_and(same) {
            return Verdict::Busy;
        }
        self.asleep = None;
        let reading_before = std::mem::replace(&mut self.reading_before, look.activity == Activity::Reading);
        let quiet = now.saturating_duration_since(self.last_output);
        let takes_lines = modes.contains(LocalModes::ICANON);
        match look.activity {
            Activity::Working => Verdict::Busy,
            Activity::ReaderIdle => Verdict::Unreported,
            Activity::ReaderLost => Verdict::Lost,
            Activity::Reading if reading_before => Verdict::NeedsInput,
            Activity::Reading => {
                self.next = now + limits::PROBE_CONFIRM;
                Verdict::Busy
            }
            Activity::Polling => {
                let enough = if takes_lines { limits::QUIET_LINES } else { limits::QUIET_KEYS };
                self.quiet_for(quiet, enough, now, Verdict::TakesInput)
            }
            // A password prompt switches the echo off, an editor the lines.
            Activity::Opaque if !takes_lines || !modes.contains(LocalModes::ECHO) => {
                self.quiet_for(quiet, limits::QUIET_KEYS, now, Verdict::NeedsInput)
            }
            Activity::Opaque => Verdict::Busy,
        }
    }

    fn quiet_for(&mut self, quiet: Duration, enough: Duration, now: Instant, verdict: Verdict) -> Verdict {
        if quiet >= enough {
            return verdict;
        }
        self.next = self.next.min(now + (enough - quiet));
        Verdict::Busy
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: LocalModes = LocalModes::ICANON.union(LocalModes::ECHO);

    fn look(activity: Activity) -> Look {
        Look { activity, sleep: None }
    }

    #[test]
    fn a_reader_is_believed_at_the_second_look() {
        let start = Instant::now();
        let mut probe = Probe::new(start);
        assert_eq!(probe.judge(look(Activity::Reading), LINES, start), Verdict::Busy);
        assert_eq!(probe.due(), start + limits::PROBE_CONFIRM);
        assert_eq!(probe.judge(look(Activity::Reading), LINES, probe.due()), Verdict::NeedsInput);
    }

    #[test]
    fn a_reader_that_went_on_in_between_is_not_believed() {
        let start = Instant::now();
        let mut probe = Probe::new(start);
        probe.judge(look(Activity::Reading), LINES, start);
        probe.judge(look(Activity::Working), LINES, start);
        assert_eq!(probe.judge(look(Activity::Reading), LINES, start), Verdict::Busy);
    }

    #[test]
    fn a_program_that_polls_counts_once_it_is_quiet() {
        let table = [
            (LocalModes::empty(), limits::QUIET_KEYS, Verdict::TakesInput),
            (LocalModes::empty(), limits::QUIET_KEYS / 2, Verdict::Busy),
            (LINES, limits::QUIET_KEYS, Verdict::Busy),
            (LINES, limits::QUIET_LINES, Verdict::TakesInput),
        ];
        for (modes, quiet, expected) in table {
            let start = Instant::now();
            let mut probe = Probe::new(start);
            assert_eq!(
                probe.judge(look(Activity::Polling), modes, start + quiet),
                expected,
                "{modes:?} {quiet:?}"
            );
        }
    }

    #[test]
    fn a_program_of_another_user_waits_only_behind_a_password_prompt() {
        let start = Instant::now();
        let later = start + limits::QUIET_KEYS;
        assert_eq!(Probe::new(start).judge(look(Activity::Opaque), LINES, later), Verdict::Busy);
        assert_eq!(
            Probe::new(start).judge(look(Activity::Opaque), LocalModes::ICANON, later),
            Verdict::NeedsInput
        );
    }

    #[test]
    fn the_pauses_grow_up_to_their_limit() {
        let mut now = Instant::now();
        let mut probe = Probe::new(now);
        for _ in 0..20 {
            now = probe.due();
            probe.judge(look(Activity::Working), LINES, now);
        }
        assert_eq!(probe.due() - now, limits::PROBE_LAST);
    }

    #[test]
    fn a_reader_has_taken_its_input_once_it_has_woken() {
        let start = Instant::now();
        let asleep = |number| Look { activity: Activity::Reading, sleep: Some((Pid::INIT, number)) };
        let mut probe = Probe::new(start);
        probe.judge(asleep(1), LINES, start);
        assert_eq!(probe.judge(asleep(1), LINES, start), Verdict::NeedsInput);
        probe.input_sent(start);
        for _ in 0..3 {
            assert_eq!(probe.judge(asleep(1), LINES, start), Verdict::Busy);
        }
        probe.judge(asleep(2), LINES, start);
        assert_eq!(probe.judge(asleep(2), LINES, start), Verdict::NeedsInput);
    }

    #[test]
    fn a_reader_that_does_not_wake_is_believed_in_the_end() {
        let start = Instant::now();
        let asleep = Look { activity: Activity::Reading, sleep: Some((Pid::INIT, 1)) };
        let mut probe = Probe::new(start);
        probe.judge(asleep, LINES, start);
        probe.input_sent(start);
        let later = start + limits::INPUT_TAKEN;
        probe.judge(asleep, LINES, later);
        assert_eq!(probe.judge(asleep, LINES, later), Verdict::NeedsInput);
    }
}
