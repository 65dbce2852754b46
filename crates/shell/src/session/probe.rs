//! When to look at the foreground, and what to conclude from what was seen.

use std::time::{Duration, Instant};

use rustix::termios::LocalModes;

use super::foreground::Activity;
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
}

impl Probe {
    pub(super) fn new(now: Instant) -> Self {
        Self {
            next: now + limits::PROBE_FIRST,
            pause: limits::PROBE_FIRST,
            reading_before: false,
            last_output: now,
        }
    }

    pub(super) fn due(&self) -> Instant {
        self.next
    }

    pub(super) fn output_seen(&mut self, now: Instant) {
        self.last_output = now;
    }

    /// Something has changed, or somebody asks anew: what was seen before means nothing.
    pub(super) fn begin_again(&mut self, now: Instant) {
        *self = Self { last_output: self.last_output, ..Self::new(now) };
    }

    /// Draws the conclusion from a look and plans the next one.
    pub(super) fn judge(&mut self, activity: Activity, modes: LocalModes, now: Instant) -> Verdict {
        self.pause = (self.pause * 2).min(limits::PROBE_LAST);
        self.next = now + self.pause;
        let reading_before = std::mem::replace(&mut self.reading_before, activity == Activity::Reading);
        let quiet = now.saturating_duration_since(self.last_output);
        let takes_lines = modes.contains(LocalModes::ICANON);
        match activity {
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

    #[test]
    fn a_reader_is_believed_at_the_second_look() {
        let start = Instant::now();
        let mut probe = Probe::new(start);
        assert_eq!(probe.judge(Activity::Reading, LINES, start), Verdict::Busy);
        assert_eq!(probe.due(), start + limits::PROBE_CONFIRM);
        assert_eq!(probe.judge(Activity::Reading, LINES, probe.due()), Verdict::NeedsInput);
    }

    #[test]
    fn a_reader_that_went_on_in_between_is_not_believed() {
        let start = Instant::now();
        let mut probe = Probe::new(start);
        probe.judge(Activity::Reading, LINES, start);
        probe.judge(Activity::Working, LINES, start);
        assert_eq!(probe.judge(Activity::Reading, LINES, start), Verdict::Busy);
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
            assert_eq!(probe.judge(Activity::Polling, modes, start + quiet), expected, "{modes:?} {quiet:?}");
        }
    }

    #[test]
    fn a_program_of_another_user_waits_only_behind_a_password_prompt() {
        let start = Instant::now();
        let later = start + limits::QUIET_KEYS;
        assert_eq!(Probe::new(start).judge(Activity::Opaque, LINES, later), Verdict::Busy);
        assert_eq!(Probe::new(start).judge(Activity::Opaque, LocalModes::ICANON, later), Verdict::NeedsInput);
    }

    #[test]
    fn the_pauses_grow_up_to_their_limit() {
        let mut now = Instant::now();
        let mut probe = Probe::new(now);
        for _ in 0..20 {
            now = probe.due();
            probe.judge(Activity::Working, LINES, now);
        }
        assert_eq!(probe.due() - now, limits::PROBE_LAST);
    }
}
