//! Commands: the table, the payload that carries them, and one file for each.

mod append;
mod arguments;
mod back;
mod close;
mod commit;
mod edit;
mod help;
mod info;
mod interrupt;
mod log;
mod ls;
mod open;
mod payload;
mod replace;
mod session;
pub mod table;
mod topics;
mod undo;
mod write;

use std::path::PathBuf;
use std::sync::Arc;

pub use arguments::{Arguments, Words};
pub use interrupt::interrupt;
pub use topics::detail;

use crate::Runtime;
use crate::agent::Agent;
use crate::edit::{Edit, FileTarget, save};
use crate::error::Result;
use crate::hub;
use crate::origin::Origin;
use crate::session::{Session, State, Topics};
use crate::sink::Sink;
use crate::topic::{Kind, Topic};
use payload::Line;
use table::Verb;

/// A command with its arguments, ready to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    Help {
        command: Option<String>,
    },
    Open(open::What),
    Back,
    /// The source of a file.
    Source(FileTarget),
    /// A change of a file, by whichever command.
    Edit(Edit),
    Undo,
    Commit(commit::What),
    Log(FileTarget),
    List(ls::What),
    Close,
    Info,
    Topics {
        kind: Option<Kind>,
    },
    SessionClose {
        topic: Topic,
    },
    Interrupt,
    Agent(hub::agent::Command),
    System(hub::system::Command),
}

/// A command and the topic it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    pub topic: Topic,
    pub command: Command,
    /// The command line as it may be shown and logged.
    pub shown: String,
}

/// What a command works on. Handlers change the state only after their last wait, so that one which is
/// interrupted leaves it as it was.
pub struct Context<'a> {
    pub runtime: &'a Runtime,
    pub agent: &'a Agent,
    pub topics: &'a Topics,
    pub session: &'a Arc<Session>,
    pub state: &'a mut State,
    pub caller: &'a Caller,
    pub sink: &'a dyn Sink,
}

/// Who sent the command, as far as commands care.
#[derive(Debug, Clone)]
pub struct Caller {
    pub cwd: Option<PathBuf>,
    pub origin: Origin,
}

/// Understands a whole payload, before any of it runs.
pub fn parse(payload: &str, topic: &Topic) -> Result<Vec<Step>> {
    payload::split(payload, topic)?.iter().map(|line| step(line, topic)).collect()
}

/// Runs one command. Its reply is the text without the envelope.
pub async fn run(command: Command, context: Context<'_>) -> Result<String> {
    match command {
        Command::Help { command } => help::run(command.as_deref(), &context),
        Command::Open(what) => open::run(what, context).await,
        Command::Back => back::run(context).await,
        Command::Source(target) => edit::show(target, context).await,
        Command::Edit(change) => save(change, context).await,
        Command::Undo => undo::run(context).await,
        Command::Commit(what) => commit::run(what, context).await,
        Command::Log(target) => log::run(target, context).await,
        Command::List(what) => ls::run(what, context).await,
        Command::Close => close::run(context),
        Command::Info => Ok(info::run(&context)),
        Command::Topics { kind } => Ok(topics::run(kind, &context)),
        Command::SessionClose { topic } => session::close(&topic, &context),
        Command::Interrupt => interrupt(&context.session.topic, context.topics),
        Command::Agent(command) => hub::agent::run(command, &context).await,
        Command::System(command) => Ok(hub::system::run(command, &context)),
    }
}

fn step(line: &Line<'_>, topic: &Topic) -> Result<Step> {
    let command = understand(line)?;
    let topic = match &command {
        Command::Open(open::What::Topic(canonical)) => canonical.clone(),
        _ => topic.clone(),
    };
    Ok(Step { topic, command, shown: line.text.to_owned() })
}

fn understand(line: &Line<'_>) -> Result<Command> {
    let arguments = Arguments::new(line.spec, line.arguments);
    Ok(match line.spec.verb {
        Verb::Help => Command::Help { command: arguments.words()?.optional()? },
        Verb::Open => Command::Open(open::What::parse(line.arguments)?),
        Verb::Edit => edit::parse(arguments, line.body)?,
        Verb::Write => Command::Edit(write::parse(arguments, line.body)?),
        Verb::Append => Command::Edit(append::parse(arguments, line.body)?),
        Verb::Replace => Command::Edit(replace::parse(arguments, line.body)?),
        Verb::Undo => arguments.none(Command::Undo)?,
        Verb::Commit => Command::Commit(commit::What::parse(arguments)?),
        Verb::Log => Command::Log(log::parse(arguments)?),
        Verb::Ls => Command::List(ls::What::parse(arguments)?),
        Verb::Back => arguments.none(Command::Back)?,
        Verb::Close => arguments.none(Command::Close)?,
        Verb::Info => arguments.none(Command::Info)?,
        Verb::Topics => Command::Topics { kind: topics::parse(arguments)? },
        Verb::Session => Command::SessionClose { topic: session::parse(arguments)? },
        Verb::Interrupt => arguments.none(Command::Interrupt)?,
        Verb::AgentList
        | Verb::AgentCurrent
        | Verb::AgentAdd
        | Verb::AgentUse
        | Verb::AgentSetHome
        | Verb::AgentBoundary
        | Verb::AgentAllow
        | Verb::AgentRemove => Command::Agent(hub::agent::Command::parse(line.spec.verb, arguments)?),
        Verb::SystemStatus | Verb::SystemStop => {
            Command::System(hub::system::Command::parse(line.spec.verb, arguments)?)
        }
    })
}
