//! What the handle of a shell asks of its driver.

use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use super::attach::{Member, Size, Typing};
use super::watch::{Seen, Until};
use super::{Info, Input, Turn};
use crate::error::Result;

pub(super) type Answer<T> = oneshot::Sender<T>;

pub(super) enum Request {
    /// Something that is answered with a turn.
    Turn {
        ask: Ask,
        wait: Duration,
        answer: Answer<Result<Turn>>,
    },
    Interrupt(Answer<Result<()>>),
    EndOfFile(Answer<Result<()>>),
    Kill(Answer<Result<()>>),
    Screen(Answer<String>),
    Info(Answer<Info>),
    Attach {
        size: Size,
        member: Member,
        answer: Answer<()>,
    },
    Watch {
        until: Until,
        answer: Answer<Seen>,
    },
    /// Somebody has left.
    Detach,
    Keys {
        bytes: Vec<u8>,
        answer: Answer<Typing>,
    },
    Resize(Size),
    /// Hide the secrets that have appeared.
    Hide(Answer<Result<()>>),
    Close(Answer<()>),
}

pub(super) enum Ask {
    Run(String),
    Input(Input),
    /// Input for what runs, a command when nothing does.
    Send(String),
    Wait,
}

/// Who has given a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    Caller,
    /// Somebody who is attached.
    Person,
}

/// Somebody who waits for the turn to get somewhere.
pub(super) struct Waiter {
    pub(super) answer: Answer<Result<Turn>>,
    pub(super) until: Instant,
    pub(super) patience: Patience,
    /// The text it has sent to the program that runs, in case that does not read it.
    pub(super) sent: Option<String>,
}

/// When a program that merely takes input ends the wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Patience {
    /// At once: it was just started, or given input.
    First,
    /// Only with something new to show: it was known to take input.
    News,
}
