//! An interactive session in one topic.

mod completion;
mod conversation;
mod draft;

use std::rc::Rc;

use runtime::topic::Topic;
use rustyline::config::Configurer;
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{CompletionType, Config, Editor};

use self::completion::Helper;
use self::conversation::Conversation;
use self::draft::{Draft, Next};
use crate::daemon::Link;
use crate::environment::Environment;
use crate::failure::{Failure, Status};
use crate::output;

/// Lines kept in the history file.
const HISTORY_MAX: usize = 10_000;
const CONTINUED: &str = "… ";
const BODY: &str = "  Now the body. A line with a single dot ends it; Ctrl-C drops it.";

/// Reads, sends and prints until Ctrl-D.
pub(crate) fn run(link: &Link, topic: &str, environment: &Environment) -> Result<Status, Failure> {
    let topic = Topic::parse(topic).map_err(|error| Failure::usage(error.to_string()))?;
    let runtime = Rc::new(crate::runtime()?);
    let mut editor = editor(Helper::new(
        link.client().clone(),
        Rc::clone(&runtime),
        environment.cwd_text(),
        topic.clone(),
    ))
    .map_err(|error| Failure::failed(format!("cannot use the terminal: {error}")))?;
    let history = link.root().history();
    // A first session has no history yet, and one that cannot be read is no reason not to work.
    let _ = editor.load_history(&history);
    let mut conversation = Conversation::new(link, topic, environment);
    output::print(&banner())?;
    loop {
        if let Some(helper) = editor.helper_mut() {
            helper.topic = conversation.topic().clone();
        }
        match read(&mut editor, conversation.topic())? {
            Input::Leave => return Ok(Status::Done),
            Input::Nothing => {}
            Input::Topic(name) => conversation.switch(&name)?,
            Input::Payload(payload) => {
                // History is a convenience: a full disk must not end the session.
                let _ = editor.add_history_entry(&payload);
                let _ = editor.append_history(&history);
                runtime.block_on(conversation.send(payload))?;
            }
        }
    }
}

enum Input {
    Payload(String),
    /// `:NAME`, a word of this prompt and of no topic: go on in another one.
    Topic(String),
    Nothing,
    Leave,
}

fn banner() -> String {
    format!(
        "String {}. /help lists the commands, Tab completes, :NAME changes the topic.\n\
         A \\ at the end continues a line, Ctrl-C stops a command, Ctrl-D leaves.",
        env!("CARGO_PKG_VERSION")
    )
}

fn editor(helper: Helper) -> rustyline::Result<Editor<Helper, FileHistory>> {
    let mut editor = Editor::with_config(
        Config::builder()
            .auto_add_history(false)
            .history_ignore_space(true)
            .completion_type(CompletionType::List)
            .build(),
    )?;
    editor.set_max_history_size(HISTORY_MAX)?;
    editor.set_helper(Some(helper));
    Ok(editor)
}

/// Reads one payload, over as many lines as it takes.
fn read(editor: &mut Editor<Helper, FileHistory>, topic: &Topic) -> Result<Input, Failure> {
    let mut draft = Draft::new(topic.kind());
    let mut prompt = format!("{topic}> ");
    loop {
        match editor.readline(&prompt) {
            Ok(line) if draft.is_empty() && line.trim().is_empty() => return Ok(Input::Nothing),
            Ok(line) if draft.is_empty() && names_a_topic(&line) => {
                return Ok(Input::Topic(line[1..].trim().to_owned()));
            }
            Ok(line) => match draft.add(&line) {
                Next::Complete(payload) => return Ok(Input::Payload(payload)),
                Next::Line => CONTINUED.clone_into(&mut prompt),
                Next::Body => {
                    output::print(BODY)?;
                    CONTINUED.clone_into(&mut prompt);
                }
            },
            Err(ReadlineError::Interrupted) => return Ok(Input::Nothing),
            Err(ReadlineError::Eof) => {
                return Ok(draft.finish().map_or(Input::Leave, Input::Payload));
            }
            Err(error) => return Err(Failure::failed(format!("cannot read from the terminal: {error}"))),
        }
    }
}

/// A shell's own `:` is followed by a space or nothing.
fn names_a_topic(line: &str) -> bool {
    line.strip_prefix(':').is_some_and(|name| name.starts_with(|c: char| !c.is_whitespace()))
}
