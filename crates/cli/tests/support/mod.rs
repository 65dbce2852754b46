//! A home of its own for each test, and the real binary in it.
#![allow(dead_code, reason = "every test file uses its own part")]

pub(crate) mod examples;
pub(crate) mod fake;
pub(crate) mod mcp;
pub(crate) mod terminal;

use std::fs;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open};
use tempfile::TempDir;

pub(crate) const STRING: &str = env!("CARGO_BIN_EXE_string");

/// A home without a daemon; whatever daemon is started in it ends with it.
pub(crate) struct World {
    folder: TempDir,
}

/// What a call of the binary left behind.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl World {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn home(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.home().join(".string")
    }

    /// `program` with nothing of this process's own environment that could matter. Port 0 is any free one.
    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env_clear().env("HOME", self.home()).env("STRING_PORT", "0").env("PATH", "/usr/bin:/bin");
        command.current_dir(self.home()).stdin(Stdio::null());
        command
    }

    pub(crate) fn string(&self, words: &[&str]) -> Command {
        let mut command = self.command(STRING);
        command.args(words);
        command
    }

    pub(crate) fn run(&self, words: &[&str]) -> Run {
        finish(self.string(words))
    }

    pub(crate) fn spawn(&self, words: &[&str]) -> Child {
        self.string(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// The daemon that serves now, as it wrote itself down.
    pub(crate) fn daemon(&self) -> u32 {
        fs::read_to_string(self.root().join("run/daemon.pid")).unwrap().trim().parse().unwrap()
    }

    /// Every living daemon of this home.
    pub(crate) fn daemons(&self) -> Vec<u32> {
        let home = format!("HOME={}", self.home().display());
        let mine = |pid: &u32| {
            let file = |name: &str| fs::read(format!("/proc/{pid}/{name}")).unwrap_or_default();
            let environment = file("environ");
            let arguments = file("cmdline");
            environment.split(|byte| *byte == 0).any(|entry| entry == home.as_bytes())
                && arguments.split(|byte| *byte == 0).any(|word| word == b"--daemon")
        };
        let entries = fs::read_dir("/proc").unwrap();
        entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).filter(mine).collect()
    }
}

impl Drop for World {
    fn drop(&mut self) {
        for pid in self.daemons() {
            kill(pid, Signal::KILL);
        }
    }
}

/// Runs to the end: of the process and of everything that holds its output open.
pub(crate) fn finish(mut command: Command) -> Run {
    read(command.output().unwrap())
}

pub(crate) fn read(output: Output) -> Run {
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Run { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

pub(crate) fn kill(pid: u32, signal: Signal) {
    // A process that is gone already is what was wanted.
    let _ = kill_process(process(pid), signal);
}

/// Something that becomes readable when the process ends. Take it while the process lives.
pub(crate) fn watch(pid: u32) -> OwnedFd {
    pidfd_open(process(pid), PidfdFlags::empty()).unwrap()
}

pub(crate) fn wait(watched: &OwnedFd) {
    poll(&mut [PollFd::new(watched, PollFlags::IN)], None).unwrap();
}

fn process(pid: u32) -> Pid {
    Pid::from_raw(pid.try_into().unwrap()).unwrap()
}
