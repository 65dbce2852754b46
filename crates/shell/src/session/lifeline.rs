//! The descriptors in bash by which it is driven. A command can close them, or put something else in their place.

use std::fs;
use std::os::unix::fs::MetadataExt as _;

use rustix::process::Pid;

use super::script::DESCRIPTORS;
use crate::stat::Stat;

/// What each of them was when the shell had just become ready; nothing where the kernel does not show it.
pub(super) struct Lifeline {
    bash: Pid,
    files: [Option<File>; DESCRIPTORS.len()],
}

/// By which one file is told from another.
#[derive(PartialEq, Eq)]
struct File {
    device: u64,
    inode: u64,
}

impl Lifeline {
    pub(super) fn new(bash: Pid) -> Self {
        Self { bash, files: DESCRIPTORS.map(|number| File::of(bash, number)) }
    }

    /// Whether one is not there any more. A shell that has ended has lost none of them.
    pub(super) fn is_cut(&self) -> bool {
        let changed =
            |(number, file): (&u16, &Option<File>)| file.is_some() && File::of(self.bash, *number) != *file;
        DESCRIPTORS.iter().zip(&self.files).any(changed)
            && Stat::of(self.bash).is_some_and(|stat| stat.is_alive())
    }
}

impl File {
    fn of(process: Pid, number: u16) -> Option<Self> {
        // Following the link reaches the file itself, also one without a name.
        let found = fs::metadata(format!("/proc/{process}/fd/{number}")).ok()?;
        Some(Self { device: found.dev(), inode: found.ino() })
    }
}
