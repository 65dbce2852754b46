//! A terminal with the binary at it, as a person has.

use std::fs::File;
use std::io::Write;
use std::os::fd::OwnedFd;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};

/// More than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Terminal {
    master: File,
    /// Keeps the terminal alive when the program has ended, so that its state can be looked at.
    slave: OwnedFd,
    pub(crate) child: Child,
    seen: String,
    looked_at: usize,
}

impl Terminal {
    /// Runs a program with a new terminal as its controlling one, of 24 rows and 80 columns.
    pub(crate) fn run(command: &Command) -> Self {
        Self::run_on("xterm", command)
    }

    /// The same on a terminal of another kind.
    pub(crate) fn run_on(kind: &str, command: &Command) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap();
        let path = name.to_str().unwrap();
        let slave = OwnedFd::from(File::options().read(true).write(true).open(path).unwrap());
        set_size(&slave, 24, 80);
        // `setsid -c` gives it the terminal; it does not fork, so the child's pid is the program's.
        let mut seated = Command::new("setsid");
        seated.arg("-c").arg(command.get_program()).args(command.get_args()).env_clear();
        for (name, value) in command.get_envs() {
            seated.env(name, value.unwrap_or_default());
        }
        seated.env("TERM", kind).current_dir(command.get_current_dir().unwrap());
        let stream = || slave.try_clone().unwrap();
        let child = seated.stdin(stream()).stdout(stream()).stderr(stream()).spawn().unwrap();
        Self { master: master.into(), slave, child, seen: String::new(), looked_at: 0 }
    }

    pub(crate) fn types(&mut self, keys: &str) {
        self.master.write_all(keys.as_bytes()).unwrap();
    }

    pub(crate) fn resize(&self, rows: u16, columns: u16) {
        set_size(&self.slave, rows, columns);
    }

    /// Reads until the person has seen `wanted` after what was waited for last.
    pub(crate) fn sees(&mut self, wanted: &str) {
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(at) = self.seen[self.looked_at..].find(wanted) {
                self.looked_at += at + wanted.len();
                return;
            }
            let left = end.saturating_duration_since(Instant::now());
            let limit = Timespec::try_from(left).unwrap();
            let ready = poll(&mut [PollFd::new(&self.master, PollFlags::IN)], Some(&limit)).unwrap();
            assert!(ready > 0, "{wanted:?} does not come after {:?}", &self.seen[self.looked_at..]);
            let mut buffer = [0; 4096];
            let count = rustix::io::read(&self.master, &mut buffer).unwrap();
            self.seen.push_str(&String::from_utf8_lossy(&buffer[..count]));
        }
    }

    /// All that the person has seen.
    pub(crate) fn seen(&self) -> &str {
        &self.seen
    }

    /// Whether the terminal edits lines and echoes, as it does for shells.
    pub(crate) fn is_raw(&self) -> bool {
        let modes = tcgetattr(&self.slave).unwrap().local_modes;
        !modes.intersects(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG)
    }

    pub(crate) fn ends(&mut self) -> Option<i32> {
        let handle = pidfd_open(Pid::from_child(&self.child), PidfdFlags::empty()).unwrap();
        let limit = Timespec::try_from(PATIENCE).unwrap();
        let ended = poll(&mut [PollFd::new(&handle, PollFlags::IN)], Some(&limit)).unwrap();
        assert!(ended > 0, "the program goes on after {:?}", &self.seen[self.looked_at..]);
        self.child.wait().unwrap().code()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // A test that failed leaves it running.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn set_size(terminal: &OwnedFd, rows: u16, columns: u16) {
    tcsetwinsize(terminal, Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
}
