//! The life of a topic's shell: where it starts, and what is written down of it for the one after it.

use std::path::PathBuf;
use std::sync::Arc;

use shell::{Death, Shell};

use super::closed;
use crate::bash::{self, Record};
use crate::command::Context;
use crate::error::{Result, one_line};
use crate::policy;
use crate::session::Session;
use crate::topic::{Name, Topic};

/// Starts a shell where the one before it was, and notes if that was lost with an earlier daemon.
pub(super) async fn start(context: &mut Context<'_>, notes: &mut Vec<String>) -> Result<Arc<Shell>> {
    let records = &context.runtime.shells.records;
    let lost = name(context.session).and_then(|name| records.take_lost(&context.agent.id, name));
    if let Some(lost) = lost {
        notes.push(lost_note(&lost, context));
        context.state.shell.restart_in = Some(lost.directory);
    }
    let taken = context.session.taken();
    if taken.is_some() {
        let last = &mut context.state.shell;
        last.running = false;
        last.restart_in = last.directory.take().map(|last| last.path).or(last.restart_in.take());
    }
    let directory = context.state.shell.restart_in.as_deref();
    let live = context.runtime.shells.start(context.agent, directory).await?;
    let shell = Arc::clone(&live.shell);
    context.session.set_shell(Some(live));
    if context.interrupted.is_cancelled() {
        // The topic was closed when there was no shell yet that could have been ended with it.
        context.session.set_shell(None);
        shell.close().await;
        return Err(closed());
    }
    if context.agent.is_revoked() {
        // It was started with what the agent was allowed a moment ago.
        context.session.take_shell(policy::NARROWED).await;
        return Err(bash::revoked(context.agent));
    }
    notes.extend(taken.map(|why| format!("(the shell that was here was ended: {why}; this is a fresh one)")));
    let home = context.agent.workspace.home();
    let directory = directory.filter(|path| path.is_dir()).unwrap_or(home).to_owned();
    record(directory, None, context);
    Ok(shell)
}

fn lost_note(lost: &Record, context: &Context<'_>) -> String {
    let was = match &lost.running {
        Some(command) => format!("running: {}", one_line(command)),
        None => "idle".to_owned(),
    };
    let cwd = one_line(&context.agent.workspace.display(&lost.directory));
    format!(
        "(the shell that was here was lost when the daemon ended, with its variables, jobs and history; \
         it was {was}; this is a fresh one, started in {cwd})"
    )
}

/// Writes down what the shell is at, for a daemon that comes after this one.
pub(super) fn record(directory: PathBuf, running: Option<String>, context: &mut Context<'_>) {
    let Some(name) = name(context.session) else { return };
    let (agent, name) = (context.agent.id.to_string(), name.to_string());
    let record = Record { agent, name, directory, running };
    let recorded = &mut context.state.shell.recorded;
    if recorded.as_ref() != Some(&record) {
        context.runtime.shells.records.note(&record);
        *recorded = Some(record);
    }
}

/// The shell has ended and is not to be missed.
pub(super) fn forget(session: &Session, context: &Context<'_>) {
    if let Some(name) = name(session) {
        context.runtime.shells.records.forget(&context.agent.id, name);
    }
}

fn name(session: &Session) -> Option<&Name> {
    match &session.topic {
        Topic::Bash(name) => Some(name),
        _ => None,
    }
}

/// Takes away a shell that has ended, and notes what it had not told. The next one starts where it was.
pub(super) fn bury(death: Death, context: &mut Context<'_>, notes: &mut Vec<String>) {
    notes.extend(bash::ended_before(&death, &context.agent.workspace));
    context.session.set_shell(None);
    context.state.shell.restart_in = Some(death.directory.path);
}
