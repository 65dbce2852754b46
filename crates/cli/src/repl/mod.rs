//! An interactive session in one topic.

mod completion;
mod conversation;
mod draft;
mod line;

use std::rc::Rc;

use runtime::command::table;
use runtime::topic::{Kind, Topic};
use rustyline::error::ReadlineError;

use self::completion::{Helper, Reader};
use self::conversation::Conversation;
use self::draft::{Draft, Next};
use self::line::{Entered, Lines};
use crate::daemon::Link;
use crate::environment::Environment;
use crate::failure::{Failure, Status};
use crate::output;

const CONTINUED: &str = "… ";
const BODY: &str = "  Now the body. A line with a single dot ends it; Ctrl-C drops it.";

/// What Ctrl-C is to the program that runs in a shell.
const INTERRUPT: &str = "//interrupt";

const NOT_SENT: &str = "  Not sent: a line that begins with // is a command, and there is none of that name.\n  \
     To type it to the program as it is: string --attach TOPIC";

/// Reads, sends and prints until Ctrl-D.
pub(crate) fn run(link: &Link, topic: &str, environment: &Environment) -> Result<Status, Failure> {
    let topic = Topic::parse(topic).map_err(|error| Failure::usage(error.to_string()))?;
    let runtime = Rc::new(crate::runtime()?);
    let mut lines = Lines::new(Helper::new(
        link.client().clone(),
        Rc::clone(&runtime),
        environment.cwd_text(),
        topic.clone(),
    ))
    .map_err(|error| Failure::failed(format!("cannot use the terminal: {error}")))?;
    let history = link.root().history();
    // A first session has no history yet, and one that cannot be read is no reason not to work.
    let _ = lines.editor.load_history(&history);
    output::print(&banner(topic.kind()))?;
    let mut conversation = Conversation::new(link, topic, environment);
    loop {
        if let Some(helper) = lines.editor.helper_mut() {
            helper.topic = conversation.topic().clone();
        }
        match read(&mut lines, conversation.topic())? {
            Input::Leave => return Ok(Status::Done),
            Input::Nothing => {}
            Input::Interrupt => runtime.block_on(conversation.send(INTERRUPT.to_owned()))?,
            Input::Topic(name) => conversation.switch(&name)?,
            Input::Payload(payload) => {
                // A password may also have been asked for while the line was typed.
                if lines.reader() != Reader::Unseen {
                    // History is a convenience: a full disk must not end the session.
                    let _ = lines.editor.add_history_entry(&payload);
                    let _ = lines.editor.append_history(&history);
                }
                runtime.block_on(conversation.send(payload))?;
            }
            Input::Hidden(line) if is_no_command(&line, conversation.topic()) => output::print(NOT_SENT)?,
            Input::Hidden(line) => runtime.block_on(conversation.send(line))?,
        }
    }
}

/// Whether a line looks like a command and is none. It may be a password, so nobody is to answer what it is.
fn is_no_command(line: &str, topic: &Topic) -> bool {
    let word = line.trim_start().strip_prefix("//").map(|rest| rest.split_whitespace().next());
    word.is_some_and(|word| word.is_none_or(|word| table::find(word, topic).is_none()))
}

enum Input {
    Payload(String),
    /// A line for a program that does not show it: it may be a password.
    Hidden(String),
    /// `:NAME`, a word of this prompt and of no topic: go on in another one.
    Topic(String),
    /// Ctrl-C while a program reads.
    Interrupt,
    Nothing,
    Leave,
}

fn banner(kind: Kind) -> String {
    let keys = match kind {
        Kind::Bash => {
            "//help lists String's commands, Tab completes, :NAME changes the topic.\n\
             The rest is the shell's. While a program runs, every line but //… is its own: :q as well.\n\
             Ctrl-C stops a program, Ctrl-D leaves."
        }
        _ => {
            "/help lists the commands, Tab completes, :NAME changes the topic.\n\
             A \\ at the end continues a line, Ctrl-C stops a command, Ctrl-D leaves."
        }
    };
    format!("String {}. {keys}", env!("CARGO_PKG_VERSION"))
}

/// Reads one payload, over as many lines as it takes.
fn read(lines: &mut Lines, topic: &Topic) -> Result<Input, Failure> {
    let mut draft = Draft::new(topic.kind());
    let mut prompt = format!("{topic}> ");
    if lines.reader() == Reader::Unseen {
        return match lines.read_hidden(&prompt) {
            Ok(Entered::Line(line)) => Ok(Input::Hidden(line)),
            Ok(Entered::Dropped(line)) => Ok(dropped(&draft, &line, lines)),
            Err(error) => stopped(draft, error),
        };
    }
    loop {
        let line = match lines.read(&prompt) {
            Ok(Entered::Line(line)) => line,
            Ok(Entered::Dropped(line)) => return Ok(dropped(&draft, &line, lines)),
            Err(error) => return stopped(draft, error),
        };
        if draft.is_empty() {
            // It is not for this prompt to read, be it `:wq` or nothing but Enter.
            if lines.reader() != Reader::Topic {
                return Ok(Input::Payload(line));
            }
            if line.trim().is_empty() {
                return Ok(Input::Nothing);
            }
            if names_a_topic(&line) {
                return Ok(Input::Topic(line[1..].trim().to_owned()));
            }
        }
        match draft.add(&line) {
            Next::Complete(payload) => return Ok(Input::Payload(payload)),
            Next::Line => {}
            Next::Body => output::print(BODY)?,
        }
        CONTINUED.clone_into(&mut prompt);
    }
}

/// What Ctrl-C means: it takes away what was typed; where there is nothing, it is for the program that reads.
fn dropped(draft: &Draft, line: &str, lines: &Lines) -> Input {
    let nothing_typed = draft.is_empty() && line.is_empty();
    if nothing_typed && lines.reader() != Reader::Topic { Input::Interrupt } else { Input::Nothing }
}

/// What it means that no line came, and none will.
fn stopped(draft: Draft, error: ReadlineError) -> Result<Input, Failure> {
    match error {
        ReadlineError::Interrupted => Ok(Input::Nothing),
        ReadlineError::Eof => Ok(draft.finish().map_or(Input::Leave, Input::Payload)),
        error => Err(Failure::failed(format!("cannot read from the terminal: {error}"))),
    }
}

/// A shell's own `:` is followed by a space or nothing.
fn names_a_topic(line: &str) -> bool {
    line.strip_prefix(':').is_some_and(|name| name.starts_with(|c: char| !c.is_whitespace()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_looks_like_a_command_is_none() {
        let topic = Topic::parse("bash:dev").unwrap();
        for (line, expected) in [
            ("//interrupt", false),
            ("//wait 5s", false),
            ("//hush123", true),
            (" //hush123 x", true),
            ("//", true),
            ("/wait", false),
            ("hush//123", false),
        ] {
            assert_eq!(is_no_command(line, &topic), expected, "{line}");
        }
    }
}
