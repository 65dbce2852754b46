//! The system calls no safe crate offers, each behind a safe function.

use std::ffi::CStr;
use std::io;
use std::mem::size_of;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use rustix::process::Pid;
use tokio::io::unix::AsyncFd;

/// Which part of a mount tree [`set_mount_writable`] and its kin change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    Top,
    Recursive,
}

/// Puts every signal back to its default action, so that a program started
/// from a daemon under `nohup` does not inherit ignored signals.
pub(crate) fn reset_signals() {
    for signal in 1..32 {
        if matches!(signal, libc::SIGKILL | libc::SIGSTOP | libc::SIGPIPE) {
            continue;
        }
        // SAFETY: SIG_DFL installs no handler; the call has no memory effects.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
}

/// Blocks `signals` and returns a descriptor that becomes readable when one is pending.
pub(crate) fn signal_descriptor(signals: &[i32]) -> io::Result<OwnedFd> {
    // SAFETY: `set` is initialised by sigemptyset before any other use, and
    // the descriptor signalfd returns is new, so we are its only owner.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut set);
        for signal in signals {
            libc::sigaddset(&raw mut set, *signal);
        }
        check(libc::sigprocmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut()))?;
        let fd = libc::signalfd(-1, &raw const set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK);
        check(fd)?;
        Ok(OwnedFd::from_raw_fd(fd))
    }
}

/// Blocks no signal: a new program inherits what its parent blocks.
pub(crate) fn unblock_signals() -> io::Result<()> {
    // SAFETY: `set` is initialised by sigemptyset before it is used.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut set);
        check(libc::sigprocmask(libc::SIG_SETMASK, &raw const set, std::ptr::null_mut()))
    }
}

/// The signal numbers that are pending on a [`signal_descriptor`].
pub(crate) fn pending_signals(descriptor: BorrowedFd<'_>) -> Vec<i32> {
    const RECORD: usize = size_of::<libc::signalfd_siginfo>();
    let mut buffer = [0u8; RECORD * 8];
    let length = rustix::io::read(descriptor, &mut buffer).unwrap_or(0);
    buffer[..length]
        .chunks_exact(RECORD)
        // `ssi_signo` is the record's first field.
        .filter_map(|record| record[..4].try_into().ok().map(i32::from_ne_bytes))
        .collect()
}

/// Closes every descriptor from `first` on.
pub(crate) fn close_from(first: RawFd) {
    // SAFETY: called at the start of the guard, before anything owns a descriptor in the range.
    unsafe { libc::syscall(libc::SYS_close_range, first, libc::c_uint::MAX, 0) };
}

/// Makes `command` call `prepare` in the child, just before it becomes the new program.
///
/// Only the guard may use this: it has one thread, so the child of its fork
/// may allocate and take locks like any process.
pub(crate) fn before_exec<F>(command: &mut Command, prepare: F)
where
    F: FnMut() -> io::Result<()> + Send + Sync + 'static,
{
    // SAFETY: the guard is single-threaded, so no lock can be held by a
    // thread that does not exist after the fork.
    unsafe { command.pre_exec(prepare) };
}

/// Copies `from` to the descriptor number `to`, without close-on-exec.
pub(crate) fn duplicate_to(from: RawFd, to: RawFd) -> io::Result<()> {
    // SAFETY: dup2 takes numbers; whatever `to` was is ours to replace, since
    // this runs in a child that is about to exec.
    check(unsafe { libc::dup2(from, to) })
}

/// Sends `signal` to the foreground process group of the terminal behind `master`.
pub(crate) fn signal_terminal(master: BorrowedFd<'_>, signal: i32) -> io::Result<()> {
    // SAFETY: TIOCSIG takes the signal number by value and touches no memory.
    check(unsafe { libc::ioctl(master.as_raw_fd(), libc::TIOCSIG, signal) })
}

/// How many sent bytes the other end of a Unix socket has not read yet.
pub(crate) fn unread_by_peer(socket: BorrowedFd<'_>) -> io::Result<usize> {
    let mut count: libc::c_int = 0;
    // SAFETY: TIOCOUTQ (SIOCOUTQ on sockets) writes one int through the pointer.
    check(unsafe { libc::ioctl(socket.as_raw_fd(), libc::TIOCOUTQ, &raw mut count) })?;
    Ok(usize::try_from(count).unwrap_or(0))
}

/// Puts a descriptor under the event loop's watch.
pub(crate) fn register(descriptor: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    // SAFETY: an `OwnedFd` is open, stays the same descriptor, and is closed
    // only by being dropped, which the `AsyncFd` that owns it from here on does.
    Ok(unsafe { AsyncFd::register(descriptor) }?)
}

/// Reads memory of another process; returns how many bytes could be read.
pub(crate) fn read_memory(process: Pid, address: usize, buffer: &mut [u8]) -> io::Result<usize> {
    let local = libc::iovec { iov_base: buffer.as_mut_ptr().cast(), iov_len: buffer.len() };
    let remote = libc::iovec { iov_base: address as *mut libc::c_void, iov_len: buffer.len() };
    // SAFETY: `local` describes `buffer`, which is borrowed mutably for the
    // call; the remote address is only followed in the other process.
    let read =
        unsafe { libc::process_vm_readv(process.as_raw_pid(), &raw const local, 1, &raw const remote, 1, 0) };
    usize::try_from(read).map_err(|_| io::Error::last_os_error())
}

/// Leaves the namespaces named by `flags`.
pub(crate) fn unshare(flags: rustix::thread::UnshareFlags) -> io::Result<()> {
    // SAFETY: the flags used here (user, mount, network) do not unshare the
    // descriptor table or memory, which is what makes the call unsafe.
    Ok(unsafe { rustix::thread::unshare_unsafe(flags) }?)
}

/// Makes the mount at `path` read-only.
pub(crate) fn set_mount_read_only(path: &CStr, reach: Reach) -> io::Result<()> {
    set_mount_attributes(path, reach, libc::MOUNT_ATTR_RDONLY, 0)
}

/// Makes the mount at `path` writable.
pub(crate) fn set_mount_writable(path: &CStr, reach: Reach) -> io::Result<()> {
    set_mount_attributes(path, reach, 0, libc::MOUNT_ATTR_RDONLY)
}

/// Brings the loopback interface of the current network namespace up.
pub(crate) fn raise_loopback() -> io::Result<()> {
    let socket = rustix::net::socket(rustix::net::AddressFamily::INET, rustix::net::SocketType::DGRAM, None)?;
    // SAFETY: ifreq is plain data; zero is valid for every field, and the
    // name "lo" leaves the terminating zero in place.
    unsafe {
        let mut request: libc::ifreq = std::mem::zeroed();
        request.ifr_name[0] = b'l' as libc::c_char;
        request.ifr_name[1] = b'o' as libc::c_char;
        check(libc::ioctl(socket.as_fd().as_raw_fd(), libc::SIOCGIFFLAGS, &raw mut request))?;
        request.ifr_ifru.ifru_flags |= (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
        check(libc::ioctl(socket.as_fd().as_raw_fd(), libc::SIOCSIFFLAGS, &raw const request))
    }
}

fn set_mount_attributes(path: &CStr, reach: Reach, set: u64, clear: u64) -> io::Result<()> {
    let attributes = libc::mount_attr { attr_set: set, attr_clr: clear, propagation: 0, userns_fd: 0 };
    let flags = match reach {
        Reach::Top => 0,
        Reach::Recursive => libc::AT_RECURSIVE,
    };
    // SAFETY: the path is a terminated string and the attributes outlive the
    // call, whose last argument is exactly their size.
    let result = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            libc::AT_FDCWD,
            path.as_ptr(),
            flags,
            &raw const attributes,
            size_of::<libc::mount_attr>(),
        )
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

fn check(result: libc::c_int) -> io::Result<()> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
