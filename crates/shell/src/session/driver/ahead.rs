//! Text that was sent to a program which may end without reading it.
//!
//! In a terminal, bash runs what was typed ahead. Here bash never reads the terminal, so it is done for it: text
//! that no program has read is run if whoever has sent it still waits, and otherwise the next turn says so. A person
//! waits while attached.

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
    /// What a person has typed since then, and whether anybody has typed what is not shown.
    keys: Keys,
}

/// Keys that the program may not have read.
#[derive(Default)]
struct Keys {
    any: bool,
    /// Some were not shown: they may be a password.
    hidden: bool,
    /// The last line has no end yet, so no program has read it.
    begun: bool,
}

impl Keys {
    fn add(&mut self, keys: &[u8], hidden: bool) {
        let Some(last) = keys.last() else { return };
        *self = Self { any: true, hidden: self.hidden || hidden, begun: !matches!(last, b'\r' | b'\n') };
    }

    /// All that could be read was: a line that was begun could not, and if it was hidden its rest is too.
    fn were_read(&mut self) {
        if !self.begun {
            *self = Self::default();
        }
    }

    /// Whether they may be run or told.
    fn are_open(&self) -> bool {
        self.any && !self.hidden
    }
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
        active.ahead.keys.were_read();
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
        let echoes = self.terminal.modes().contains(LocalModes::ECHO);
        // A password is not shown, and nothing that may be one is run.
        let hidden = self.terminal.hides_lines();
        if let Phase::Running(active) = &mut self.phase {
            if hidden {
                active.ahead.keys.add(b"\r", hidden);
            } else {
                active.ahead.give(&as_read(&text));
            }
        }
        let input = Input::Line(text);
        self.give_input(&input);
        let Input::Line(text) = input else { return };
        if let Some(waiter) = self.waiter.as_mut().filter(|_| echoes) {
            waiter.sent = Some(text);
        }
    }

    /// Keys of a person for the program that runs.
    pub(super) fn give_keys(&mut self, keys: &[u8]) {
        let hidden = self.terminal.hides_lines();
        if let Phase::Running(active) = &mut self.phase {
            active.ahead.keys.add(keys, hidden);
        }
        self.outbox.extend(keys);
        self.push_input();
    }

    /// Drops what was typed and not read.
    pub(super) fn forget_keys(&mut self) {
        self.terminal.forget_input();
        if let Phase::Running(active) = &mut self.phase {
            active.ahead.keys = Keys::default();
        }
    }

    /// Whether all that the command which ends now has not read is of a person who still waits.
    pub(super) fn has_typed_ahead(&self) -> bool {
        let Phase::Running(active) = &self.phase else { return false };
        let ahead = &active.ahead;
        ahead.keys.are_open() && ahead.given.is_empty() && ahead.held.is_none() && !self.audience.is_empty()
    }

    /// Runs the next line that a person has typed ahead. What follows it stays in the terminal, for that command to
    /// read or to be run after it. A line that was only begun is edited on.
    pub(super) fn run_typed_ahead(&mut self) {
        let mut more = true;
        while matches!(self.phase, Phase::Idle) && more {
            // What the terminal had no room for before.
            self.write_input();
            let line = self.terminal.take_line();
            more = line.is_some();
            let keys = line.unwrap_or_else(|| {
                let mut keys = self.terminal.take_begun();
                keys.extend(self.outbox.drain(..));
                keys
            });
            for command in self.take_keys(&keys).commands {
                self.audience.tell(command);
            }
        }
        if let Phase::Running(active) = &mut self.phase {
            active.ahead.keys.any = true;
        }
    }

    /// Takes what the command that ends now has not read, and returns what is to be run next.
    pub(super) fn take_unread(&mut self) -> Option<String> {
        let mut unread = self.terminal.take_input();
        // Of a text that the terminal had no room for, a part of a line may be lost between the two.
        let is_torn = !self.outbox.is_empty();
        unread.extend(self.outbox.drain(..));
        // A line that was only begun is never run.
        self.terminal.forget_input();
        let Phase::Running(active) = &mut self.phase else { return None };
        let (held, given) = (active.ahead.held.take(), std::mem::take(&mut active.ahead.given));
        let keys_are_open = active.ahead.keys.are_open();
        // Programs that take keys see Enter as a carriage return.
        let unread = String::from_utf8_lossy(&unread).replace('\r', "\n");
        let waiter = self.waiter.as_mut().filter(|waiter| !waiter.answer.is_closed());
        let mut sent = waiter.and_then(|waiter| waiter.sent.take());
        let before = sent.as_ref().and_then(|sent| unread.strip_suffix(&as_read(sent))).map(str::to_owned);
        let run = if before.is_some() { sent.take() } else { None };
        let is_given = given.ends_with(&unread) || (!is_torn && is_edited(&given, &unread));
        // Anything else may be a password, or the terminal's answers to what programs asked it.
        if is_given || keys_are_open {
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
