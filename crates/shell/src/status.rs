//! How a process ended.

use std::fmt;

use rustix::process::WaitStatus;
use serde::{Deserialize, Serialize};

/// The end of a process, as its parent sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Status {
    /// It returned this code.
    Code(u8),
    /// This signal ended it.
    Signal(u8),
}

impl Status {
    pub const SUCCESS: Self = Self::Code(0);

    /// The number a shell shows in `$?`: the code, or 128 plus the signal.
    pub fn code(self) -> i32 {
        match self {
            Self::Code(code) => i32::from(code),
            Self::Signal(signal) => 128 + i32::from(signal),
        }
    }

    pub fn is_success(self) -> bool {
        self == Self::SUCCESS
    }

    /// What `waitpid` reported, or nothing while the process has not ended.
    pub(crate) fn from_wait(status: WaitStatus) -> Option<Self> {
        // Codes and signals are one byte on Linux.
        if let Some(code) = status.exit_status() {
            return Some(Self::Code((code & 0xff) as u8));
        }
        status.terminating_signal().map(|signal| Self::Signal((signal & 0x7f) as u8))
    }
}

impl fmt::Display for Status {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.code())
    }
}
