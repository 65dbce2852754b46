//! `/edit`: the source of a file with line numbers, or with text below, a change of it.

use std::sync::Arc;

use super::{Arguments, Command, Context};
use crate::blocking;
use crate::document;
use crate::edit::{self, Digest, Edit, FileTarget, Overwrite, Way};
use crate::error::{Code, Error, Result};
use crate::reply::with_body;

/// Replaces what the topic has not read.
pub const FORCE: &str = "--force";

pub fn parse(arguments: Arguments<'_>, body: Option<&str>) -> Result<Command> {
    let (target, flags) = arguments.required_target(&[FORCE])?;
    let target = FileTarget::parse(target);
    Ok(match body {
        None => Command::View(target),
        Some(body) => {
            let body = body.to_owned();
            Command::Edit(Edit { target, way: Way::Edit, body, overwrite: overwrite(&flags) })
        }
    })
}

/// The text below a command that is nothing without it.
pub fn required_body(arguments: Arguments<'_>, body: Option<&str>) -> Result<String> {
    body.map(str::to_owned).ok_or_else(|| {
        arguments
            .wrong("The text is missing.")
            .hint("It stands below the command, from the next line to the end.")
    })
}

pub fn overwrite(flags: &[&str]) -> Overwrite {
    if flags.contains(&FORCE) { Overwrite::Always } else { Overwrite::IfSeen }
}

/// Shows a source, which counts as reading the file.
pub async fn show(target: FileTarget, context: Context<'_>) -> Result<String> {
    let located = target.locate(context.state, context.agent, context.caller)?;
    let located = located.settled(&context.agent.workspace).await?;
    context.kept().refuse(&located, &context.agent.workspace).await?;
    let Context { agent, state, .. } = context;
    let workspace = agent.workspace.clone();
    let (path, digest, reply) = blocking::run(move || {
        let (_, place) = located.place(&workspace)?;
        let shown = place.shown();
        let bytes = edit::read(&place)?.ok_or_else(|| missing(shown))?;
        let digest = Digest::of(&bytes);
        let text = document::text(bytes, shown)?;
        let lines = located.part.lines(&text, shown)?;
        let status = format!("Editing {shown}{}", located.part);
        Ok::<_, Error>((place.path(), digest, with_body(&status, &edit::numbered(&text, lines, shown))))
    })
    .await?;
    Arc::make_mut(&mut state.seen).remember(path, digest);
    Ok(reply)
}

fn missing(shown: &str) -> Error {
    Error::new(Code::NotFound, format!("No such file: {shown}"))
        .hint(format!("Create it: /write {}, with the text below", document::typed(shown)))
}
