//! Durable state to a file and back: one JSON object per line.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use store::Timestamp;

use super::show::{Report, refused};
use crate::action::exact_json;
use crate::agent;
use crate::blocking;
use crate::command::Context;
use crate::document::{Bases, Target};
use crate::error::{Code, Error, Result, quoted};
use crate::state::{self, Place, Transferred, place};
use crate::variable::read_file;

/// The largest file that is read back.
const IMPORT_MAX: u64 = 256 << 20;

#[derive(Debug, Serialize)]
struct Line<'a> {
    scope: String,
    key: &'a str,
    value: &'a RawValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<&'a str>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Read {
    scope: String,
    key: String,
    value: Value,
    #[serde(default)]
    expires_at: Option<String>,
}

/// Writes the entries of one scope, or of all, to a file. Each scope is as it was at one moment.
pub async fn export(place: Option<Place>, path: &str, context: &Context<'_>) -> Result<Report> {
    let (durable, agent) = (&context.runtime.durable, &context.agent.id);
    let places = match place {
        Some(place) => vec![place],
        None => place::all(durable, agent).await?,
    };
    let (mut text, mut count) = (String::new(), 0_usize);
    for place in places {
        for entry in durable.export(&place.space(agent)).await.map_err(refused)? {
            let line = Line {
                scope: place.to_string(),
                key: &entry.key,
                value: &entry.value,
                expires_at: entry.expires_at.as_deref(),
            };
            text.push_str(&serde_json::to_string(&line).map_err(|error| failed(&error))?);
            text.push('\n');
            count += 1;
        }
    }
    let (target, workspace) = (literal(path, context)?, context.agent.workspace.clone());
    let shown = workspace.display(&target);
    let written = blocking::run(move || workspace.place(&target)?.write_private(text.as_bytes())).await;
    written.map_err(|error| match error.code {
        Code::Conflict => Error::new(Code::Conflict, format!("{shown} exists already."))
            .hint("An export is a new file. Name another one, or remove that one first."),
        _ => error,
    })?;
    let json = json!({ "file": shown, "exported": count });
    Ok(Report { text: format!("Exported {} to {shown}", entries(count)), json })
}

/// Puts what a file holds back, all of it or nothing.
pub async fn import(path: &str, context: &Context<'_>) -> Result<Report> {
    let (path, workspace) = (path.to_owned(), context.agent.workspace.clone());
    let (agent, cwd) = (context.agent.id.clone(), context.caller.cwd.clone());
    let parsed = blocking::run(move || {
        let bases = Bases { workspace: &workspace, page: None, directory: None, caller: cwd.as_deref() };
        let text = String::from_utf8(read_file(&path, bases, IMPORT_MAX)?).map_err(|error| failed(&error))?;
        all_understood(&text, &agent)
    })
    .await?;
    let imported = context.runtime.durable.import(&parsed).await.map_err(refused)?;
    let expired = parsed.len() - imported;
    let gone = if expired == 0 { String::new() } else { format!(", {expired} had expired") };
    let json = json!({ "imported": imported, "expired": expired });
    Ok(Report { text: format!("Imported {}{gone}", entries(imported)), json })
}

fn all_understood(text: &str, agent: &agent::Id) -> Result<Vec<Transferred>> {
    let lines = text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty());
    let parsed = lines.map(|(line, number)| {
        understood(line, agent).map_err(|error| {
            Error::new(Code::InvalidParams, format!("Line {number}: {}", error.message))
                .hints(error.hints)
                .hint("Nothing was imported.")
        })
    });
    parsed.collect()
}

/// One line of an export, checked like a call.
fn understood(line: &str, agent: &agent::Id) -> Result<Transferred> {
    // One more than a value may have, for the object around it.
    state::check_depth(line, 1).map_err(refused)?;
    let wrong = |why: String| Error::new(Code::InvalidParams, why);
    let read: Read = serde_json::from_str(line).map_err(|error| wrong(error.to_string()))?;
    exact_json(line).map_err(|why| wrong(format!("{} {why}", quoted(&read.key))))?;
    state::check_key(&read.key).map_err(refused)?;
    state::check_value(read.value.to_string().as_bytes()).map_err(refused)?;
    let expires_at = read.expires_at.map(|at| {
        let time = at.parse::<jiff::Timestamp>();
        time.map(|time| Timestamp::from_millis(time.as_millisecond()))
            .map_err(|_| wrong(format!("expires_at is not a time: {}", quoted(&at))))
    });
    Ok(Transferred {
        space: Place::parse(&read.scope)?.space(agent),
        key: read.key,
        value: read.value,
        expires_at: expires_at.transpose()?,
    })
}

fn entries(count: usize) -> String {
    if count == 1 { "1 entry".to_owned() } else { format!("{count} entries") }
}

fn literal(path: &str, context: &Context<'_>) -> Result<PathBuf> {
    match Target::parse(path, bases(context)) {
        Ok(Target::Path { candidates, block: None }) => Ok(candidates.literal),
        _ => Err(Error::new(Code::InvalidPath, format!("Not a file: {}", quoted(path)))),
    }
}

fn bases<'a>(context: &'a Context<'_>) -> Bases<'a> {
    let workspace = &context.agent.workspace;
    Bases { workspace, page: None, directory: None, caller: context.caller.cwd.as_deref() }
}

fn failed(error: &dyn std::fmt::Display) -> Error {
    Error::new(Code::LoadError, format!("State could not be read: {error}"))
}
