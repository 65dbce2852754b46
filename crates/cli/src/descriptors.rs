//! Descriptors as the caller left them: what is open is let go of, and what was closed is known.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the program began without a standard output.
static OUTPUT_CLOSED: AtomicBool = AtomicBool::new(false);

/// Rust opens `/dev/null` in the place of a closed stream before `main`, and what is written there is lost without an
/// error. What the loader calls comes before that.
// SAFETY: the loader calls what it finds in this section once, before any thread exists; arguments that it passes and
// that are not taken do no harm.
#[allow(unsafe_code, reason = "there is no safe way to run before the standard library does")]
#[used]
#[unsafe(link_section = ".init_array")]
static AT_LOAD: extern "C" fn() = note_closed_output;

extern "C" fn note_closed_output() {
    // SAFETY: the call takes two numbers and touches no memory.
    #[allow(unsafe_code, reason = "a safe wrapper takes a descriptor that is open")]
    let flags = unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) };
    OUTPUT_CLOSED.store(flags < 0, Ordering::Relaxed);
}

/// Fails if there was no standard output to write to.
pub(crate) fn check_output() -> io::Result<()> {
    match OUTPUT_CLOSED.load(Ordering::Relaxed) {
        true => Err(io::Error::other("it is closed")),
        false => Ok(()),
    }
}

/// Closes every descriptor above stderr. A daemon that kept one would hold the caller's pipe open for good.
///
/// Call it before anything else is opened: whoever owns a descriptor above 2 loses it.
pub(crate) fn close_inherited() -> io::Result<()> {
    // SAFETY: the call takes three numbers and touches no memory. Nothing in this process owns a descriptor yet,
    // so none is closed behind its owner's back.
    #[allow(unsafe_code, reason = "no safe wrapper exists: closing numbers instead of owned descriptors")]
    let outcome = unsafe { libc::close_range(3, libc::c_uint::MAX, 0) };
    if outcome == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
