//! The agent hub: who is registered, who speaks, and what each may touch.

mod words;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

pub use words::{Command, Verb, WORDS};

use self::words::Reach;
use crate::action;
use crate::agent::{Agent, Id, Record, settings, workspace};
use crate::blocking;
use crate::command::{Context, Format};
use crate::error::{Code, Error, Result, quoted};
use crate::policy::{Changed, require_person};
use crate::reply::with_body;
use crate::variable::Scope;

pub async fn run(command: Command, context: &Context<'_>) -> Result<String> {
    let (runtime, origin) = (context.runtime, context.caller.origin);
    match command {
        Command::List(Format::Text) => Ok(with_body("Agents", &list(context))),
        Command::List(Format::Json) => Ok(list_json(context)),
        Command::Current(Format::Text) => Ok(context.agent.id.to_string()),
        Command::Current(Format::Json) => Ok(json!({ "id": context.agent.id.as_str() }).to_string()),
        Command::Add { id, home, allow, boundary } => {
            let home = home.map(|text| typed_path(&text, context)).transpose()?;
            let allow = allow.iter().map(|text| typed_path(text, context)).collect::<Result<_>>()?;
            let agent = runtime.add_agent(origin, id, home, allow, boundary).await?;
            Ok(format!("Added agent {}: {}", agent.id, describe(&agent, context)))
        }
        Command::Use { id, reach } => use_agent(&id, reach, context).await,
        Command::SetHome { id, home } => {
            let home = typed_path(&home, context)?;
            let id = id.as_ref().unwrap_or(&context.agent.id);
            let changed = runtime.change_agent(origin, id, |record| record.home.clone_from(&home)).await?;
            let said = format!("Agent {}: {}", changed.agent.id, describe(&changed.agent, context));
            Ok(said + &ended(&changed.ended))
        }
        Command::ShowBoundary => Ok(format!("boundary: {}", context.agent.boundary.as_str())),
        Command::SetBoundary(boundary) => {
            let id = &context.agent.id;
            let changed = runtime.change_agent(origin, id, |record| record.boundary = boundary).await?;
            Ok(format!("boundary: {}{}", changed.agent.boundary.as_str(), ended(&changed.ended)))
        }
        Command::Allow { add, remove, format } => allow(&add, remove.as_deref(), format, context).await,
        Command::AllowHost { page, host } => {
            require_person(origin)?;
            let config = Scope::Global.file(context.agent.workspace.home());
            let page = action::allow_host(config, &page, &host).await?;
            Ok(format!("Pages of {page} may send your variables to {host}."))
        }
        Command::Remove(id) => {
            let removed = runtime.remove_agent(origin, &id).await?;
            Ok(format!("Removed agent {id}. Its files stay in {}", removed.home.display()))
        }
    }
}

/// All agents, the one that speaks marked.
pub fn list(context: &Context<'_>) -> String {
    let agents = context.runtime.agents.list();
    let rows: Vec<[String; 4]> = agents
        .iter()
        .map(|agent| {
            let current = if agent.id == context.agent.id { "(current)" } else { "" };
            let home = agent.workspace.home().display().to_string();
            [agent.id.to_string(), home, agent.boundary.as_str().to_owned(), current.to_owned()]
        })
        .collect();
    super::columns(&rows)
}

fn list_json(context: &Context<'_>) -> String {
    let agents = context.runtime.agents.list();
    let rows = agents.iter().map(|agent| {
        json!({
            "id": agent.id.as_str(),
            "home": agent.workspace.home(),
            "allow": agent.workspace.allowed(),
            "boundary": agent.boundary.as_str(),
            "current": agent.id == context.agent.id,
        })
    });
    format!("{:#}", Value::from_iter(rows))
}

async fn use_agent(id: &Id, reach: Reach, context: &Context<'_>) -> Result<String> {
    require_person(context.caller.origin)?;
    let agent = context.runtime.agents.get(id)?;
    let (dir, note) = match (reach, &context.caller.cwd) {
        (Reach::Everywhere, _) => (context.runtime.root.clone(), String::new()),
        (Reach::Directory, Some(cwd)) => (cwd.join(".string"), format!(" in {}", cwd.display())),
        (Reach::Directory, None) => {
            return Err(Error::new(Code::InvalidParams, "--local needs the caller's directory."));
        }
    };
    let current = Value::from(id.as_str());
    settings::update(dir.join("config.json"), |settings| {
        settings.insert(settings::CURRENT_AGENT.into(), current);
        Ok(())
    })
    .await?;
    Ok(format!("Current agent{note}: {}, {}", agent.id, describe(&agent, context)))
}

async fn allow(
    add: &[String],
    remove: Option<&str>,
    format: Format,
    context: &Context<'_>,
) -> Result<String> {
    let add = add.iter().map(|text| typed_path(text, context)).collect::<Result<Vec<_>>>()?;
    let remove = remove.map(|text| typed_path(text, context)).transpose()?;
    // Allowed paths are kept as they really are, so a link is removed by what it leads to.
    let link = remove.clone();
    let real = blocking::run(move || link.and_then(|path| std::fs::canonicalize(path).ok())).await;
    let change = |record: &mut Record| {
        record.allow.retain(|path| Some(path) != remove.as_ref() && Some(path) != real.as_ref());
        record.allow.extend(add.iter().cloned());
    };
    let id = &context.agent.id;
    if let Some(path) = &remove {
        require_person(context.caller.origin)?;
        let known = context.runtime.agents.get(id)?;
        let known = known.workspace.allowed();
        if !known.contains(path) && !real.as_ref().is_some_and(|real| known.contains(real)) {
            let message = format!("{} is not an allowed path.", quoted(&path.display().to_string()));
            return Err(
                Error::new(Code::NotFound, message).hint(format!("Allowed paths: {}", listed(known, ", ")))
            );
        }
    }
    let Changed { agent, ended: gone } = match (add.is_empty(), &remove) {
        (true, None) => Changed { agent: context.runtime.agents.get(id)?, ended: Vec::new() },
        _ => context.runtime.change_agent(context.caller.origin, id, change).await?,
    };
    let paths = agent.workspace.allowed();
    if format == Format::Json {
        return Ok(format!("{:#}", json!(paths)));
    }
    Ok(with_body("Allowed paths", &listed(paths, "\n")) + &ended(&gone))
}

fn listed(paths: &[PathBuf], between: &str) -> String {
    match paths.is_empty() {
        true => "None besides the home.".to_owned(),
        false => paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(between),
    }
}

/// Which shells a change has ended, as a line of its own.
fn ended(topics: &[String]) -> String {
    match topics.is_empty() {
        true => String::new(),
        false => format!("\nended: {}, which could touch more", topics.join(", ")),
    }
}

fn describe(agent: &Agent, context: &Context<'_>) -> String {
    let home = context.agent.workspace.display(agent.workspace.home());
    format!("home {home}, boundary {}", agent.boundary.as_str())
}

/// A path as a person types it: from `~`, or from where they are.
pub fn typed_path(text: &str, context: &Context<'_>) -> Result<PathBuf> {
    if text.is_empty() {
        return Err(Error::new(Code::InvalidParams, "The path is empty.")
            .hint("The home itself is ~, the directory you are in is ."));
    }
    let from_here = || context.caller.cwd.as_deref().unwrap_or(Path::new("")).join(text);
    let path = context.agent.workspace.below_home(text).unwrap_or_else(from_here);
    if path.is_absolute() && !text.contains('\0') {
        return Ok(workspace::normalize(&path));
    }
    Err(Error::new(Code::InvalidParams, format!("Not an absolute path: {}", quoted(text))))
}

pub fn split_list(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}
