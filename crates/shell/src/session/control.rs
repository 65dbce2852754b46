//! The control socket: bash's standard input between payloads, and where its reports come from.

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};

use super::descriptor::Descriptor;
use super::report::{Event, Reports};
use crate::sys;

pub(super) struct Control {
    socket: Descriptor,
    pub(super) reports: Reports,
    /// Nothing comes any more: another program has taken bash's place and does not hold the socket, or what came
    /// was not bash's.
    pub(super) hung_up: bool,
}

impl Control {
    pub(super) fn new(socket: OwnedFd) -> io::Result<Self> {
        rustix::io::ioctl_fionbio(&socket, true)?;
        Ok(Self { socket: Descriptor::new(socket)?, reports: Reports::default(), hung_up: false })
    }

    /// Sends lines to bash, which reads whenever it is idle; a socket that is full means that it does not.
    pub(super) fn send(&self, lines: &str) -> io::Result<()> {
        let sent = rustix::net::send(&self.socket, lines.as_bytes(), rustix::net::SendFlags::NOSIGNAL)?;
        if sent == lines.len() { Ok(()) } else { Err(io::ErrorKind::WriteZero.into()) }
    }

    /// Waits until there is something to read; forever after a hang-up.
    pub(super) async fn readable(&self) {
        if self.hung_up {
            std::future::pending::<()>().await;
        }
        self.socket.readable().await;
    }

    /// Reads what is there and returns the next event in it. That ends soon, whoever writes: a turn has few bytes.
    pub(super) fn next_event(&mut self) -> Option<Event> {
        let mut buffer = [0; 4096];
        loop {
            if let Some(event) = self.reports.next() {
                return Some(event);
            }
            if self.hung_up {
                return None;
            }
            match self.socket.read(&mut buffer) {
                Ok(count) if count > 0 => self.reports.feed(&buffer[..count]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return None,
                Ok(_) | Err(_) => self.hung_up = true,
            }
            if self.reports.are_drowned() {
                self.hung_up = true;
                return Some(Event::Drowned);
            }
        }
    }

    /// Whether bash has read everything that was sent to it.
    pub(super) fn is_read(&self) -> bool {
        sys::unread_by_peer(self.socket.as_fd()).is_ok_and(|count| count == 0)
    }
}
