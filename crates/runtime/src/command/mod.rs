//! Commands: the table, the payload that carries them, and one file for each.

mod act;
mod append;
mod arguments;
mod back;
mod close;
mod commit;
mod edit;
mod exec;
mod follow;
mod format;
pub mod ground;
mod help;
mod info;
mod install;
mod log;
mod ls;
mod nav;
mod neighbour;
mod open;
mod payload;
mod replace;
mod script_tool;
mod session;
mod set;
mod slashes;
mod source;
mod surroundings;
pub mod table;
pub mod terminal;
mod tool;
mod tool_flags;
mod topics;
mod understand;
mod undo;
mod unset;
mod watch;
mod write;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

pub use arguments::{Arguments, Words};
pub use format::Format;
pub use topics::detail;
pub use understand::{not_run, parse};

use crate::Runtime;
use crate::agent::Agent;
use crate::apart::apart;
use crate::edit::{Edit, FileTarget, Kept, save};
use crate::error::{Code, Error, Result};
use crate::hub;
use crate::origin::Origin;
use crate::session::{Session, State, Topics};
use crate::sink::Sink;
use crate::topic::{Kind, Topic};
use crate::variable::{self, Assignment};
pub use payload::{Actions, Line};
use slashes::as_typed_in;
use terminal::AtOnce;

/// A command with its arguments, ready to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    Help {
        command: Option<String>,
    },
    Open(open::What),
    Back,
    Refresh,
    /// The source of a file with line numbers.
    View(FileTarget),
    /// A change of a file, by whichever command.
    Edit(Edit),
    Undo,
    Commit(commit::What),
    Log(FileTarget),
    List(ls::What),
    Close,
    Nav(nav::What),
    /// The source of the document, from a line on.
    Source {
        from: usize,
    },
    Info {
        shortcut: Option<String>,
    },
    Topics {
        kind: Option<Kind>,
    },
    SessionClose {
        topic: Topic,
    },
    Act(act::What),
    Tool(tool::What),
    Set(Vec<Assignment>),
    Unset(Vec<variable::Target>),
    /// Acts on the running command without waiting for it.
    AtOnce(AtOnce),
    Exec(exec::Exec),
    /// Plain text in a bash topic.
    Input(String),
    Wait(Duration),
    /// Starts the shell of this bash topic.
    Spawn,
    Install(install::Install),
    Uninstall(install::Uninstall),
    App(hub::app::Command),
    Bash(hub::bash::Command),
    Agent(hub::agent::Command),
    Capability(hub::capability::Command),
    Tools(hub::tool::Command),
    System(hub::system::Command),
    Event(hub::event::Command),
    Watch(watch::Command),
    Durable(hub::state::Command),
    /// Not understood: it fails when its turn comes.
    Wrong(Error),
}

/// A command and the topic it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    pub topic: Topic,
    pub command: Command,
    /// The command line; before it is shown or logged, values are taken out of it.
    pub shown: String,
}

/// What a command works on. Handlers change the state only after their last wait, so that one which is
/// interrupted leaves it as it was.
pub struct Context<'a> {
    pub runtime: &'a Arc<Runtime>,
    pub agent: &'a Agent,
    pub topics: &'a Topics,
    pub session: &'a Arc<Session>,
    pub state: &'a mut State,
    pub caller: &'a Caller,
    pub sink: &'a dyn Sink,
    /// Cancelled when the command is to stop.
    pub interrupted: &'a CancellationToken,
    /// Cancelled when nobody will hear the reply.
    pub left: &'a CancellationToken,
}

impl Context<'_> {
    /// The versions that the agent keeps of files.
    pub fn kept(&self) -> Kept<'_> {
        Kept { versions: &self.runtime.versions, agent: &self.agent.id }
    }
}

/// Who sent the command, as far as commands care.
#[derive(Debug, Clone)]
pub struct Caller {
    pub cwd: Option<PathBuf>,
    /// The task that tool calls belong to.
    pub task: Option<String>,
    pub origin: Origin,
}

/// What a command gives: a reply, or the topic where it goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    Reply(String),
    Elsewhere(Topic),
}

/// Runs one command. Its reply is the text without the envelope.
pub async fn run(command: Command, context: Context<'_>) -> Result<Answer> {
    let session = Arc::clone(context.session);
    let answer = answer(command, context).await;
    answer.map_err(|error| as_typed_in(&session.topic, error))
}

async fn answer(command: Command, context: Context<'_>) -> Result<Answer> {
    let reply = match command {
        Command::Open(what) => return apart(|| open::run(what, context)).await,
        Command::Help { command } => help::run(command.as_deref(), &context),
        Command::Back => apart(|| back::back(context)).await,
        Command::Refresh => apart(|| back::refresh(context)).await,
        Command::View(target) => apart(|| edit::show(target, context)).await,
        Command::Edit(change) => apart(|| save(change, context)).await,
        Command::Undo => apart(|| undo::run(context)).await,
        Command::Commit(what) => apart(|| commit::run(what, context)).await,
        Command::Log(target) => apart(|| log::run(target, context)).await,
        Command::List(what) => apart(|| ls::run(what, context)).await,
        Command::Close if context.session.topic.kind() == Kind::Bash => {
            apart(|| terminal::close_here(context)).await
        }
        Command::Close => close::run(context),
        Command::Nav(what) => apart(|| nav::run(&what, context)).await,
        Command::Source { from } => source::run(from, context),
        Command::Info { shortcut: None } => apart(|| info::run(&context)).await,
        Command::Info { shortcut: Some(id) } => info::shortcut(&id, &context),
        Command::Topics { kind } => Ok(topics::run(kind, &context)),
        Command::SessionClose { topic } => apart(|| session::close(&topic, &context)).await,
        Command::Act(what) => apart(|| act::run(what, context)).await,
        Command::Tool(what) => apart(|| tool::run(what, context)).await,
        Command::Set(assignments) => apart(|| set::run(assignments, context)).await,
        Command::Unset(targets) => apart(|| unset::run(&targets, context)).await,
        Command::AtOnce(act) => apart(|| at_once(act, &context.session.topic, context.topics)).await,
        Command::Exec(exec) => apart(|| exec::run(exec, &context)).await,
        Command::Input(text) => apart(|| terminal::input(&text, context)).await,
        Command::Wait(time) => apart(|| terminal::wait(time, context)).await,
        Command::Spawn => apart(|| terminal::spawn(context)).await,
        Command::Install(asked) => apart(|| install::install(asked, context)).await,
        Command::Uninstall(asked) => apart(|| install::uninstall(asked, context)).await,
        Command::App(command) => apart(|| hub::app::run(&command, &context)).await,
        Command::Bash(command) => apart(|| hub::bash::run(command, &context)).await,
        Command::Agent(command) => apart(|| hub::agent::run(command, &context)).await,
        Command::Capability(command) => apart(|| hub::capability::run(command, &context)).await,
        Command::Tools(command) => apart(|| hub::tool::run(command, &context)).await,
        Command::System(command) => apart(|| hub::system::run(command, &context)).await,
        Command::Event(command) => apart(|| hub::event::run(command, &context)).await,
        Command::Watch(command) => apart(|| watch::run(command, &context)).await,
        Command::Durable(command) => apart(|| hub::state::run(command, &context)).await,
        Command::Wrong(error) => Err(error),
    };
    reply.map(Answer::from)
}

impl Command {
    /// Whether it ends by itself when it is interrupted, to say how far it came. An agent's removal interrupts all
    /// of its topics, and says so also to the one that asked for it.
    pub fn stops_itself(&self) -> bool {
        let removes = matches!(self, Self::Agent(hub::agent::Command::Remove(_)));
        removes || matches!(self, Self::Exec(_) | Self::Input(_) | Self::Wait(_))
    }

    /// Opens the entry page of a topic, in that topic.
    pub fn enter(topic: Topic) -> Self {
        Self::Open(open::What::Topic(topic))
    }
}

impl From<String> for Answer {
    fn from(reply: String) -> Self {
        Self::Reply(reply)
    }
}

/// Acts on the command that runs in a topic.
pub async fn at_once(act: AtOnce, topic: &Topic, topics: &Topics) -> Result<String> {
    let session = topics.get(topic);
    match (session, act) {
        (Some(session), act) if topic.kind() == Kind::Bash => terminal::at_once(act, &session).await,
        (Some(session), AtOnce::Interrupt) => match session.interrupt() {
            Some(command) => Ok(format!("Interrupted: {command}")),
            None => Err(nothing_runs(topic)),
        },
        _ => Err(nothing_runs(topic)),
    }
}

fn nothing_runs(topic: &Topic) -> Error {
    Error::new(Code::NotFound, format!("Nothing is running in {topic}."))
}
