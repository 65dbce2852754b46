//! What the programs in the foreground of a terminal are doing, as the kernel shows it.

use std::fs;
use std::os::unix::fs::MetadataExt as _;

use rustix::process::Pid;

use crate::stat::Stat;
use crate::{sys, tree};

/// With thousands of background jobs only the newest are looked at: the
/// foreground is among them.
const PROCESSES: usize = 256;
/// More descriptors than this in one poll set are not looked at.
const POLLED: usize = 1024;
/// The buffer of bash's own command reader. The `read` builtin asks for another size.
const BASH_READER: u64 = 1024;
/// The device number of `/dev/tty`.
const DEV_TTY: u64 = 0x500;

/// What was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Activity {
    /// It computes, sleeps, or waits for something else.
    Working,
    /// It sits in `read` on the terminal, where no input is.
    Reading,
    /// It waits for several things, the terminal among them.
    Polling,
    /// It sleeps and may not be looked at, being another user's (`su`, `sudo`).
    Opaque,
    /// Bash waits for its next line on the control socket.
    ReaderIdle,
    /// Bash waits for its next line on the terminal, where none will come.
    ReaderLost,
}

/// Looks at bash and at what it has in the foreground of the terminal `device`.
pub(super) fn look(bash: Pid, foreground: Option<Pid>, device: u64) -> Activity {
    if is_idle(bash) {
        return if is_terminal(bash, 0, device) { Activity::ReaderLost } else { Activity::ReaderIdle };
    }
    let Some(foreground) = foreground else { return Activity::Working };
    let mut seen = Activity::Working;
    for process in newest_tree(bash) {
        if Stat::of(process).and_then(|stat| stat.group()) != Some(foreground) {
            continue;
        }
        for thread in threads(process) {
            match activity(process, thread, device) {
                Activity::Reading => return Activity::Reading,
                Activity::Polling => seen = Activity::Polling,
                Activity::Opaque if seen == Activity::Working => seen = Activity::Opaque,
                _ => {}
            }
        }
    }
    seen
}

/// Whether bash waits for its next line.
pub(super) fn is_idle(bash: Pid) -> bool {
    let call = call_of(bash, bash);
    matches!(call, Call::Blocked([number, 0, _, BASH_READER, ..]) if number == libc::SYS_read as u64)
}

/// The live members of `group`: programs other than bash, and what is still bash, itself or a child of it.
pub(super) fn members(bash: Pid, group: Pid) -> (Vec<Pid>, Vec<Pid>) {
    let own = command_line(bash);
    let lives = |stat: Stat| stat.group() == Some(group) && stat.is_alive();
    let mut members = newest_tree(bash);
    members.retain(|process| Stat::of(*process).is_some_and(lives));
    let lines = members.into_iter().map(|process| (process, command_line(process)));
    // One that is ending has no command line any more.
    let named = lines.filter(|(_, line)| !line.is_empty());
    let (programs, unborn): (Vec<_>, Vec<_>) = named.partition(|(_, line)| *line != own);
    let pids = |of: Vec<(Pid, Vec<u8>)>| of.into_iter().map(|(process, _)| process).collect();
    (pids(programs), pids(unborn))
}

/// The command line of a process, which changes when it becomes another program.
pub(super) fn command_line(process: Pid) -> Vec<u8> {
    fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default()
}

/// A number that grows with each child the process has waited for: their page faults.
pub(super) fn waited_for(process: Pid) -> u64 {
    Stat::of(process).and_then(|stat| stat.faults_of_children()).unwrap_or(0)
}

/// A system call as `/proc` shows it: number, then arguments.
enum Call {
    Running,
    Blocked([u64; 7]),
    Forbidden,
}

fn activity(process: Pid, thread: Pid, device: u64) -> Activity {
    let call = match call_of(process, thread) {
        Call::Running => return Activity::Working,
        Call::Forbidden => {
            return if is_asleep(process, thread) { Activity::Opaque } else { Activity::Working };
        }
        // A program that was stopped in the middle of a call waits for nothing.
        Call::Blocked(_) if !is_asleep(process, thread) => return Activity::Working,
        Call::Blocked(call) => call,
    };
    let [number, first, second, ..] = call;
    let Ok(number) = i64::try_from(number) else { return Activity::Working };
    match waits_how(number) {
        Some(Wait::Read) if is_terminal(process, first, device) => Activity::Reading,
        Some(Wait::Poll) if poll_set(process, first, second).any(|fd| is_terminal(process, fd, device)) => {
            Activity::Polling
        }
        Some(Wait::Select)
            if select_set(process, first, second).any(|fd| is_terminal(process, fd, device)) =>
        {
            Activity::Polling
        }
        Some(Wait::Epoll) if epoll_set(process, first).any(|fd| is_terminal(process, fd, device)) => {
            Activity::Polling
        }
        _ => Activity::Working,
    }
}

#[derive(Clone, Copy)]
enum Wait {
    Read,
    Poll,
    Select,
    Epoll,
}

fn waits_how(number: i64) -> Option<Wait> {
    match number {
        libc::SYS_read | libc::SYS_readv => Some(Wait::Read),
        libc::SYS_ppoll => Some(Wait::Poll),
        libc::SYS_pselect6 => Some(Wait::Select),
        libc::SYS_epoll_pwait | libc::SYS_epoll_pwait2 => Some(Wait::Epoll),
        // The older forms, which newer architectures do not have.
        #[cfg(target_arch = "x86_64")]
        libc::SYS_poll => Some(Wait::Poll),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_select => Some(Wait::Select),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_epoll_wait => Some(Wait::Epoll),
        _ => None,
    }
}

fn call_of(process: Pid, thread: Pid) -> Call {
    let Ok(line) = fs::read_to_string(format!("/proc/{process}/task/{thread}/syscall")) else {
        return Call::Forbidden;
    };
    let mut call = [0; 7];
    for (slot, word) in call.iter_mut().zip(line.split_ascii_whitespace()) {
        let parsed = match word.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16).ok(),
            None => word.parse().ok(),
        };
        let Some(value) = parsed else { return Call::Running };
        *slot = value;
    }
    Call::Blocked(call)
}

/// Bash and the newest of what it has started.
fn newest_tree(bash: Pid) -> Vec<Pid> {
    let mut found = vec![bash];
    let mut next = 0;
    while let Some(process) = found.get(next).copied() {
        let children = tree::children(process);
        found.extend(children.iter().rev().take(PROCESSES.saturating_sub(found.len())));
        next += 1;
    }
    found
}

fn threads(process: Pid) -> Vec<Pid> {
    let Ok(entries) = fs::read_dir(format!("/proc/{process}/task")) else { return Vec::new() };
    entries.flatten().filter_map(|entry| tree::parse_pid(entry.file_name().to_str()?)).collect()
}

fn is_asleep(process: Pid, thread: Pid) -> bool {
    Stat::of_thread(process, thread).is_some_and(|stat| stat.is_asleep())
}

fn is_terminal(process: Pid, fd: u64, device: u64) -> bool {
    // Following the link reaches the device itself, whatever its name is in that mount namespace.
    fs::metadata(format!("/proc/{process}/fd/{fd}"))
        .is_ok_and(|found| found.rdev() == device || found.rdev() == DEV_TTY)
}

/// The descriptors that a `poll` waits to read from.
fn poll_set(process: Pid, address: u64, count: u64) -> impl Iterator<Item = u64> {
    const ENTRY: usize = 8;
    let count = usize::try_from(count).unwrap_or(0).min(POLLED);
    let entries = memory(process, address, count * ENTRY);
    let wanted = |entry: &[u8]| -> Option<u64> {
        let fd = i32::from_ne_bytes(entry.get(..4)?.try_into().ok()?);
        let events = i16::from_ne_bytes(entry.get(4..6)?.try_into().ok()?);
        (events & libc::POLLIN != 0).then(|| u64::try_from(fd).ok()).flatten()
    };
    entries.chunks_exact(ENTRY).filter_map(wanted).collect::<Vec<_>>().into_iter()
}

/// The descriptors that a `select` waits to read from.
fn select_set(process: Pid, count: u64, address: u64) -> impl Iterator<Item = u64> {
    let count = usize::try_from(count).unwrap_or(0).min(POLLED);
    let bits = if address == 0 { Vec::new() } else { memory(process, address, count.div_ceil(8)) };
    (0..count as u64)
        .filter(move |fd| bits.get(*fd as usize / 8).is_some_and(|byte| byte >> (fd % 8) & 1 == 1))
}

/// The descriptors in an epoll set that are waited on for reading.
fn epoll_set(process: Pid, fd: u64) -> impl Iterator<Item = u64> {
    let text = fs::read_to_string(format!("/proc/{process}/fdinfo/{fd}")).unwrap_or_default();
    let wanted = |line: &str| -> Option<u64> {
        let mut words = line.strip_prefix("tfd:")?.split_ascii_whitespace();
        let fd = words.next()?.parse().ok()?;
        let events = u32::from_str_radix(words.nth(1)?, 16).ok()?;
        (events & libc::EPOLLIN as u32 != 0).then_some(fd)
    };
    text.lines().filter_map(wanted).collect::<Vec<_>>().into_iter()
}

fn memory(process: Pid, address: u64, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    let Ok(address) = usize::try_from(address) else { return Vec::new() };
    let read = sys::read_memory(process, address, &mut bytes).unwrap_or(0);
    bytes.truncate(read);
    bytes
}
