//! The lines bash gets over its control socket: how it starts, and how it runs a turn.
//!
//! Bash reads its commands from a socket and never from the terminal, so
//! whatever goes wrong in a payload, it returns to a place that is ours. A
//! payload is sourced from a file in memory with the terminal on standard
//! input just for that time. The descriptors of ours in the shell, all
//! close-on-exec: 63 turn file, 248 fix file, 249 terminal, 250 control
//! socket, 251 `/dev/null`.
//!
//! Bash keeps a copy of a redirected stream at the first free number above
//! the one it is redirected to. `/dev/null` is the highest of ours, so that a
//! copy never takes the place of one that a command has closed, where our
//! records would go to the terminal. For the same case our own lines close
//! standard error first: their redirections fail without a word.

use super::report::Settings;
use crate::limits;

/// The descriptors of ours in the shell, as above.
pub(super) const DESCRIPTORS: [u16; 5] = [63, 248, 249, 250, 251];

/// Sourced when the user has switched line editing off: with it on, bash
/// prints no prompt of its own and runs no `PROMPT_COMMAND`.
pub(crate) const FIX: &str = "\\builtin set -o emacs\n";

/// What the first line sources: settles the shell, then says that it is ready.
///
/// Line editing is switched on inside a sourced file because only there does
/// bash go on reading the socket.
pub(super) const SETTLE: &str = "{ set -o emacs; set +o history; history -c; PS1='$ '; export -n PS1; \
     unset MAILCHECK HISTFILE; printf 'R\\0' >&250; }\n";

/// The first line. Bash saves a redirected descriptor at the lowest free
/// number from 10 on, with close-on-exec, and `exec N<&M` copies that flag:
/// the nested groups put each descriptor of ours through it.
pub(super) const BOOTSTRAP: &str = "{ exec 249<&255 250<&10; { exec 63<&11; } 0</dev/null; \
     { { exec 248<&12; } 0</dev/null; } 0<&4; { { exec 251<&12; } 0</dev/null; } 0<>/dev/null; \
     exec 3<&- 4<&-; } 0<&3\n\\builtin . /dev/fd/63\n";

/// How much bash reads at once.
const READ_AHEAD: usize = 1024;

/// The trap for SIGINT that is ours: an interrupt in the middle of a record would leave the rest of it to be written
/// wherever the shell's output goes, which is the user's. It stays until the next turn begins: while bash takes a trap
/// away, an interrupt would end it.
const OURS: &str = ": string";

/// The user's trap for SIGINT in what [`hold_interrupts`] says, each time it runs.
pub(super) fn trap_of_user(said: &str) -> Option<String> {
    // In posix mode bash names the signal without its prefix, and shows also where there is no trap.
    let none =
        ["SIGINT", "INT"].map(|name| [format!("trap -- '{OURS}' {name}\n"), format!("trap -- - {name}\n")]);
    let said = none.iter().flatten().fold(said.to_owned(), |said, none| said.replace(none, ""));
    let trap = said.trim_end();
    let is_trap = trap.starts_with("trap -- ") && (trap.ends_with(" SIGINT") || trap.ends_with(" INT"));
    is_trap.then(|| trap.to_owned())
}

/// Commands that say what trap there is for SIGINT, in front of the record that follows, and set ours.
fn hold_interrupts() -> String {
    format!("\\builtin trap -p INT >&250; \\builtin trap '{OURS}' INT; ")
}

/// What the turn file holds for a payload.
pub(super) fn turn_file(token: &str, payload: &str, settings: &Settings, status: i32) -> String {
    format!("{}{payload}\n", put_back(token, settings, status))
}

/// The lines that run the turn file and report how it went, each record
/// marked with `token`; `status` is what `$?` shows to the payload.
///
/// The first thing they say is that they were read: an interrupt while bash
/// takes a line out of what it has read makes a command of the rest. Where
/// something of the user's is put back, that is said after it.
/// The line that runs the file is as long as what bash reads at once: an
/// interrupt drops what was read ahead, and would leave the end of a report
/// that was read in part to be run as a command.
pub(super) fn turn(token: &str, settings: &Settings, status: i32, history: History) -> String {
    let history = match history {
        History::Read => "\\builtin history -r /dev/fd/63; ",
        History::Leave => "",
    };
    let read = if settings.is_empty() { acknowledgement(token) } else { String::new() };
    let (streams, hold) = (mend_streams(token), hold_interrupts());
    let first = if status == 0 {
        "\\builtin : '' &&".to_owned()
    } else {
        format!("__string_r() {{ \\unset -f __string_r; \\return {status}; }}; __string_r '' ||")
    };
    // `builtin` before the dot keeps `set -e` and ERR traps alive inside,
    // while the list ignores the status of the dot itself. `eval ')'` is a
    // deliberate syntax error: it resets the parser of bash 5.2, which an
    // unterminated `$(` leaves damaged.
    let line = format!(
        "{streams}{{ \\builtin trap - INT; {read} }} 2>&-; {history}{first} \\builtin . /dev/fd/63 0<&249 || \
         {{ __string_s=$?; {hold}\\builtin printf 'S{token}:%s\\0' \"$__string_s\" >&250; \
         \\builtin unset -v __string_s; [[ -o errexit ]] || \\builtin eval ')' || :; }} 2>&- >&251 2>&251; \
         {{ {hold}[[ ! -v PS0 && $- != *[xv]* ]] || {{ \\builtin printf 'F{token}:%s\\n' \"$-\" >&250; \
         [[ ! -v PS0 ]] || {{ \\builtin declare -p PS0 >&250; \\builtin unset -v PS0; }}; \
         \\builtin set +xv; \\builtin printf '\\0' >&250; }}; }} 2>&- >&251 2>&251"
    );
    format!("{line:<width$}\n{}", report(token), width = READ_AHEAD - 1)
}

/// The line that reports the end of a turn. It stands alone so that it runs
/// whatever happened to the line before, and may be sent again.
pub(super) fn report(token: &str) -> String {
    report_status(token, "$?")
}

/// The line that reports the end of a turn which was interrupted and has not
/// been reported: the last status may be that of a part of our own lines.
pub(super) fn report_interrupted(token: &str) -> String {
    report_status(token, "130")
}

fn report_status(token: &str, status: &str) -> String {
    let hold = hold_interrupts();
    // Bash keeps the lines it reads once it is told to; this one is then the first of ours, and the last.
    let forget = format!(
        "[[ ! -o history ]] || {{ [[ \\$(\\builtin history 1) != *E{token}:* ]] || \\builtin history -d -1 || :; \
         \\builtin set +o history; }}; "
    );
    // The status is filled in before anything is run, which would change it.
    format!(
        "{{ \\builtin eval \"{hold}\\builtin printf 'E{token}:{status}:%s:%s\\0' \\\"\\$-\\\" \\\"\\${{PWD-}}\\\" >&250; \
         \\builtin trap -p RETURN DEBUG >&250; \\builtin trap - RETURN DEBUG; \\builtin set +xv; {forget}\
         [[ -o emacs || -o vi ]] || \\builtin . /dev/fd/248; \\builtin printf '\\0' >&250; \
         \\builtin unset -v __string_s\"; }} 2>&- >&251 2>&251\n"
    )
}

/// The line that makes bash say that it is there.
pub(super) fn acknowledge(token: &str) -> String {
    format!("{{ {} }} 2>&-\n", acknowledgement(token))
}

fn acknowledgement(token: &str) -> String {
    format!("\\builtin printf 'A{token}:\\0' >&250;")
}

/// Puts the terminal back in place of a stream that was closed: a shell that can show nothing is of no use to
/// anybody. Output that goes elsewhere is left alone, and said.
fn mend_streams(token: &str) -> String {
    let mend = |number: u8| {
        format!(
            "[[ -e /dev/fd/{number} ]] || {{ \\exec {number}>&249; \\builtin printf 'O{token}:c\\0' >&250; }}; "
        )
    };
    format!("{}{}[[ -t 1 ]] || \\builtin printf 'O{token}:e\\0' >&250; ", mend(1), mend(2))
}

/// The line that only enters the turn file into the history, then says so.
pub(super) fn enter_history(token: &str) -> String {
    format!("\\builtin history -r /dev/fd/63; {}", acknowledge(token))
}

/// Whether a turn enters its file into the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum History {
    Read,
    /// Too long, or entered by [`enter_history`] already.
    Leave,
}

impl History {
    pub(super) fn of(payload: &str) -> Self {
        if payload.len() <= limits::HISTORY_PAYLOAD { Self::Read } else { Self::Leave }
    }
}

/// A line before the payload that gives the user back what would have shown
/// our own lines: traps, tracing, `PS0`. It hides its own trace.
fn put_back(token: &str, settings: &Settings, status: i32) -> String {
    if settings.is_empty() {
        return String::new();
    }
    let mut line = String::new();
    if let Some(declaration) = &settings.ps0 {
        line.push_str("\\builtin ");
        line.push_str(declaration);
        line.push_str("; ");
    }
    line.push_str("__string_r() { \\unset -f __string_r; { ");
    if !settings.traps.is_empty() {
        line.push_str(&settings.traps);
        line.push_str("; ");
    }
    if !settings.flags.is_empty() {
        line.push_str("\\builtin set -");
        line.push_str(&settings.flags);
        line.push_str("; ");
    }
    line.push_str(&acknowledgement(token));
    line.push(' ');
    // The list keeps a failure's status without ending a shell under `set -e`.
    let keep = if status == 0 { "" } else { " && :" };
    line.push_str(&format!("\\return {status}; }} >/dev/null 2>&1; }}; __string_r ''{keep}\n"));
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bash_reads_each_line_of_a_turn_as_a_whole() {
        for (status, history) in [(0, History::Leave), (255, History::Read)] {
            let lines = turn("01234567", &Settings::default(), status, history);
            let lengths: Vec<_> = lines.lines().map(|line| line.len() + 1).collect();
            assert!(matches!(lengths[..], [READ_AHEAD, ..=READ_AHEAD]), "{lengths:?}");
        }
    }
}
