//! A turn of a shell as the agent reads it.

use shell::{Cause, Death, Directory, Outcome, Status, Streams, Turn, Untold};

use super::output::text;
use crate::agent::Workspace;
use crate::error::{Code, Error, Result, one_line};
use crate::reply::with_body;

/// What follows the end of a shell.
pub const FRESH: &str = "Any input starts a fresh one.";

/// A working directory as status lines show it: from `~`, without a final slash, on one line.
#[derive(Debug, Clone, Copy)]
pub struct Cwd<'a>(pub &'a Directory, pub &'a Workspace);

impl std::fmt::Display for Cwd<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&one_line(&self.1.display(&self.0.path)))?;
        if self.0.deleted { f.write_str(" (deleted)") } else { Ok(()) }
    }
}

/// The reply to a turn. `notes` come before its output.
pub fn render(turn: &Turn, notes: &[String], workspace: &Workspace) -> Result<String> {
    let mut parts = parts(turn, notes, workspace);
    let cwd = Cwd(&turn.directory, workspace);
    match &turn.outcome {
        Outcome::Finished(status) => ended(*status, &cwd, &parts),
        Outcome::Running(running) => {
            Ok(with_body(&format!("exit: running | cwd: {cwd} | pid: {}", running.pid), &body(&parts)))
        }
        Outcome::Idle => Ok(with_body(&format!("exit: none | cwd: {cwd}"), &body(&parts))),
        Outcome::Died(death) if death.cause == Cause::Closed => {
            let message = format!("The shell was closed | cwd: {}", Cwd(&death.directory, workspace));
            Err(Error::new(Code::Interrupted, message).hint(FRESH).body(body(&parts)))
        }
        Outcome::Died(death) => {
            parts.push(format!("({}; the next input starts a fresh one)", why(death)));
            ended(death.status, &Cwd(&death.directory, workspace), &parts)
        }
    }
}

/// The same for whoever comes next, because the one who was to hear it has gone.
pub fn unheard(turn: &Turn, notes: &[String], workspace: &Workspace) -> String {
    let what = match &turn.outcome {
        Outcome::Finished(status) => format!("the command before has ended: exit {status}"),
        Outcome::Running(_) => "the command before went on".to_owned(),
        Outcome::Idle => "nothing ran any more".to_owned(),
        Outcome::Died(death) => why(death),
    };
    let heading = format!("({what}; whoever waited for this had gone)");
    [heading].into_iter().chain(parts(turn, notes, workspace)).collect::<Vec<_>>().join("\n")
}

fn parts(turn: &Turn, notes: &[String], workspace: &Workspace) -> Vec<String> {
    let mut parts: Vec<String> = notes.to_vec();
    parts.extend(meanwhile(&turn.untold, workspace));
    // An empty line, such as bash ends an interrupted one with, shows nothing either.
    parts.extend(Some(text(&turn.output, workspace)).filter(|text| !text.is_empty()));
    match turn.streams {
        Streams::Terminal => {}
        Streams::Reopened => {
            parts.push("(an earlier command had closed the shell's output; it is open again)".to_owned());
        }
        Streams::Redirected => {
            // Only how it was then is known: this may be the very turn that has brought it back.
            let note =
                "(when this began, the shell's output went elsewhere; exec >/dev/tty 2>&1 brings it back)";
            parts.push(note.to_owned());
        }
    }
    parts
}

/// What is said of a shell that had ended before its next input came, which a fresh one got.
pub fn ended_before(death: &Death, workspace: &Workspace) -> Vec<String> {
    let mut notes = meanwhile(&death.untold, workspace);
    let why = match death.cause {
        Cause::Ended => format!("the shell had ended with status {}", death.status),
        Cause::Lost | Cause::Killed | Cause::GuardLost | Cause::Closed => why(death),
    };
    notes.push(format!("({why}; this is a fresh one)"));
    notes
}

/// What has happened since the last turn.
fn meanwhile(untold: &Untold, workspace: &Workspace) -> Vec<String> {
    let earlier = untold.earlier.iter().map(|earlier| {
        let which = match &earlier.typed {
            Some(command) => format!("a person ran: {}; exit", one_line(command)),
            None => "the command before has ended: exit".to_owned(),
        };
        let output = text(&earlier.output, workspace);
        format!("({which} {})\n{output}", earlier.status).trim_end().to_owned()
    });
    let unread = untold
        .unread
        .iter()
        .map(|input| format!("(no program has read this input, and it was not run: {})", one_line(input)));
    let late = untold
        .late
        .iter()
        .map(|late| format!("(printed in the background meanwhile)\n{}", text(late, workspace)));
    earlier.chain(unread).chain(late).collect()
}

fn ended(status: Status, cwd: &Cwd<'_>, parts: &[String]) -> Result<String> {
    let body = body(parts);
    match u8::try_from(status.code()) {
        Ok(0) => Ok(with_body(&format!("exit: 0 | cwd: {cwd}"), &body)),
        code => Err(Error::new(Code::Exit(code.unwrap_or(u8::MAX)), format!("cwd: {cwd}")).body(body)),
    }
}

fn body(parts: &[String]) -> String {
    if parts.is_empty() { "(no output)".to_owned() } else { parts.join("\n") }
}

fn why(death: &Death) -> String {
    match death.cause {
        Cause::Ended => format!("the shell has ended with status {}", death.status),
        Cause::Lost => "the command had cut the shell off, so it was ended".to_owned(),
        Cause::Killed => "the shell's own code did not stop, so it was ended".to_owned(),
        Cause::GuardLost => "the shell was killed from outside".to_owned(),
        Cause::Closed => "the shell was closed".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use shell::{Earlier, Output};

    use super::*;

    fn output(head: &str) -> Output {
        Output { head: head.into(), ..Output::default() }
    }

    #[test]
    fn what_a_shell_had_not_told_comes_before_its_end() {
        let workspace = Workspace::new("/home/u".into(), vec![], "/home/u/.string".into());
        let earlier = |typed: Option<&str>, head| Earlier {
            typed: typed.map(str::to_owned),
            status: Status::Code(3),
            output: output(head),
        };
        let untold = Untold {
            late: Some(output("LATE\n")),
            earlier: vec![earlier(Some("exit 3"), "exit\n"), earlier(None, "")],
            unread: Some("echo a\necho b".into()),
        };
        let told = [
            "(a person ran: exit 3; exit 3)\nexit",
            "(the command before has ended: exit 3)",
            "(no program has read this input, and it was not run: echo a\\necho b)",
            "(printed in the background meanwhile)\nLATE",
        ];
        for (cause, why) in [
            (Cause::Ended, "(the shell had ended with status 3; this is a fresh one)"),
            (Cause::Lost, "(the command had cut the shell off, so it was ended; this is a fresh one)"),
        ] {
            let directory = Directory { path: "/home/u".into(), deleted: false };
            let death = Death { status: Status::Code(3), cause, directory, untold: untold.clone() };
            let notes = ended_before(&death, &workspace);
            assert_eq!(notes, told.into_iter().chain([why]).collect::<Vec<_>>());
        }
    }
}
