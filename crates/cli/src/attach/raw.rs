//! The person's terminal: raw while attached, as it was before afterwards.

use std::io;

use rustix::stdio::stdin;
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetwinsize, tcsetattr};

/// Raw mode, until this is dropped, also by a panic.
pub(super) struct Raw {
    before: Termios,
}

/// The size of a window.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Window {
    pub(super) columns: u16,
    pub(super) rows: u16,
}

impl Raw {
    pub(super) fn enter() -> io::Result<Self> {
        let before = tcgetattr(stdin())?;
        let mut raw = before.clone();
        raw.make_raw();
        tcsetattr(stdin(), OptionalActions::Drain, &raw)?;
        Ok(Self { before })
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        // A terminal that is gone needs no mode.
        let _ = tcsetattr(stdin(), OptionalActions::Flush, &self.before);
    }
}

impl Window {
    /// A terminal that does not tell is taken to be of the usual size.
    pub(super) fn of_stdin() -> Self {
        match tcgetwinsize(stdin()) {
            Ok(size) if size.ws_col > 0 && size.ws_row > 0 => {
                Self { columns: size.ws_col, rows: size.ws_row }
            }
            _ => Self { columns: 80, rows: 24 },
        }
    }
}
