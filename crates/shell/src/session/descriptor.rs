//! A descriptor in the event loop that can also be read at any time.
//!
//! Readiness is cleared before the reading, not by it: whoever waits must
//! read until there is nothing left, and may read without having waited.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use tokio::io::unix::AsyncFd;

use crate::sys;

pub(super) struct Descriptor {
    inner: AsyncFd<OwnedFd>,
}

impl Descriptor {
    /// Takes a descriptor that is in non-blocking mode.
    pub(super) fn new(descriptor: OwnedFd) -> io::Result<Self> {
        Ok(Self { inner: sys::register(descriptor)? })
    }

    pub(super) async fn readable(&self) {
        match self.inner.readable().await {
            Ok(mut ready) => ready.clear_ready(),
            // The event loop is shutting down, and this task with it.
            Err(_) => std::future::pending().await,
        }
    }

    pub(super) async fn writable(&self) {
        match self.inner.writable().await {
            Ok(mut ready) => ready.clear_ready(),
            Err(_) => std::future::pending().await,
        }
    }

    /// Reads what is there; `WouldBlock` when that is nothing.
    pub(super) fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        Ok(rustix::io::retry_on_intr(|| rustix::io::read(&self.inner, &mut *buffer))?)
    }

    pub(super) fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        Ok(rustix::io::retry_on_intr(|| rustix::io::write(&self.inner, bytes))?)
    }
}

impl AsFd for Descriptor {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.inner.as_fd()
    }
}
