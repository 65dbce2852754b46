//! Lets go of what the caller left open.

use std::io;

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
