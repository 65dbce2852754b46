//! A bash topic: its input, and what acts on the command that runs there.

use std::sync::Arc;
use std::time::Duration;

use shell::{Error as ShellError, Outcome, Shell, Turn};

use super::{Arguments, Context};
use crate::bash::{self, first_line, render};
use crate::error::{Code, Error, Result, quoted};
use crate::session::{Session, ShellState, State};
use crate::sink::Sink;

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
pub async fn input(text: &str, context: Context<'_>) -> Result<String> {
    let mut notes = Vec::new();
    let mut shell = match context.session.shell() {
        Some(shell) => shell,
        None => start(&context).await?,
    };
    let turn = loop {
        match watched(&shell, shell.send(text, bash::WAIT), context.sink).await {
            Err(ShellError::Gone(death)) => {
                notes
                    .push(format!("(the shell had ended with status {}; this is a fresh one)", death.status));
                context.session.set_shell(None);
                context.state.shell.restart_in = Some(death.directory.path);
                shell = start(&context).await?;
            }
            other => break other.map_err(|error| wrong(&error, context.session))?,
        }
    };
    finish(&turn, &notes, context)
}

/// Waits for the command that runs, and shows what is new.
pub async fn wait(time: Duration, context: Context<'_>) -> Result<String> {
    let shell = context.session.shell().ok_or_else(|| no_shell(context.session))?;
    let turn = watched(&shell, shell.wait(time), context.sink).await;
    let turn = turn.map_err(|error| wrong(&error, context.session))?;
    finish(&turn, &[], context)
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
            return Ok(crate::reply::with_body("Screen", screen.trim_end()));
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
pub async fn spawn(context: Context<'_>) -> Result<String> {
    if let Some(shell) = context.session.shell() {
        return Err(Error::new(Code::Conflict, format!("{} has a shell already.", context.session.topic))
            .hint(format!("pid: {}", shell.pid())));
    }
    let shell = start(&context).await?;
    let info = shell.info().await.map_err(|error| wrong(&error, context.session))?;
    context.state.shell.directory = Some(info.directory.path);
    Ok(format!("Started {}, pid {}", context.session.topic, shell.pid()))
}

/// Ends the shell and everything it has started. The topic stays.
pub async fn close(session: &Session) -> Result<String> {
    let shell = session.set_shell(None).ok_or_else(|| no_shell(session))?;
    shell.close().await;
    session.set_location(None);
    Ok(format!("Closed: {}", session.topic))
}

/// `/close` in a bash topic.
pub async fn close_here(context: Context<'_>) -> Result<String> {
    context.state.shell = ShellState::default();
    close(context.session).await
}

/// A time such as `90s`, `5m` or `1h30m`.
pub fn parse_time(text: &str) -> Result<Duration> {
    let parsed = text.parse::<jiff::SignedDuration>().ok().and_then(|time| Duration::try_from(time).ok());
    parsed.filter(|time| !time.is_zero() && *time <= bash::TIME_MAX).ok_or_else(|| {
        Error::new(Code::InvalidParams, format!("Not a time: {}", quoted(text)))
            .hint("A time is a number with its unit, such as 90s, 5m or 1h30m; at most 24h.")
    })
}

pub fn parse_wait(arguments: Arguments<'_>) -> Result<Duration> {
    arguments.words()?.optional()?.map_or(Ok(bash::WAIT), |text| parse_time(&text))
}

/// The command line as logs may show it. What goes to a running program may be a password.
pub fn shown(text: &str, state: &State) -> String {
    if state.shell.running { "(input)".to_owned() } else { first_line(text) }
}

async fn start(context: &Context<'_>) -> Result<Arc<Shell>> {
    let directory = context.state.shell.restart_in.as_deref();
    let shell = Arc::new(context.runtime.shells.start(context.agent, directory).await?);
    context.session.set_shell(Some(Arc::clone(&shell)));
    Ok(shell)
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

/// Keeps what the session must remember of a turn, and renders it.
fn finish(turn: &Turn, notes: &[String], context: Context<'_>) -> Result<String> {
    let shell = &mut context.state.shell;
    shell.running = matches!(turn.outcome, Outcome::Running(_));
    shell.directory = Some(turn.directory.path.clone());
    if let Outcome::Died(death) = &turn.outcome {
        context.session.set_shell(None);
        shell.directory = None;
        shell.restart_in = Some(death.directory.path.clone());
    }
    render(turn, notes, &context.agent.workspace)
}

fn no_shell(session: &Session) -> Error {
    Error::new(Code::NotFound, format!("No shell runs in {}.", session.topic)).hint("Any input starts one.")
}

fn wrong(error: &ShellError, session: &Session) -> Error {
    match error {
        ShellError::NothingRuns => {
            Error::new(Code::NotFound, format!("Nothing is running in {}.", session.topic))
        }
        ShellError::Gone(death) => {
            Error::new(Code::NotFound, format!("The shell has ended with status {}.", death.status))
                .hint("Any input starts a fresh one.")
        }
        ShellError::NulByte | ShellError::LineTooLong { .. } => {
            Error::new(Code::InvalidParams, format!("This cannot be sent: {error}."))
        }
        other => Error::new(Code::LoadError, format!("The shell failed: {other}.")),
    }
}
