//! A clock that stands still until it is told to move.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use ::store::{Clock, Timestamp};

#[derive(Debug)]
pub struct FakeClock(AtomicI64);

impl FakeClock {
    /// A fixed moment: 2024-01-02T03:04:05.678Z.
    const START: i64 = 1_704_164_645_678;

    pub fn advance(&self, by: Duration) {
        let millis = i64::try_from(by.as_millis()).expect("tests move by sane amounts");
        self.0.fetch_add(millis, Ordering::SeqCst);
    }
}

impl Default for FakeClock {
    fn default() -> Self {
        Self(AtomicI64::new(Self::START))
    }
}

impl Clock for FakeClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::SeqCst))
    }
}
