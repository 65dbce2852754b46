//! Process trees: who descends from whom, and how to end all of them.

use std::collections::HashSet;
use std::fs;
use std::time::Instant;

use rustix::process::{Pid, Signal, WaitOptions, kill_process, kill_process_group};

use crate::limits;

/// The children of `process`, oldest first.
pub(crate) fn children(process: Pid) -> Vec<Pid> {
    let mut found = Vec::new();
    let Ok(threads) = fs::read_dir(format!("/proc/{process}/task")) else { return found };
    for thread in threads.flatten() {
        let list = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
        found.extend(list.split_ascii_whitespace().filter_map(parse_pid));
    }
    found
}

/// A process id in one of the kernel's texts, where 0 and -1 stand for none.
pub(crate) fn parse_pid(word: &str) -> Option<Pid> {
    word.parse().ok().filter(|raw| *raw > 0).and_then(Pid::from_raw)
}

/// Everything below `root`, parents before their children.
pub(crate) fn descendants(root: Pid) -> Vec<Pid> {
    let mut found = children(root);
    let mut next = 0;
    while let Some(process) = found.get(next) {
        found.extend(children(*process));
        next += 1;
    }
    found
}

/// Sends `signal` to everything below `root`.
pub(crate) fn signal_descendants(root: Pid, signal: Signal) {
    for process in descendants(root) {
        // One that has ended meanwhile needs no signal.
        let _ = kill_process(process, signal);
    }
}

/// Ends everything below the processes that `roots` yields, and those themselves.
///
/// All of them are stopped first, until a look finds none that is new: a
/// process that is stopped cannot fork away from the list.
pub(crate) fn kill_trees(roots: impl Fn() -> Vec<Pid>) {
    let mut stopped = HashSet::new();
    while stop_trees(roots(), &mut stopped) {}
    for process in stopped {
        let _ = kill_process(process, Signal::KILL);
    }
}

/// Stops processes and everything below them, each before its children are looked at; whether one was new.
///
/// Each takes its whole group with it, which the kernel stops in one go: what
/// forks faster than it can be looked at does so mostly within one group.
fn stop_trees(roots: Vec<Pid>, stopped: &mut HashSet<Pid>) -> bool {
    let own = rustix::process::getpgrp();
    let mut groups = HashSet::new();
    let (mut found, mut next, mut fresh) = (roots, 0, false);
    while let Some(process) = found.get(next).copied() {
        if stopped.insert(process) {
            fresh = true;
            let group = rustix::process::getpgid(Some(process)).ok();
            if let Some(group) = group.filter(|group| *group != own && groups.insert(*group)) {
                let _ = kill_process_group(group, Signal::STOP);
            }
            // It may have joined the group after that was stopped.
            let _ = kill_process(process, Signal::STOP);
        }
        found.extend(children(process));
        next += 1;
    }
    fresh
}

/// Ends every descendant of this process, which must be a subreaper, and reaps them.
///
/// `pause` waits a moment for the next child to end.
pub(crate) fn end_descendants(pause: impl Fn()) {
    let own = rustix::process::getpid();
    let started = Instant::now();
    while started.elapsed() < limits::KILL_PATIENCE {
        kill_trees(|| children(own));
        loop {
            match rustix::process::wait(WaitOptions::NOHANG) {
                Ok(Some(_)) => {}
                // Some are still dying, or were handed to us just now.
                Ok(None) => break,
                Err(_) => return,
            }
        }
        pause();
    }
}
