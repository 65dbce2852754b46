//! What the kernel tells of a process, or of one of its threads, in a line of `/proc`.

use std::fs;

use rustix::process::Pid;

use crate::tree;

/// A line of a `stat` file.
pub struct Stat(String);

impl Stat {
    /// None if there is no such process.
    pub fn of(process: Pid) -> Option<Self> {
        Self::read(&format!("/proc/{process}/stat"))
    }

    pub(crate) fn of_thread(process: Pid, thread: Pid) -> Option<Self> {
        Self::read(&format!("/proc/{process}/task/{thread}/stat"))
    }

    fn read(path: &str) -> Option<Self> {
        fs::read_to_string(path).ok().map(Self)
    }

    /// Whether it runs on; one that has ended and was not waited for does not.
    pub(crate) fn is_alive(&self) -> bool {
        !matches!(self.field(0), None | Some("Z" | "X"))
    }

    pub(crate) fn is_asleep(&self) -> bool {
        self.field(0) == Some("S")
    }

    /// A plain number, because the first process of all has none: 0.
    pub fn parent(&self) -> Option<u32> {
        self.field(1)?.parse().ok()
    }

    pub(crate) fn group(&self) -> Option<Pid> {
        tree::parse_pid(self.field(2)?)
    }

    /// A plain number, because it is 0 below a first process that never began a session, as in a bare virtual machine.
    pub(crate) fn session(&self) -> Option<u32> {
        self.field(3)?.parse().ok()
    }

    /// The page faults of all children that it has waited for.
    pub(crate) fn faults_of_children(&self) -> Option<u64> {
        self.field(8)?.parse().ok()
    }

    /// The state is the first of these.
    fn field(&self, number: usize) -> Option<&str> {
        // The name, in parentheses, may hold spaces and parentheses itself.
        let (_, fields) = self.0.rsplit_once(')')?;
        fields.split_ascii_whitespace().nth(number)
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use rustix::process::{getpid, getppid};

    use super::*;

    #[test]
    fn the_name_of_a_thread_is_no_field_whatever_it_holds() {
        let look = || Stat::of_thread(getpid(), rustix::thread::gettid()).unwrap();
        let stat = thread::Builder::new().name("a) S 1 (b) Z".into()).spawn(look).unwrap().join().unwrap();
        assert!(stat.0.contains("(a) S 1 (b) Z)"), "{}", stat.0);
        assert!(stat.is_alive() && !stat.is_asleep());
        assert_eq!(stat.parent(), Some(Pid::as_raw(getppid()).cast_unsigned()));
        let process = Stat::of(getpid()).unwrap();
        assert_eq!((stat.group(), stat.session()), (process.group(), process.session()));
        assert!(stat.session().is_some() && stat.faults_of_children().is_some());
    }
}
