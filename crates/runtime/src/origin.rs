//! Where a request comes from, and whether a person may be behind it.
//!
//! Agents, and what they may touch, are changed by people only: through the local socket, and from a process
//! that String did not start itself. An agent in a shell of ours can call the binary, but not as a person.

use rustix::process::Pid;

/// More ancestors than any process tree has; ends the walk if the kernel's answer changes under it.
const ANCESTORS_MAX: usize = 256;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// A process of the same user on this machine, over the local socket.
    Process { pid: u32 },
    /// A program that speaks for an agent, whoever started it.
    Agent,
    /// Anything else.
    Network,
}

impl Origin {
    /// Whether the caller may change policy. Looks at the process tree, so it is asked only when it matters.
    pub fn is_person(self) -> bool {
        match self {
            Self::Process { pid } => !started_by(std::process::id(), pid),
            Self::Agent | Self::Network => false,
        }
    }
}

/// Whether a process descends from another. A process that cannot be looked up counts as a descendant: when
/// in doubt, it is not a person.
fn started_by(ancestor: u32, pid: u32) -> bool {
    let mut current = pid;
    for _ in 0..ANCESTORS_MAX {
        match parent(current) {
            Some(0) => return false,
            Some(parent) if parent == ancestor => return true,
            Some(parent) => current = parent,
            None => return true,
        }
    }
    true
}

fn parent(pid: u32) -> Option<u32> {
    shell::Stat::of(Pid::from_raw(i32::try_from(pid).ok()?)?)?.parent()
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn what_we_started_is_no_person() {
        let mut child = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        assert!(!Origin::Process { pid: child.id() }.is_person());
        drop(child.stdin.take());
        child.wait().unwrap();
    }

    #[test]
    fn a_process_beside_us_may_be_one() {
        assert!(Origin::Process { pid: std::process::id() }.is_person());
        assert!(!Origin::Network.is_person());
        assert!(!Origin::Agent.is_person());
        assert!(!Origin::Process { pid: u32::MAX }.is_person());
    }
}
