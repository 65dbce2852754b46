//! Durable state to a file and back: one JSON object per line.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::refused;
use crate::blocking;
use crate::command::Context;
use crate::document::{Bases, Target};
use crate::error::{Code, Error, Result, quoted};
use crate::state::{self, Condition, Place, Write, place};
use crate::variable::read_file;

/// The largest file that is read back.
const IMPORT_MAX: u64 = 256 << 20;
const PAGE: usize = 1_000;

#[derive(Debug, Serialize)]
struct Written<'a> {
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

/// Writes a new file with the entries of one scope, or of all.
pub async fn export(place: Option<Place>, path: &str, context: &Context<'_>) -> Result<String> {
    let (durable, agent) = (&context.runtime.durable, &context.agent.id);
    let places = match place {
        Some(place) => vec![place],
        None => place::all(durable, agent).await?,
    };
    let (mut text, mut count) = (String::new(), 0_usize);
    for place in places {
        let (space, mut cursor) = (place.space(agent), None);
        loop {
            let page = durable.list(&space, "", PAGE, cursor.as_deref()).await.map_err(refused)?;
            for entry in &page.entries {
                let expires_at = entry.expires_at.as_deref();
                let line =
                    Written { scope: place.to_string(), key: &entry.key, value: &entry.value, expires_at };
                text.push_str(&serde_json::to_string(&line).map_err(|error| failed(&error))?);
                text.push('\n');
                count += 1;
            }
            match page.next_cursor {
                Some(next) => cursor = Some(next),
                None => break,
            }
        }
    }
    let (target, workspace) = (literal(path, context)?, context.agent.workspace.clone());
    let shown = workspace.display(&target);
    blocking::run(move || workspace.place(&target)?.write(None, text.as_bytes())).await?;
    Ok(format!("Exported {count} entries to {shown}"))
}

/// Puts what a file holds back. All of it is read and checked before the first entry is written.
pub async fn import(path: &str, context: &Context<'_>) -> Result<String> {
    let (durable, agent) = (&context.runtime.durable, &context.agent.id);
    let text =
        String::from_utf8(read_file(path, bases(context), IMPORT_MAX)?).map_err(|error| failed(&error))?;
    let mut entries = Vec::new();
    for (n, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let wrong = |why: String| Error::new(Code::InvalidParams, format!("Line {}: {why}", n + 1));
        let read: Read = serde_json::from_str(line).map_err(|error| wrong(error.to_string()))?;
        state::check_key(&read.key).map_err(|error| wrong(error.message))?;
        state::check_value(read.value.to_string().as_bytes()).map_err(|error| wrong(error.message))?;
        let expires_at = read.expires_at.as_ref().map(|at| at.parse::<jiff::Timestamp>()).transpose();
        let expires_at = expires_at.map_err(|error| wrong(error.to_string()))?;
        entries.push((Place::parse(&read.scope)?, expires_at, read));
    }
    let (mut written, mut expired) = (0_usize, 0_usize);
    for (place, expires_at, read) in entries {
        let left = expires_at.map(|at| at.as_millisecond() - context.runtime.now().as_millis());
        let Some(ttl) = left.map_or(Some(None), |left| seconds(left).map(Some)) else {
            expired += 1;
            continue;
        };
        let write = Write::Put(read.value);
        durable
            .write(&place.space(agent), &read.key, write, ttl, &Condition::Always)
            .await
            .map_err(refused)?;
        written += 1;
    }
    let gone = if expired == 0 { String::new() } else { format!(", {expired} had expired") };
    Ok(format!("Imported {written} entries{gone}"))
}

/// Whole seconds that an entry has left; none if it has expired.
fn seconds(millis: i64) -> Option<u64> {
    u64::try_from(millis).ok().filter(|millis| *millis > 0).map(|millis| millis.div_ceil(1_000))
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
