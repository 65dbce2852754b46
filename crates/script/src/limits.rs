//! The numbers that bound a script, each with its reason.

use std::time::Duration;

/// What a script may hold. A page of state is at most 8 MiB of JSON, which takes about ten times that as values.
pub const MEMORY_MAX: usize = 128 << 20;
/// The longest source of one module. Bundles of real libraries stay below it.
pub const SOURCE_MAX: u64 = 2 << 20;
/// How many modules a program may have.
pub(crate) const MODULES_MAX: usize = 256;
/// The longest JSON that a call takes or gives: a page of 8 MiB, or a fetched body of 8 MiB in base64, with room to spare.
pub(crate) const MESSAGE_MAX: usize = 32 << 20;
/// The longest frame between daemon and worker: such a message, and what is said around it.
pub(crate) const FRAME_MAX: usize = MESSAGE_MAX + (4 << 20);

/// Calls of the host that a script may have begun and not awaited; more is a flood.
pub(crate) const PENDING_MAX: usize = 4_096;
/// How many of them the daemon works on at a time.
pub(crate) const IN_FLIGHT_MAX: usize = 64;
/// What waiting calls may weigh together.
pub(crate) const QUEUED_BYTES_MAX: usize = 64 << 20;
/// Timers that a script may have set at a time.
pub(crate) const TIMERS_MAX: usize = 10_000;
/// The length at which a line of `console` is cut. How many are kept is up to the host.
pub(crate) const LOG_BYTES_MAX: usize = 4_096;
/// Rejected promises that are remembered until somebody looks at them.
pub(crate) const REJECTED_MAX: usize = 1_000;

/// The engine's own stack. Deeper recursion is a `RangeError` in the script.
pub(crate) const SCRIPT_STACK: usize = 512 << 10;
/// The thread's stack, which the compiler uses too: it overflows near 10,000 nested parentheses on 16 MiB.
pub(crate) const THREAD_STACK: usize = 64 << 20;
/// The address space of a worker: the script's memory, the compiler's, frames and the binary itself.
pub(crate) const ADDRESS_SPACE: u64 = 2 << 30;

/// How long reading and compiling a program may take where nothing is called.
pub(crate) const COMPILE_TIME: Duration = Duration::from_secs(10);
/// How long after its deadline a worker is killed. The engine itself stops within a millisecond, unless it is
/// inside a native function that never looks at the clock.
pub(crate) const GRACE: Duration = Duration::from_millis(250);
/// How many calls of one depth run at a time. Each depth has places of its own, so that callers that wait for
/// calls below them never keep those from running.
pub(crate) const CALLS_PER_DEPTH: usize = 16;
/// Warm workers kept for the next call. An idle one has half a megabyte of its own.
pub(crate) const IDLE_MAX: usize = 4;
/// Compiled modules that a worker remembers.
pub(crate) const COMPILED_MAX: usize = 512;
