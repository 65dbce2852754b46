//! The numbers of this crate, each with its reason.

use std::time::Duration;

/// What is shown of a long output: its beginning …
pub const HEAD: usize = 16 * 1024;
/// … and its end, where errors and results usually are. The two leave a kibibyte of the 64 that a reply may have
/// to its status line and to the note about what was left out.
pub const TAIL: usize = 47 * 1024;
/// How much of one output goes to its log file: a runaway command must not fill the disk.
pub const LOG: u64 = 256 * 1024 * 1024;

/// How long log files are kept: an agent looks into one soon or never.
pub const LOGS_AGE: Duration = Duration::from_secs(7 * 24 * 3600);
/// How much of an agent's disk they may take together; the oldest go first.
pub const LOGS_BYTES: u64 = 1024 * 1024 * 1024;
/// How many there may be: each new one looks at all of them.
pub const LOGS_FILES: usize = 1000;

/// The terminal's size: wide enough for tables and compiler messages, as high as the transcript's window.
pub const COLUMNS: u16 = 160;
pub const ROWS: u16 = 48;

/// How long a command that is told to end may take before it is killed.
pub const GRACE: Duration = Duration::from_secs(2);

/// How long a guard may work on killing a tree before it gives up on what cannot be killed.
pub(crate) const KILL_PATIENCE: Duration = Duration::from_secs(5);

/// How long bash may take to answer its first line; only a broken machine or bash takes longer.
pub(crate) const READY: Duration = Duration::from_secs(30);

/// The soft limit of open files for the process that holds the shells, where the hard limit allows it.
pub(crate) const OPEN_FILES: u64 = 65_536;

/// A guard message larger than this is not one of ours.
pub(crate) const FRAME: usize = 64 * 1024 * 1024;

/// What bash may say over its control socket in one turn. Its longest words are the traps and the `PS0` of the user;
/// what is longer is somebody else's, who would have it read for ever.
pub(crate) const REPORTS: usize = 1024 * 1024;

/// After the report of a finished turn, how much terminal output is still
/// read: all of the command's own, which fits into the kernel's buffer of
/// 640 KiB, but not an endless flood of the background.
pub(crate) const FINAL_READ: usize = 1024 * 1024;

/// The first look at what the foreground does, and the longest pause between two.
pub(crate) const PROBE_FIRST: Duration = Duration::from_millis(4);
pub(crate) const PROBE_LAST: Duration = Duration::from_millis(200);
/// A program that sits in `read` is believed at the second look.
pub(crate) const PROBE_CONFIRM: Duration = Duration::from_millis(3);
/// A program that polls the terminal waits for input when it has been quiet this long …
pub(crate) const QUIET_KEYS: Duration = Duration::from_millis(40);
/// … and, when it takes whole lines, this long: it may only be forwarding them, like ssh.
pub(crate) const QUIET_LINES: Duration = Duration::from_millis(400);

/// How long apart an interrupt is looked after, and repeated if it hit a group which was just ending …
pub(crate) const INTERRUPT_AGAIN: Duration = Duration::from_millis(60);
/// … how often at most: on a busy machine a loop of short programs is missed many times in a row …
pub(crate) const INTERRUPT_TIMES: u8 = 100;
/// … and how often nothing may have happened before the shell's own code is taken to go on.
pub(crate) const INTERRUPT_LOOKS: u8 = 20;
/// How long an interrupt waits for bash to have read the lines of a turn; after that it runs a trap of the user.
pub(crate) const LINES_READ: Duration = Duration::from_millis(300);
/// The pause between the steps INT, TERM and KILL of ending a foreground job.
pub(crate) const KILL_STEP: Duration = Duration::from_millis(300);
/// How often at most a kill interrupts a loop of short programs before the shell itself is ended.
pub(crate) const KILL_STRIKES: u8 = 50;

/// The kernel cuts lines in canonical mode here (N_TTY_BUF_SIZE, less the newline).
pub(crate) const CANONICAL_LINE: usize = 4095;
/// Input goes to the terminal in pieces, so that output is read in between.
pub(crate) const INPUT_PIECE: usize = 4096;

/// How much is remembered of what a program was given, to know what it has not read.
pub(crate) const GIVEN: usize = 16 * 1024;

/// Longer payloads are not entered into bash's history: each entry is a line of it.
pub(crate) const HISTORY_PAYLOAD: usize = 4096;

/// How many commands that ended with nobody waiting are kept for the next turn to tell; a person may type many.
pub(crate) const EARLIER: usize = 8;

/// How much raw output is kept to show the screen of a full-screen program.
pub(crate) const SCREEN_BYTES: usize = 256 * 1024;

/// With nothing running, so much background output is read in one go, then
/// the reader rests: a flood must not occupy a core for nobody.
pub(crate) const IDLE_READ: usize = 256 * 1024;
pub(crate) const IDLE_REST: Duration = Duration::from_millis(20);
