//! Text that was sent to a program which may end without reading it.
//!
//! In a terminal, bash runs what was typed ahead. Here bash never reads the terminal, so it is done for it: text
//! that no program has read is run if whoever has sent it still waits, and otherwise the next turn says so.

use std::time::Instant;

use rustix::termios::LocalModes;

use super::{Driver, Phase};
use crate::limits;
use crate::session::Input;

/// What the program that runs has been sent.
#[derive(Default)]
pub(super) struct Ahead {
    /// It was told to end, and has not asked for input since: it may be on its way out.
    ending: bool,
    /// Text that waits until it has ended, and is a command then, or until it reads again.
    held: Option<String>,
    /// The end of what was given to it since it was last seen waiting for input.
    given: String,
}

impl Ahead {
    /// Interrupt, end of file and kill: what comes next is rather meant for the shell.
    pub(super) fn told_to_end(&mut self) {
        self.ending = true;
    }

    fn hold(&mut self, text: String) {
        self.held = Some(match self.held.take() {
            Some(before) => format!("{before}\n{text}"),
            None => text,
        });
    }

    fn give(&mut self, typed: &str) {
        self.given.push_str(typed);
        let surplus = self.given.len().saturating_sub(limits::GIVEN);
        self.given.drain(..self.given.ceil_char_boundary(surplus));
    }
}

impl Driver {
    pub(super) fn is_told_to_end(&self) -> bool {
        matches!(&self.phase, Phase::Running(active) if active.ahead.ending)
    }

    /// Text for the program that runs, now or once it is known that it goes on.
    pub(super) fn send_text(&mut self, text: String) {
        let Phase::Running(active) = &mut self.phase else { return };
        if active.ahead.ending {
            active.ahead.hold(text);
            active.probe.begin_again(Instant::now());
        } else {
            self.give_text(text);
        }
    }

    /// The program waits for input, so it has read all it was given. Whether there is more for it.
    pub(super) fn reads_on(&mut self) -> bool {
        let Phase::Running(active) = &mut self.phase else { return false };
        active.ahead.ending = false;
        active.ahead.given.clear();
        self.release()
    }

    /// Gives the program the text that was held back. Whether there was any.
    pub(super) fn release(&mut self) -> bool {
        let Phase::Running(active) = &mut self.phase else { return false };
        let Some(text) = active.ahead.held.take() else { return false };
        match self.check_input(&text) {
            Ok(()) => self.give_text(text),
            Err(error) => {
                if let Some(waiter) = self.waiter.take() {
                    // Whoever has left is not told.
                    let _ = waiter.answer.send(Err(error));
                }
            }
        }
        true
    }

    fn give_text(&mut self, text: String) {
        let modes = self.terminal.modes();
        let echoes = modes.contains(LocalModes::ECHO);
        // A password is not shown, and nothing that may be one is run.
        let secret = modes.contains(LocalModes::ICANON) && !echoes;
        if let Phase::Running(active) = &mut self.phase
            && !secret
        {
            active.ahead.give(&as_read(&text));
        }
        let input = Input::Line(text);
        self.give_input(&input);
        let Input::Line(text) = input else { return };
        if let Some(waiter) = self.waiter.as_mut().filter(|_| echoes) {
            waiter.sent = Some(text);
        }
    }

    /// Takes what the command that ends now has not read, and returns what is to be run next.
    pub(super) fn take_unread(&mut self) -> Option<String> {
        let mut unread = self.terminal.take_input();
        // Of a text that the terminal had no room for, a part of a line may be lost between the two.
        let is_torn = !self.outbox.is_empty();
        unread.extend(self.outbox.drain(..));
        let Phase::Running(active) = &mut self.phase else { return None };
        let (held, given) = (active.ahead.held.take(), std::mem::take(&mut active.ahead.given));
        // Programs that take keys see Enter as a carriage return.
        let unread = String::from_utf8_lossy(&unread).replace('\r', "\n");
        let waiter = self.waiter.as_mut().filter(|waiter| !waiter.answer.is_closed());
        let mut sent = waiter.and_then(|waiter| waiter.sent.take());
        let before = sent.as_ref().and_then(|sent| unread.strip_suffix(&as_read(sent))).map(str::to_owned);
        let run = if before.is_some() { sent.take() } else { None };
        // Anything else is not the caller's: keys of a person, or the terminal's answers to what programs asked it.
        if given.ends_with(&unread) || (!is_torn && is_edited(&given, &unread)) {
            self.keep_unread(before.or(Some(unread)));
        } else if is_torn && !given.is_empty() {
            self.keep_unread(sent);
        }
        held.or(run)
    }

    /// Keeps text that was neither read nor run for the next turn to tell.
    pub(super) fn keep_unread(&mut self, text: Option<String>) {
        let Some(text) = text.filter(|text| !text.trim().is_empty()) else { return };
        let text = text.trim_end();
        self.untold.unread = Some(match self.untold.unread.take() {
            Some(before) => format!("{before}\n{text}"),
            None => text.to_owned(),
        });
    }
}

/// Whether `unread` is what the terminal has made of keys such as Backspace and Ctrl-U in what was given: they only take
/// characters away.
fn is_edited(given: &str, unread: &str) -> bool {
    let edits = |key: char| key.is_control() && !matches!(key, '\n' | '\t');
    let mut keys = given.chars();
    given.contains(edits) && unread.chars().all(|left| keys.any(|key| key == left))
}

/// What a program reads when a line is sent to it.
fn as_read(text: &str) -> String {
    format!("{}\n", text.replace('\r', "\n"))
}
