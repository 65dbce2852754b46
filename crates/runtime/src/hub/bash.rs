//! The bash hub: which shells live, and what runs in them.

mod words;

use std::time::Duration;

use serde_json::json;

pub use words::{Command, Verb, WORDS, name};

use super::system::duration;
use crate::bash::{Cwd, first_line};
use crate::command::{Context, Format, terminal};
use crate::error::{Code, Error, Result, one_line};
use crate::reply::with_body;
use crate::topic::{Kind, Topic};

/// One shell, as the lists show it.
struct Row {
    topic: String,
    pid: Option<i32>,
    cwd: String,
    running: Option<(String, Duration)>,
}

pub async fn run(command: Command, context: &Context<'_>) -> Result<String> {
    match command {
        Command::List(Format::Text) => Ok(with_body("Shells", &list(context).await)),
        Command::List(Format::Json) => Ok(list_json(context).await),
        Command::Kill(name) => {
            // One that was lost with an earlier daemon has nothing left to end.
            let lost = context.runtime.shells.records.forget_lost(&context.agent.id, &name);
            let topic = Topic::Bash(name);
            match context.topics.get(&topic) {
                Some(session) if session.shell().is_some() || !lost => {
                    terminal::close(&session, context).await
                }
                _ if lost => Ok(format!("Forgotten: {topic}, which was lost when the daemon ended")),
                _ => Err(Error::new(Code::NotFound, format!("No topic {topic}.")).hint("string bash list")),
            }
        }
    }
}

pub async fn list(context: &Context<'_>) -> String {
    let rows = rows(context).await;
    let fence = match context.runtime.shells.boundary(context.agent).await {
        Ok((_, fence)) => fence.0,
        Err(error) => error.message,
    };
    let table: Vec<[String; 4]> = rows.iter().map(columns).collect();
    let shells = if rows.is_empty() { "No bash topics are open.".to_owned() } else { super::columns(&table) };
    let workspace = &context.agent.workspace;
    let lost = context.runtime.shells.records.lost(&context.agent.id).into_iter().map(|lost| {
        let was = lost
            .running
            .map_or_else(|| "idle".to_owned(), |command| format!("running: {}", one_line(&command)));
        format!(
            "\nbash:{} was lost when the daemon ended: in {}, {was}",
            lost.name,
            one_line(&workspace.display(&lost.directory))
        )
    });
    let lost: String = lost.collect();
    format!("{shells}{lost}\n\nboundary: {fence}")
}

async fn list_json(context: &Context<'_>) -> String {
    let rows = rows(context).await;
    let shells = rows.iter().map(|row| {
        json!({
            "topic": row.topic,
            "pid": row.pid,
            "cwd": row.cwd,
            "running": row.running.as_ref().map(|(command, _)| command),
            "running_seconds": row.running.as_ref().map(|(_, time)| time.as_secs()),
            "lost": false,
        })
    });
    let lost = context.runtime.shells.records.lost(&context.agent.id).into_iter().map(|lost| {
        json!({
            "topic": format!("bash:{}", lost.name),
            "pid": null,
            "cwd": context.agent.workspace.display(&lost.directory),
            "running": lost.running,
            "running_seconds": null,
            "lost": true,
        })
    });
    format!("{:#}", shells.chain(lost).collect::<serde_json::Value>())
}

async fn rows(context: &Context<'_>) -> Vec<Row> {
    let mut rows = Vec::new();
    for session in context.topics.list().into_iter().filter(|session| session.topic.kind() == Kind::Bash) {
        let info = match session.shell() {
            Some(shell) => shell.info().await.ok().filter(|info| info.death.is_none()),
            None => None,
        };
        let cwd = info.as_ref().map(|info| Cwd(&info.directory, &context.agent.workspace).to_string());
        let running = info.as_ref().and_then(|info| info.running.as_ref());
        let running = running.map(|command| (one_line(&first_line(&command.payload)), command.running_for));
        rows.push(Row {
            topic: session.topic.to_string(),
            pid: info.map(|info| info.pid),
            cwd: cwd.unwrap_or_default(),
            running,
        });
    }
    rows
}

fn columns(row: &Row) -> [String; 4] {
    let pid = row.pid.map_or_else(|| "(no shell)".to_owned(), |pid| format!("pid {pid}"));
    let running = match &row.running {
        Some((command, time)) => format!("running for {}: {command}", duration(*time)),
        None => "idle".to_owned(),
    };
    [row.topic.clone(), pid, row.cwd.clone(), if row.pid.is_some() { running } else { String::new() }]
}
