//! What goes through the terminal: output to its readers, input to the program.

use std::time::Instant;

use rustix::termios::LocalModes;

use super::{Driver, Phase, Stage};
use crate::limits;
use crate::session::attach::Size;

/// Whether a reading took everything that was there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Drained {
    Wholly,
    Partly,
}

impl Driver {
    /// Reads a good deal of what the terminal has.
    pub(super) fn read_terminal(&mut self) {
        self.more_output = self.drain(limits::IDLE_READ) == Drained::Partly;
        if self.more_output && matches!(self.phase, Phase::Idle) {
            self.rest_until = Some(Instant::now() + limits::IDLE_REST);
        }
    }

    /// Reads what the terminal has, at most about `most` bytes.
    pub(super) fn drain(&mut self, most: usize) -> Drained {
        let mut buffer = [0; 16 * 1024];
        let mut total = 0;
        let drained = loop {
            if total >= most {
                break Drained::Partly;
            }
            match self.terminal.master.read(&mut buffer) {
                Ok(count) if count > 0 => {
                    total += count;
                    self.take_output(&buffer[..count]);
                }
                // Nothing left, or a terminal that is gone.
                _ => break Drained::Wholly,
            }
        };
        if total > 0 {
            self.publish();
        }
        drained
    }

    fn take_output(&mut self, bytes: &[u8]) {
        self.audience.show(bytes);
        self.screen.feed(bytes);
        let transcript = match &mut self.phase {
            Phase::Running(active) if active.stage != Stage::Settling => {
                active.probe.output_seen(Instant::now());
                &mut self.transcript
            }
            Phase::Running(_) | Phase::Idle | Phase::Dead(_) => &mut self.late,
        };
        transcript.watch(self.live.receiver_count() > 0 || self.watchers.want_text());
        transcript.feed(bytes);
        let answers = transcript.take_answers();
        // Programs that ask take keys; to others the answer would be noise. A person's own terminal answers itself.
        let asked =
            !answers.is_empty() && self.audience.is_empty() && matches!(self.phase, Phase::Running(_));
        // One that asks without end and never reads gets no endless answer.
        let room = self.outbox.len() < limits::INPUT_PIECE;
        if asked && room && !self.terminal.modes().contains(LocalModes::ICANON) {
            self.outbox.extend(answers);
            self.write_input();
        }
    }

    fn publish(&mut self) {
        for event in self.transcript.take_live().into_iter().chain(self.late.take_live()) {
            self.watchers.look(&event);
            // Nobody watching is no error.
            let _ = self.live.send(event);
        }
    }

    pub(super) fn write_input(&mut self) {
        while !self.outbox.is_empty() {
            let (piece, _) = self.outbox.as_slices();
            let piece = &piece[..piece.len().min(limits::INPUT_PIECE)];
            match self.terminal.master.write(piece) {
                Ok(count) if count > 0 => {
                    self.outbox.drain(..count);
                }
                _ => return,
            }
            // It is taken now, with the modes of now: a little later the terminal might show a password.
            self.terminal.deliver();
        }
    }

    pub(super) fn resize(&mut self, size: Size) {
        // A window of no size is no window.
        if size.columns > 0 && size.rows > 0 && self.terminal.resize(size.columns, size.rows).is_ok() {
            self.size = size;
            self.transcript.resize(size.columns, size.rows);
            self.late.resize(size.columns, size.rows);
        }
    }
}
