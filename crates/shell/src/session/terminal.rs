//! The caller's side of a terminal.

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::fs::MetadataExt as _;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;
use rustix::process::Pid;
use rustix::pty::{OpenptFlags, ioctl_tiocgptpeer};
use rustix::termios::{LocalModes, OptionalActions, QueueSelector, SpecialCodeIndex, Winsize, tcsetattr};

use super::descriptor::Descriptor;
use crate::sys;

/// The kernel keeps at most so much input that nobody reads (N_TTY_BUF_SIZE).
const INPUT_QUEUE: usize = 4096;

/// The master, and the slave: held open so that the master never reports a
/// hang-up, and because only there the input queue can be emptied.
pub(super) struct Terminal {
    pub(super) master: Descriptor,
    slave: OwnedFd,
    device: u64,
}

impl Terminal {
    pub(super) fn new(master: OwnedFd) -> io::Result<Self> {
        // Opened anew: the description that bash has must go on blocking, and this one must never.
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let nonblocking = OpenptFlags::from_bits_retain(OFlags::NONBLOCK.bits());
        let slave = ioctl_tiocgptpeer(&master, flags | nonblocking)?;
        let device = std::fs::File::from(slave.try_clone()?).metadata()?.rdev();
        Ok(Self { master: Descriptor::new(master)?, slave, device })
    }

    /// The number by which the kernel knows this terminal.
    pub(super) fn device(&self) -> u64 {
        self.device
    }

    /// Drops input that no program has read.
    pub(super) fn forget_input(&self) {
        // On a terminal that is going away there is none.
        let _ = rustix::termios::tcflush(&self.slave, QueueSelector::IFlush);
    }

    /// Whether there is input that no program has read. Exact: asking makes
    /// the kernel first deliver what it still holds back.
    pub(super) fn has_input(&self) -> bool {
        let mut slave = [PollFd::new(&self.slave, PollFlags::IN)];
        poll(&mut slave, Some(&Timespec::default())).is_ok_and(|ready| ready > 0)
    }

    /// Makes the kernel take what was written, instead of in its own time.
    pub(super) fn deliver(&self) {
        self.has_input();
    }

    /// Takes the input that no program has read: whole lines, or keys where the terminal takes those.
    pub(super) fn take_input(&self) -> Vec<u8> {
        // A reading of nothing is an end of file among them, each of which takes a place in the queue.
        std::iter::from_fn(|| self.take_line()).take(INPUT_QUEUE).flatten().collect()
    }

    /// Takes the next line that no program has read, or keys where the terminal takes those.
    pub(super) fn take_line(&self) -> Option<Vec<u8>> {
        let mut line = vec![0; INPUT_QUEUE];
        let count =
            if self.has_input() { rustix::io::read(&self.slave, &mut line).ok()? } else { return None };
        line.truncate(count);
        Some(line)
    }

    /// Takes a line that was begun. The kernel gives it only to those who take keys, so for a moment everybody does.
    pub(super) fn take_begun(&self) -> Vec<u8> {
        let Ok(modes) = rustix::termios::tcgetattr(&self.slave) else { return Vec::new() };
        let mut keys = modes.clone();
        keys.local_modes.remove(LocalModes::ICANON);
        // On a terminal that is going away nothing was begun.
        let _ = tcsetattr(&self.slave, OptionalActions::Now, &keys);
        let begun = self.take_line();
        let _ = tcsetattr(&self.slave, OptionalActions::Now, &modes);
        begun.unwrap_or_default()
    }

    pub(super) fn resize(&self, columns: u16, rows: u16) -> io::Result<()> {
        let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        Ok(rustix::termios::tcsetwinsize(&self.master, size)?)
    }

    pub(super) fn foreground(&self) -> Option<Pid> {
        rustix::termios::tcgetpgrp(&self.master).ok()
    }

    /// Whether programs get whole lines, and whether what is typed shows.
    pub(super) fn modes(&self) -> LocalModes {
        rustix::termios::tcgetattr(&self.slave).map_or(LocalModes::empty(), |modes| modes.local_modes)
    }

    /// Whether lines are typed without being shown: what is typed may be a password.
    pub(super) fn hides_lines(&self) -> bool {
        self.modes() & (LocalModes::ICANON | LocalModes::ECHO) == LocalModes::ICANON
    }

    /// Ctrl-C: as a signal where the terminal makes one of it, else as the key.
    pub(super) fn interrupt(&self) -> io::Result<()> {
        if self.modes().contains(LocalModes::ISIG) {
            return self.signal();
        }
        self.master.write(&[0x03]).map(|_| ())
    }

    /// The signal of Ctrl-C, also where the terminal makes none of the key.
    pub(super) fn signal(&self) -> io::Result<()> {
        sys::signal_terminal(self.master.as_fd(), libc::SIGINT)
    }

    /// The key for end of file, Ctrl-D unless the user has changed it.
    pub(super) fn end_of_file(&self) -> u8 {
        rustix::termios::tcgetattr(&self.slave)
            .map_or(0x04, |modes| modes.special_codes[SpecialCodeIndex::VEOF])
    }
}
