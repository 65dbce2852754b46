//! Starting bash: on a terminal of its own with a control socket as standard
//! input, or for one command with the guard's own outputs.

use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::{AsRawFd as _, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::fs::{MemfdFlags, memfd_create};
use rustix::process::{Pid, Resource, Rlimit, Signal};
use rustix::pty::{OpenptFlags, ioctl_tiocgptpeer, openpt, unlockpt};
use rustix::termios::{InputModes, OptionalActions, Winsize, tcgetattr, tcsetattr, tcsetwinsize};

use super::Failure;
use crate::boundary::{self, Covers};
use crate::protocol::{Job, Launch};
use crate::session::script;
use crate::{limits, sys};

/// Where bash finds the turn file and the fix file; the bootstrap moves both
/// away. They must lie below 10, where bash puts its own copies.
const TURN_FD: RawFd = 3;
const FIX_FD: RawFd = 4;

/// A new process.
pub(super) struct Started {
    pub(super) pid: Pid,
    /// What the caller needs of it: the terminal's master, control socket, turn file.
    pub(super) descriptors: Vec<OwnedFd>,
    pub(super) covers: Covers,
}

pub(super) fn terminal(launch: &Launch) -> Result<Started, Failure> {
    let (master, slave) = open_terminal().map_err(Failure::at("open a terminal"))?;
    let (control, standard_input) = UnixStream::pair().map_err(Failure::at("open the control socket"))?;
    let turn = memory_file("turn", "").map_err(Failure::at("create the turn file"))?;
    let fix = memory_file("fix", script::FIX).map_err(Failure::at("create the fix file"))?;
    let copy = || slave.try_clone().map_err(Failure::at("copy the terminal"));

    let mut command = bash(launch);
    command
        .args(["--noprofile", "--norc", "--noediting", "-i"])
        .env("PS1", "")
        .env("HISTFILE", "")
        .stdin(OwnedFd::from(standard_input))
        .stdout(copy()?)
        .stderr(copy()?);
    let (turn_fd, fix_fd) = (turn.as_raw_fd(), fix.as_raw_fd());
    let (pid, covers) = start(command, launch, move || {
        rustix::process::setsid()?;
        rustix::process::ioctl_tiocsctty(rustix::stdio::stdout())?;
        sys::duplicate_to(turn_fd, TURN_FD)?;
        sys::duplicate_to(fix_fd, FIX_FD)
    })?;
    Ok(Started { pid, descriptors: vec![master, control.into(), turn.into()], covers })
}

pub(super) fn command(launch: &Launch) -> Result<Started, Failure> {
    let mut command = bash(launch);
    if let Job::Command { text } = &launch.job {
        // A text that begins with a dash is no option.
        command.args(["-c", "--"]).arg(text);
    }
    command.stdin(Stdio::null());
    let (pid, covers) = start(command, launch, || Ok(rustix::process::setsid().map(|_| ())?))?;
    Ok(Started { pid, descriptors: Vec::new(), covers })
}

fn bash(launch: &Launch) -> Command {
    let mut command = Command::new(&launch.bash);
    command.env_clear().envs(launch.environment.iter().map(|(name, value)| (name, value)));
    command
}

/// Enters the boundary and starts `command`; `prepare` runs in the child before the last lock is shut.
fn start<F>(mut command: Command, launch: &Launch, mut prepare: F) -> Result<(Pid, Covers), Failure>
where
    F: FnMut() -> io::Result<()> + Send + Sync + 'static,
{
    let entered = boundary::enter(&launch.boundary);
    let (mut lock, covers) = entered.map_err(|(stage, error)| Failure { stage, error })?;
    rustix::process::chdir(&launch.directory).map_err(|error| {
        let error = io::Error::from(error);
        let message = format!("{}: {error}", Path::new(&launch.directory).display());
        Failure::at("enter the working directory")(io::Error::new(error.kind(), message))
    })?;
    if let Some(soft) = launch.open_files {
        let limit = rustix::process::getrlimit(Resource::Nofile);
        rustix::process::setrlimit(Resource::Nofile, Rlimit { current: Some(soft), ..limit })
            .map_err(|error| Failure::at("restore the limit of open files")(error.into()))?;
    }
    let guard = rustix::process::getpid();
    sys::before_exec(&mut command, move || {
        prepare()?;
        sys::unblock_signals()?;
        rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
        // A guard that died before the line above can send no signal any more.
        if rustix::process::getppid() != Some(guard) {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        lock.shut()
    });
    let child = command.spawn().map_err(Failure::at("start bash"))?;
    let pid = Pid::from_raw(child.id().cast_signed())
        .ok_or_else(|| Failure::at("start bash")(io::ErrorKind::Other.into()))?;
    Ok((pid, covers))
}

/// A terminal without a name to look up, so that it works where `/dev/pts` is not visible.
fn open_terminal() -> io::Result<(OwnedFd, OwnedFd)> {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let master = openpt(flags)?;
    unlockpt(&master)?;
    let slave = ioctl_tiocgptpeer(&master, flags)?;
    let mut modes = tcgetattr(&slave)?;
    modes.input_modes |= InputModes::IUTF8;
    tcsetattr(&slave, OptionalActions::Now, &modes)?;
    let size = Winsize { ws_row: limits::ROWS, ws_col: limits::COLUMNS, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&slave, size)?;
    // The caller reads the master without blocking; the flag travels with it.
    rustix::io::ioctl_fionbio(&master, true)?;
    Ok((master, slave))
}

fn memory_file(name: &str, content: &str) -> io::Result<File> {
    let mut file = File::from(memfd_create(name, MemfdFlags::CLOEXEC)?);
    file.write_all(content.as_bytes())?;
    Ok(file)
}
