//! What a worker gives up before it runs anything: files, processes, the network, and time without end.
//!
//! Scripts have no way to any of these to begin with. The jail is for the day on which the engine has a hole.

use std::io;
use std::time::Duration;

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, CompatLevel, Compatible as _, Ruleset, RulesetAttr as _, Scope,
};
use rustix::process::{Resource, Rlimit, setrlimit};

use crate::limits::{ADDRESS_SPACE, GRACE};

/// The latest version whose rights are known here; an older kernel enforces what it knows.
const HANDLED: ABI = ABI::V6;

/// To be called while there is one thread: others begin with the limits of the one that starts them.
pub(super) fn enter() -> io::Result<()> {
    default_alarm();
    // No rule follows: everything that is handled is refused.
    Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(HANDLED))
        .and_then(|rules| rules.handle_access(AccessNet::from_all(HANDLED)))
        .and_then(|rules| rules.scope(Scope::from_all(HANDLED)))
        .and_then(Ruleset::create)
        .and_then(|rules| rules.restrict_self())
        .map_err(io::Error::other)?;
    // No new descriptor of any kind; those that are open go on working.
    limit(Resource::Nofile, 0)?;
    limit(Resource::Core, 0)?;
    limit(Resource::As, ADDRESS_SPACE)
}

/// Lets the kernel end this process if a run overstays and nobody is left to kill it.
pub(super) fn end_by_itself_after(time_ms: u64) {
    let time = Duration::from_millis(time_ms) + GRACE;
    alarm(u32::try_from(time.as_secs() + 1).unwrap_or(u32::MAX));
}

/// Takes [`end_by_itself_after`] back.
pub(super) fn live_on() {
    alarm(0);
}

/// The most memory that this process has had in RAM at once, in bytes.
#[allow(unsafe_code, reason = "no safe crate asks for it")]
pub(super) fn peak_memory() -> usize {
    // SAFETY: plain data, for which zero is valid; the call fills it in.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &raw mut usage);
        usage
    };
    usize::try_from(usage.ru_maxrss).unwrap_or(0) << 10
}

fn limit(resource: Resource, most: u64) -> io::Result<()> {
    Ok(setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })?)
}

#[allow(unsafe_code, reason = "no safe crate sets an alarm")]
fn alarm(seconds: u32) {
    // SAFETY: takes and returns a number; the signal it leads to has its default action.
    unsafe { libc::alarm(seconds) };
}

/// A daemon that was started with the alarm ignored would have passed that on.
#[allow(unsafe_code, reason = "no safe crate resets a signal")]
fn default_alarm() {
    // SAFETY: SIG_DFL installs no handler; the call has no memory effects.
    unsafe { libc::signal(libc::SIGALRM, libc::SIG_DFL) };
}
