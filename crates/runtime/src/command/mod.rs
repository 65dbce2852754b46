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
mod source;
mod surroundings;
pub mod table;
pub mod terminal;
mod tool;
mod topics;
mod undo;
mod unset;
mod watch;
mod write;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

pub use arguments::{Arguments, Words};
pub use topics::detail;

use crate::Runtime;
use crate::agent::Agent;
use crate::apart::apart;
use crate::conceal::cut;
use crate::edit::{Edit, FileTarget, Kept, save};
use crate::error::{Code, Error, Result};
use crate::hub;
use crate::origin::Origin;
use crate::session::{Session, State, Topics};
use crate::sink::Sink;
use crate::topic::{Kind, Topic};
use crate::variable::{self, Assignment};
use payload::Wrong;
pub use payload::{Actions, Line};
use table::Verb;
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

/// Understands a whole payload, before any of it runs. If already its first command is wrong, none does; a later one
/// that is wrong fails in its turn.
pub fn parse(payload: &str, topic: &Topic, actions: Actions) -> Result<Vec<Step>> {
    if topic.kind() == Kind::Bash && !payload.trim_start().starts_with("//") {
        let command = Command::Input(payload.to_owned());
        return Ok(vec![Step { topic: topic.clone(), command, shown: String::new() }]);
    }
    let mut steps: Vec<Step> = Vec::new();
    let mut wrong_at_once: Option<Error> = None;
    for line in payload::split(payload, topic, actions)? {
        let understood =
            line.and_then(|line| step(&line, topic).map_err(|error| Wrong { text: line.text, error }));
        let step = understood.unwrap_or_else(|wrong| Step {
            topic: topic.clone(),
            shown: wrong.shown(),
            command: Command::Wrong(wrong.error),
        });
        wrong_at_once = match (wrong_at_once, step.command) {
            (None, Command::Wrong(error)) if steps.is_empty() => Some(error),
            (Some(error), _) => Some(error.hint(not_run(&step.shown))),
            (None, command) => {
                steps.push(Step { command, ..step });
                None
            }
        };
    }
    wrong_at_once.map_or(Ok(steps), Err)
}

/// How a reply names a command that did not get its turn.
pub fn not_run(shown: &str) -> String {
    format!("Not run: {}", cut(shown))
}

/// What a command gives: a reply, or the topic where it goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    Reply(String),
    Elsewhere(Topic),
}

/// Runs one command. Its reply is the text without the envelope.
pub async fn run(command: Command, context: Context<'_>) -> Result<Answer> {
    if let Command::Open(what) = command {
        return apart(|| open::run(what, context)).await;
    }
    let reply = match command {
        Command::Open(_) => unreachable!("handled above"),
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

fn step(line: &Line<'_>, topic: &Topic) -> Result<Step> {
    let command = understand(line)?;
    let topic = match &command {
        Command::Open(open::What::Topic(canonical)) => canonical.clone(),
        // A shell is started in its own topic, like everything that happens to it.
        Command::Spawn => Topic::Bash({
            let mut words = Arguments::new(line.spec, line.arguments).words()?;
            let name = words.required("NAME")?;
            words.done()?;
            hub::bash::name(&name)?
        }),
        _ => topic.clone(),
    };
    let shown = shown(line, &command);
    Ok(Step { topic, command, shown })
}

/// The command line without what may be a secret, as far as that can be told from it alone.
fn shown(line: &Line<'_>, command: &Command) -> String {
    match command {
        Command::Set(assignments) => set::shown(assignments),
        // What was meant is not known yet, so it may hold anything.
        Command::Act(act::What { name: act::Named::Bare(word), .. }) => format!("/{word} …"),
        _ => line.text.to_owned(),
    }
}

fn understand(line: &Line<'_>) -> Result<Command> {
    let arguments = Arguments::new(line.spec, line.arguments);
    Ok(match line.spec.verb {
        Verb::Help => Command::Help { command: arguments.words()?.optional()? },
        Verb::Open => match open::edited(line.arguments) {
            Some(target) => edit::parse(Arguments::new(line.spec, target), None)?,
            None => Command::Open(open::What::parse(line.arguments)?),
        },
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
        Verb::Refresh => arguments.none(Command::Refresh)?,
        Verb::Nav => Command::Nav(nav::What::parse(arguments)?),
        Verb::Source => Command::Source { from: source::parse(arguments)? },
        Verb::Info => Command::Info { shortcut: info::parse(arguments)? },
        Verb::Topics => Command::Topics { kind: topics::parse(arguments)? },
        Verb::Session => Command::SessionClose { topic: session::parse(arguments)? },
        Verb::Interrupt => arguments.none(Command::AtOnce(AtOnce::Interrupt))?,
        Verb::EndOfFile => arguments.none(Command::AtOnce(AtOnce::EndOfFile))?,
        Verb::Kill => arguments.none(Command::AtOnce(AtOnce::Kill))?,
        Verb::Screen => arguments.none(Command::AtOnce(AtOnce::Screen))?,
        Verb::Exec => Command::Exec(exec::Exec::parse(line.arguments, line.body)?),
        Verb::Wait => Command::Wait(terminal::parse_wait(arguments)?),
        Verb::Install => Command::Install(install::Install::parse(arguments)?),
        Verb::Uninstall => Command::Uninstall(install::Uninstall::parse(arguments)?),
        Verb::AppList | Verb::AppInfo => Command::App(hub::app::Command::parse(line.spec.verb, arguments)?),
        Verb::BashSpawn => Command::Spawn,
        Verb::BashList | Verb::BashKill => {
            Command::Bash(hub::bash::Command::parse(line.spec.verb, arguments)?)
        }
        Verb::Act => Command::Act(act::What::parse(line)?),
        Verb::Tool => Command::Tool(tool::What::parse(line)?),
        Verb::Set => Command::Set(variable::parse_assignments(&line.content())?),
        Verb::Unset => Command::Unset(unset::parse(arguments)?),
        Verb::AgentList
        | Verb::AgentCurrent
        | Verb::AgentAdd
        | Verb::AgentUse
        | Verb::AgentSetHome
        | Verb::AgentBoundary
        | Verb::AgentAllow
        | Verb::AgentAllowHost
        | Verb::AgentRemove => Command::Agent(hub::agent::Command::parse(line.spec.verb, arguments)?),
        Verb::AgentCapability => Command::Capability(hub::capability::Command::parse(arguments)?),
        Verb::ToolList | Verb::ToolInfo | Verb::ToolTasks | Verb::ToolTask | Verb::ToolPurge => {
            Command::Tools(hub::tool::Command::parse(line.spec.verb, arguments)?)
        }
        Verb::Watch => Command::Watch(watch::Command::parse(arguments)?),
        Verb::SystemState => Command::Durable(hub::state::Command::parse(line)?),
        Verb::SystemStatus | Verb::SystemEnv | Verb::SystemLogs | Verb::SystemDoctor | Verb::SystemStop => {
            Command::System(hub::system::Command::parse(line.spec.verb, arguments)?)
        }
        Verb::Events if let Some(watched) = hub::event::behind_watch(arguments) => {
            Command::Watch(watch::Command::parse(watched)?)
        }
        Verb::Events
        | Verb::EventList
        | Verb::EventRead
        | Verb::EventAck
        | Verb::EventClear
        | Verb::EventWebhook => Command::Event(hub::event::Command::parse(line.spec.verb, arguments)?),
    })
}
