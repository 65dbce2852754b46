//! From a payload to commands, all of it before any of them runs.

use super::payload::{self, Actions, Line, Wrong};
use super::slashes::as_typed_in;
use super::table::Verb;
use super::terminal::{self, AtOnce};
use super::{
    Arguments, Command, Step, act, append, commit, edit, exec, info, install, log, ls, nav, open, replace,
    session, set, source, tool, topics, unset, watch, write,
};
use crate::conceal::cut;
use crate::error::{Error, Result};
use crate::hub;
use crate::topic::{Kind, Topic};
use crate::variable;

/// Understands a whole payload, before any of it runs. If already its first command is wrong, none does; a later one
/// that is wrong fails in its turn.
pub fn parse(payload: &str, topic: &Topic, actions: Actions) -> Result<Vec<Step>> {
    if topic.kind() == Kind::Bash && !payload.trim_start().starts_with("//") {
        let command = Command::Input(payload.to_owned());
        return Ok(vec![Step { topic: topic.clone(), command, shown: String::new() }]);
    }
    steps(payload, topic, actions).map_err(|error| as_typed_in(topic, error))
}

fn steps(payload: &str, topic: &Topic, actions: Actions) -> Result<Vec<Step>> {
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
        // Whatever stands below is run as well.
        Command::Exec(_) => [line.text].into_iter().chain(line.body).collect::<Vec<_>>().join("\n"),
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
        Verb::Act => Command::Act(act::What::parse(line)?),
        Verb::Tool => Command::Tool(tool::What::parse(line)?),
        Verb::Set => Command::Set(variable::parse_assignments(&line.content())?),
        Verb::Unset => Command::Unset(unset::parse(arguments)?),
        Verb::Events if let Some(watched) = hub::event::behind_watch(arguments) => {
            Command::Watch(watch::Command::parse(watched)?)
        }
        Verb::Events => Command::Event(hub::event::Command::behind_events(arguments.words()?)?),
        Verb::Watch => Command::Watch(watch::Command::parse(arguments)?),
        Verb::Spawn => Command::Spawn,
        Verb::Capability => Command::Capability(hub::capability::Command::parse(arguments)?),
        Verb::Durable => Command::Durable(hub::state::Command::parse(line)?),
        Verb::App(verb) => Command::App(hub::app::Command::parse(verb, arguments.words()?)?),
        Verb::Bash(verb) => Command::Bash(hub::bash::Command::parse(verb, arguments.words()?)?),
        Verb::Agent(verb) => Command::Agent(hub::agent::Command::parse(verb, arguments.words()?)?),
        Verb::Tools(verb) => Command::Tools(hub::tool::Command::parse(verb, arguments.words()?)?),
        Verb::System(verb) => Command::System(hub::system::Command::parse(verb, arguments.words()?)?),
        Verb::Event(verb) => Command::Event(hub::event::Command::parse(verb, arguments.words()?)?),
    })
}
