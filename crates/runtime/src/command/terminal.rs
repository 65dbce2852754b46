//! A bash topic: its input, and what acts on the command that runs there.

mod life;

use std::time::Duration;

use shell::{Cause, Death, Error as ShellError, Info, Outcome, Shell, Turn};

use self::life::{bury, forget, record, start};
use super::payload::not_valid;
use super::{Arguments, Context, table};
use crate::bash::{self, first_line, render, unheard};
use crate::error::{Code, Error, Result, quoted};
use crate::long::fitting;
use crate::reply::with_body;
use crate::session::{Session, ShellState, State};
use crate::sink::Sink;
use crate::words;

/// How much is kept of a reply that nobody heard.
const UNHEARD_MAX: usize = 32 * 1024;

/// How long a command runs before it is written down.
const NOTED_AFTER: Duration = Duration::from_millis(50);

/// What acts on the running command, and therefore does not wait for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AtOnce {
    /// Ctrl-C.
    Interrupt,
    /// Ctrl-D.
    EndOfFile,
    /// Ends the foreground job and keeps the shell.
    Kill,
    /// The screen as a person would see it.
    Screen,
}

/// Text for the shell: a command, or input for the program that runs.
pub async fn input(text: &str, mut context: Context<'_>) -> Result<String> {
    let mut notes = Vec::new();
    let mut shell = match context.session.shell() {
        Some(shell) => shell,
        None => start(&mut context, &mut notes).await?,
    };
    if !context.state.shell.running {
        context.state.shell.command = first_line(text);
    }
    let turn = loop {
        let sent = watched(&shell, shell.send(text, bash::WAIT), context.sink);
        match noted_if_long(sent, &shell, &mut context).await {
            Err(ShellError::Gone(death)) => {
                bury(*death, &mut context, &mut notes);
                context.state.shell.command = first_line(text);
                shell = start(&mut context, &mut notes).await?;
            }
            other => break other.map_err(|error| wrong(&error, context.session))?,
        }
    };
    notes.extend(drawn(&turn, &shell, &context).await);
    finish(&turn, &notes, context)
}

/// Waits for the command that runs, and shows what is new.
pub async fn wait(time: Duration, context: Context<'_>) -> Result<String> {
    let shell = context.session.shell().ok_or_else(|| no_shell(context.session))?;
    let turn = watched(&shell, shell.wait(time), context.sink).await;
    let turn = turn.map_err(|error| wrong(&error, context.session))?;
    let notes: Vec<String> = drawn(&turn, &shell, &context).await.into_iter().collect();
    finish(&turn, &notes, context)
}

pub async fn at_once(act: AtOnce, session: &Session) -> Result<String> {
    let shell = session.shell().ok_or_else(|| no_shell(session))?;
    let running =
        shell.info().await.ok().and_then(|info| info.running).map(|running| first_line(&running.payload));
    let acted = match act {
        AtOnce::Interrupt => shell.interrupt().await,
        AtOnce::EndOfFile => shell.eof().await,
        AtOnce::Kill => shell.kill().await,
        AtOnce::Screen => {
            let screen = shell.screen().await.map_err(|error| wrong(&error, session))?;
            return Ok(with_body("Screen", screen.trim_end()));
        }
    };
    acted.map_err(|error| wrong(&error, session))?;
    let what = match act {
        AtOnce::Interrupt => "Interrupted",
        AtOnce::EndOfFile => "End of input sent",
        AtOnce::Kill | AtOnce::Screen => "Killed",
    };
    Ok(running.map_or_else(|| format!("{what}."), |command| format!("{what}: {command}")))
}

/// Starts the shell without giving it anything to do.
pub async fn spawn(mut context: Context<'_>) -> Result<String> {
    let mut notes = Vec::new();
    if let Some(shell) = context.session.shell() {
        let Some(death) = shell.info().await.ok().and_then(|info| info.death) else {
            return Err(Error::new(
                Code::Conflict,
                format!("{} has a shell already.", context.session.topic),
            )
            .hint(format!("pid: {}", shell.pid())));
        };
        bury(death, &mut context, &mut notes);
    }
    let shell = start(&mut context, &mut notes).await?;
    let info = shell.info().await.map_err(|error| wrong(&error, context.session))?;
    context.state.shell.directory = Some(info.directory);
    let started = format!("Started {}, pid {}", context.session.topic, shell.pid());
    Ok(if notes.is_empty() { started } else { with_body(&started, &notes.join("\n")) })
}

/// Ends the shell and everything it has started. The topic stays.
pub async fn close(session: &Session, context: &Context<'_>) -> Result<String> {
    let shell = session.set_shell(None).ok_or_else(|| no_shell(session))?;
    shell.close().await;
    session.set_location(None);
    forget(session, context);
    Ok(format!("Closed: {}", session.topic))
}

/// `/close` in a bash topic.
pub async fn close_here(context: Context<'_>) -> Result<String> {
    context.state.shell = ShellState::default();
    close(context.session, &context).await
}

/// A time such as `90s`, `5m` or `1h30m`.
pub fn parse_time(text: &str) -> Result<Duration> {
    words::duration(text).filter(|time| *time <= bash::TIME_MAX).ok_or_else(|| {
        Error::new(Code::InvalidParams, format!("Not a time: {}", quoted(text)))
            .hint("A time is a number with its unit, such as 90s, 5m or 1h30m; at most 24h.")
    })
}

pub fn parse_wait(arguments: Arguments<'_>) -> Result<Duration> {
    arguments.words()?.optional()?.map_or(Ok(bash::WAIT), |text| parse_time(&text))
}

/// The command as logs may show it. What goes to a running program may be a password.
pub fn shown(text: &str, state: &State) -> String {
    if state.shell.running { "(input)".to_owned() } else { text.to_owned() }
}

/// Waits for a turn while its live output goes to the sink.
async fn watched(
    shell: &Shell,
    turn: impl Future<Output = shell::Result<Turn>>,
    sink: &dyn Sink,
) -> shell::Result<Turn> {
    if !sink.wants_live() {
        return turn.await;
    }
    bash::pass_on(shell.subscribe(), sink, turn).await
}

/// Waits for a turn, and writes down what runs if it takes its time: a daemon that ends meanwhile has lost that.
/// What is quicker is not worth a file.
async fn noted_if_long<T>(turn: impl Future<Output = T>, shell: &Shell, context: &mut Context<'_>) -> T {
    let mut turn = std::pin::pin!(turn);
    if let Ok(done) = tokio::time::timeout(NOTED_AFTER, &mut turn).await {
        return done;
    }
    if let Ok(Info { directory, running: Some(running), .. }) = shell.info().await {
        // Not always what the turn began with: text for a program that has ended is a command.
        context.state.shell.command = first_line(&running.payload);
        record(directory.path, Some(first_line(&running.payload)), context);
    }
    turn.await
}

/// Said of a program that has printed nothing and shows something all the same, as full-screen programs do.
async fn drawn(turn: &Turn, shell: &Shell, context: &Context<'_>) -> Option<String> {
    let runs = matches!(turn.outcome, Outcome::Running(_));
    if !runs || context.state.shell.printed || !turn.output.is_empty() {
        return None;
    }
    let screen = shell.screen().await.ok()?;
    (!screen.trim().is_empty()).then(|| "(nothing printed; //screen shows the program's screen)".to_owned())
}

/// Keeps what the session must remember of a turn, and renders it. What nobody hears is for the next caller.
fn finish(turn: &Turn, notes: &[String], mut context: Context<'_>) -> Result<String> {
    let unheard_before = context.state.shell.unheard.take();
    let stopped = context.runtime.stop.is_cancelled().then(|| "(the daemon stops)".to_owned());
    let notes: Vec<String> = unheard_before.into_iter().chain(notes.iter().cloned()).chain(stopped).collect();
    let reply = remember(turn, &notes, &mut context);
    let reply = reply.map_err(|error| reaching_string(error, &context));
    if context.left.is_cancelled() {
        let lost = unheard(turn, &notes, &context.agent.workspace);
        context.state.shell.unheard = Some(fitting(&lost, UNHEARD_MAX).into_owned());
    }
    reply
}

fn remember(turn: &Turn, notes: &[String], context: &mut Context<'_>) -> Result<String> {
    let shell = &mut context.state.shell;
    shell.running = matches!(turn.outcome, Outcome::Running(_));
    shell.printed = shell.running && (shell.printed || !turn.output.is_empty());
    shell.directory = Some(turn.directory.clone());
    if let Outcome::Died(Death { cause: Cause::Closed, .. }) = &turn.outcome {
        shell.recorded = None;
        let taken = context.session.taken();
        // After one that a person has taken away the next goes on where it was.
        shell.directory.take_if(|_| taken.is_none());
        let reply = render(turn, notes, &context.agent.workspace);
        return reply.map_err(|closed| match taken {
            Some(why) => Error { body: closed.body, ..taken_away(&why) },
            None => closed,
        });
    }
    if let Outcome::Died(death) = &turn.outcome {
        shell.directory = None;
        shell.restart_in = Some(death.directory.path.clone());
        shell.recorded = None;
        context.session.set_shell(None);
        forget(context.session, context);
    } else {
        // What the daemon's own end has stopped was running, for whoever asks the next one.
        let was_running = shell.running || context.runtime.stop.is_cancelled();
        let running = was_running.then(|| shell.command.clone());
        record(turn.directory.path.clone(), running, context);
    }
    render(turn, notes, &context.agent.workspace)
}

/// A command that bash did not find, or found to be a directory, may have been meant for String.
fn reaching_string(error: Error, context: &Context<'_>) -> Error {
    let topic = &context.session.topic;
    let word = context.state.shell.command.split_whitespace().next().and_then(|word| word.strip_prefix('/'));
    let meant = word.and_then(|word| table::find(word, topic));
    match meant.filter(|_| matches!(error.code, Code::Exit(126 | 127))) {
        Some(spec) if spec.place.allows(topic) => error.hint(format!("//{} reaches String.", spec.name)),
        Some(spec) => error.hints(not_valid(spec.name, topic).hints),
        None => error,
    }
}

fn no_shell(session: &Session) -> Error {
    let why = session.taken().map(|why| format!("It was ended: {why}."));
    Error::new(Code::NotFound, format!("No shell runs in {}.", session.topic))
        .hints(why)
        .hint("Any input starts one.")
}

fn taken_away(why: &str) -> Error {
    Error::new(Code::NotAllowed, format!("The shell was ended: {why}."))
        .hint("Any input starts a fresh one, if shells are allowed.")
}

/// Somebody closed the shell before it had anything to show.
fn closed() -> Error {
    Error::new(Code::Interrupted, "The shell was closed.").hint(bash::FRESH)
}

fn wrong(error: &ShellError, session: &Session) -> Error {
    if let Some(why) = session.taken() {
        return taken_away(&why);
    }
    match error {
        ShellError::GuardLost if session.shell().is_none() => closed(),
        ShellError::NothingRuns => {
            Error::new(Code::NotFound, format!("Nothing is running in {}.", session.topic))
        }
        ShellError::Gone(death) => {
            Error::new(Code::NotFound, format!("The shell has ended with status {}.", death.status))
                .hint(bash::FRESH)
        }
        ShellError::NulByte => Error::new(Code::InvalidParams, format!("This cannot be sent: {error}.")),
        ShellError::LineTooLong { .. } => {
            Error::new(Code::InvalidParams, format!("This cannot be sent: {error}."))
                .hint("Send it in shorter lines, if the program takes them.")
                .hint(
                    "Or end the program with //kill, write the line to a file and start it again with <FILE.",
                )
        }
        other => Error::new(Code::LoadError, format!("The shell failed: {other}.")),
    }
}
