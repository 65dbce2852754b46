//! Processes that should not be there: whatever has lost its guard, and guards that have lost their daemon.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use super::Finding;

/// How many are named; the rest is counted.
const NAMED: usize = 5;

/// A process as far as it matters here.
#[derive(Debug)]
struct Process {
    pid: u32,
    parent: u32,
    arguments: Vec<String>,
}

pub(super) fn check() -> Finding {
    let ours = rustix::process::geteuid().as_raw();
    judge(&read(Path::new("/proc"), ours), std::process::id())
}

/// Finds what was left behind among the processes of a user, from the daemon's point of view.
fn judge(processes: &[Process], daemon: u32) -> Finding {
    const WHAT: &str = "processes";
    let alive: HashSet<u32> = processes.iter().map(|process| process.pid).collect();
    let left: Vec<&Process> = processes
        .iter()
        .filter(|process| match process.role() {
            // Guards and workers end with whoever started them; one that was given to init has outlived it.
            Role::Ours => {
                process.parent != daemon && (process.parent == 1 || !alive.contains(&process.parent))
            }
            Role::Other => process.parent == daemon,
        })
        .collect();
    if left.is_empty() {
        let guards = processes.iter().filter(|process| process.parent == daemon).count();
        return Finding::good(WHAT, format!("none left behind; running below the daemon: {guards}"));
    }
    let pids: Vec<String> = left.iter().take(NAMED).map(|process| process.pid.to_string()).collect();
    let named: Vec<String> = left.iter().take(NAMED).map(|process| process.shown()).collect();
    let more = left.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(", and {more} more") } else { String::new() };
    Finding::problem(
        WHAT,
        format!("left behind: {}{more}", named.join(", ")),
        format!("kill -9 {}", pids.join(" ")),
    )
}

enum Role {
    /// A guard or a worker.
    Ours,
    Other,
}

impl Process {
    fn role(&self) -> Role {
        match self.arguments.get(1) {
            Some(first) if first == shell::guard::ARGUMENT || first == script::worker::ARGUMENT => Role::Ours,
            _ => Role::Other,
        }
    }

    fn shown(&self) -> String {
        let line = crate::error::one_line(&self.arguments.join(" "));
        format!("{} ({})", self.pid, line.chars().take(60).collect::<String>())
    }
}

fn read(proc: &Path, user: u32) -> Vec<Process> {
    use std::os::unix::fs::MetadataExt;
    let Ok(entries) = fs::read_dir(proc) else { return Vec::new() };
    let own = entries.filter_map(|entry| {
        let entry = entry.ok()?;
        let pid = entry.file_name().to_str()?.parse().ok()?;
        (entry.metadata().ok()?.uid() == user).then_some(pid)
    });
    // A process that ends meanwhile is not left behind.
    own.filter_map(|pid: u32| {
        let stat = fs::read_to_string(proc.join(format!("{pid}/stat"))).ok()?;
        let (_, fields) = stat.rsplit_once(')')?;
        let mut fields = fields.split_ascii_whitespace();
        let state = fields.next()?;
        let parent = fields.next()?.parse().ok()?;
        let line = fs::read(proc.join(format!("{pid}/cmdline"))).ok()?;
        let arguments = line.split(|byte| *byte == 0).map(|word| String::from_utf8_lossy(word).into_owned());
        // One that has ended and waits to be reaped is no process any more.
        (state != "Z").then(|| Process { pid, parent, arguments: arguments.collect() })
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::super::State;
    use super::*;

    fn process(pid: u32, parent: u32, line: &str) -> Process {
        Process { pid, parent, arguments: line.split(' ').map(str::to_owned).collect() }
    }

    #[test]
    fn what_has_lost_its_guard_or_its_daemon_is_found() {
        let guard = format!("string {}", shell::guard::ARGUMENT);
        let sound = [
            process(10, 1, "string --daemon detached"),
            process(11, 10, &guard),
            process(12, 11, "bash"),
            process(20, 1, "sshd"),
            // Another root's daemon and its guard.
            process(30, 1, "string --daemon detached"),
            process(31, 30, &guard),
        ];
        assert_eq!(judge(&sound, 10).state, State::Good);
        let orphan = [process(10, 1, "string --daemon detached"), process(12, 10, "sleep 1000")];
        assert_eq!(judge(&orphan, 10).repair.as_deref(), Some("kill -9 12"));
        let guard_left = [process(10, 1, "string --daemon detached"), process(13, 1, &guard)];
        assert_eq!(judge(&guard_left, 10).repair.as_deref(), Some("kill -9 13"));
    }

    #[test]
    fn the_processes_of_this_machine_can_be_read() {
        let own = std::process::id();
        let user = rustix::process::geteuid().as_raw();
        assert!(read(Path::new("/proc"), user).iter().any(|process| process.pid == own));
    }
}
