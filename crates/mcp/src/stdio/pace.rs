//! How soon a client goes on after its answers.
//!
//! To be woken for the next message takes longer than many a command. A client that sends one call after the other is
//! worth a short look; one that thinks in between is not.

use std::time::{Duration, Instant};

/// A client that takes longer is not looked out for.
const QUICK: Duration = Duration::from_micros(200);
/// How long one is looked out for.
pub(super) const LOOK: Duration = Duration::from_micros(100);

#[derive(Debug, Default)]
pub(super) struct Pace {
    /// Since when nothing is owed to it.
    settled: Option<Instant>,
    was_quick: bool,
}

impl Pace {
    /// Everything is answered.
    pub(super) fn settled(&mut self, now: Instant) {
        self.settled = Some(now);
    }

    /// Something came in.
    pub(super) fn received(&mut self, now: Instant) {
        self.was_quick = self.settled.take().is_some_and(|settled| now.duration_since(settled) < QUICK);
    }

    /// It was looked out for, and did not come.
    pub(super) fn missed(&mut self) {
        self.was_quick = false;
    }

    /// Whether its next message is likely to come at once.
    pub(super) fn is_quick(&self) -> bool {
        self.was_quick && self.settled.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_client_that_was_quick_and_has_its_answers_is_looked_out_for() {
        let mut pace = Pace::default();
        let mut now = Instant::now();
        for (gap, expected) in [(QUICK / 2, true), (QUICK / 2, true), (QUICK * 2, false), (QUICK / 2, true)] {
            pace.settled(now);
            now += gap;
            pace.received(now);
            assert!(!pace.is_quick(), "it waits for its answer");
            pace.settled(now);
            assert_eq!(pace.is_quick(), expected, "{gap:?}");
        }
        pace.missed();
        assert!(!pace.is_quick(), "it is not looked out for again and again");
        let mut pace = Pace::default();
        pace.received(now);
        pace.settled(now);
        assert!(!pace.is_quick(), "the first message says nothing");
    }
}
