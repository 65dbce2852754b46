//! Which threads may wait for the disk.

use std::cell::Cell;

use tokio::runtime::{Handle, RuntimeFlavor};

/// Whether the current thread may wait for the disk.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Thread {
    /// Nobody else depends on it.
    Free,
    /// A tokio worker that can hand its tasks on while it waits.
    Worker,
    /// It drives every task of its runtime.
    Sole,
}

thread_local! {
    static IS_FREE: Cell<bool> = const { Cell::new(false) };
}

/// Says that the current thread may wait for the disk, although it works for a runtime whose worker it is not.
pub fn this_thread_may_wait() {
    IS_FREE.set(true);
}

pub(super) fn current_thread() -> Thread {
    if IS_FREE.get() {
        return Thread::Free;
    }
    match Handle::try_current().map(|handle| handle.runtime_flavor()) {
        Err(_) => Thread::Free,
        Ok(RuntimeFlavor::MultiThread) => Thread::Worker,
        Ok(_) => Thread::Sole,
    }
}

pub(super) fn blocking<T>(work: impl FnOnce() -> T) -> T {
    match current_thread() {
        Thread::Worker => tokio::task::block_in_place(work),
        Thread::Free | Thread::Sole => work(),
    }
}
