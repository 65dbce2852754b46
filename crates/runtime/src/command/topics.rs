//! `/topics`: the agent's open topics.

use std::sync::Arc;

use super::{Arguments, Context};
use crate::bash::has_shell;
use crate::error::Result;
use crate::session::Session;
use crate::topic::{Kind, Topic};

/// Narrowest column of names.
const NAME_WIDTH: usize = 20;
const KIND_WIDTH: usize = 7;

pub fn parse(arguments: Arguments<'_>) -> Result<Option<Kind>> {
    let mut words = arguments.words()?;
    let Some(word) = words.take() else {
        words.done()?;
        return Ok(None);
    };
    words.done()?;
    match Kind::parse(&word) {
        Some(kind) => Ok(Some(kind)),
        None => {
            let message = format!("Unknown type {}.", crate::error::quoted(&word));
            Err(words.wrong(message).hint("Types: tab, app, bash, hub"))
        }
    }
}

pub fn run(kind: Option<Kind>, context: &Context<'_>) -> String {
    let mut sessions = context.topics.list();
    if let Some(kind) = kind {
        sessions.retain(|session| session.topic.kind() == kind);
    }
    let rows: Vec<(String, Arc<Session>)> =
        sessions.into_iter().map(|session| (session.topic.to_string(), session)).collect();
    let width = rows.iter().map(|(name, _)| name.len()).fold(NAME_WIDTH, usize::max);
    let lines = rows.iter().map(|(name, session)| match kind {
        Some(_) => format!("  {name:width$} {}", detail(session)),
        None => {
            format!("  {name:width$} {:KIND_WIDTH$} {}", session.topic.kind().as_str(), detail(session))
        }
    });
    let lines = lines.collect::<Vec<_>>().join("\n");
    let count = rows.len();
    let plural = if count == 1 { "" } else { "s" };
    match kind {
        Some(kind) if rows.is_empty() => format!("0 {} topics open.", kind.as_str()),
        Some(kind) => format!("{lines}\n\n{count} {} topic{plural} open.", kind.as_str()),
        None => format!("Active topics:\n\n{lines}\n\n{count} topic{plural} open."),
    }
}

/// What one topic is at, for lists.
pub fn detail(session: &Session) -> String {
    match (&session.topic, session.location()) {
        (Topic::Hub(hub), _) => hub.as_str().to_owned(),
        (Topic::Bash(_), Some(directory)) if has_shell(session) => format!("cwd: {directory}"),
        (Topic::Bash(_), _) => "(no shell)".to_owned(),
        (_, Some(location)) => format!("current: {location}"),
        (_, None) => "(no document)".to_owned(),
    }
}
