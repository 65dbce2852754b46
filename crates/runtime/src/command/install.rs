//! `/install` and `/uninstall`: packages come and go as a whole.

mod gather;
mod github;

use std::path::{Path, PathBuf};

use gather::{Gathered, check_scripts, gather};

use super::ground::Ground;
use super::{Arguments, Context};
use crate::agent::Workspace;
use crate::blocking;
use crate::close::Closed;
use crate::error::{Code, Error, Result, quoted};
use crate::manifest::is_manifest;
use crate::package::{
    Choice, Conflict, Copy, Delivery, Installed, Kind, Package, Packages, Provenance, Record, Source, Staged,
};
use crate::topic::Name;

/// What the caller asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Install {
    pub source: String,
    pub delivery: Delivery,
    pub choice: Choice,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Uninstall {
    pub name: String,
    pub variables: Variables,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variables {
    Keep,
    Purge,
}

impl Install {
    pub fn parse(arguments: Arguments<'_>) -> Result<Self> {
        let mut words = arguments.words()?;
        let kind = match (words.switch("--app"), words.switch("--tool")) {
            (true, true) => return Err(words.wrong("A package is an app or a tool, not both.")),
            (true, false) => Some(Kind::App),
            (false, true) => Some(Kind::Tool),
            (false, false) => None,
        };
        let name = words.value("--as")?;
        let delivery = if words.switch("--link") { Delivery::Link } else { Delivery::Any };
        let conflict = if words.switch("--force") { Conflict::Replace } else { Conflict::Refuse };
        let source = words.rest()?.join(" ");
        Ok(Self { source, delivery, choice: Choice { kind, name, conflict } })
    }
}

impl Uninstall {
    pub fn parse(arguments: Arguments<'_>) -> Result<Self> {
        let mut words = arguments.words()?;
        let variables = if words.switch("--purge") { Variables::Purge } else { Variables::Keep };
        let name = words.required("NAME")?;
        words.done()?;
        // `app:weather` is how the reply to an installation names it.
        let name = name
            .strip_prefix("app:")
            .or(name.strip_prefix("tool:"))
            .or(name.strip_prefix("skill:"))
            .unwrap_or(&name)
            .to_owned();
        Ok(Self { name, variables })
    }
}

pub async fn install(install: Install, mut context: Context<'_>) -> Result<String> {
    let workspace = &context.agent.workspace;
    let ground = Ground::Workspace(workspace.clone());
    let source = Source::parse(&install.source, ground.bases(&context))?;
    if let (Delivery::Link, Source::GitHub(repository)) = (install.delivery, &source) {
        return Err(github::not_linked(repository, &context.runtime.github));
    }
    if let Source::Web(url) = &source
        && is_manifest(Path::new(url.path()))
    {
        return Err(Error::new(Code::InvalidParams, "A manifest on the web is not installed by itself.")
            .hint("It names files beside it. Save them all in a folder: /install FOLDER")
            .hint("Or install the repository that holds them: /install github:owner/repo"));
    }
    // As it was given, but for a path, which means something else in another topic.
    let given = match &source {
        Source::Path(path) => workspace.display(path),
        _ => install.source,
    };
    let gathered = gather(source, &ground, &context).await?;
    // Words from elsewhere, on one line and in quotes.
    let hint = gathered.hint.as_ref().map(|hint| format!("Its author says: {}", quoted(hint)));
    let link = link(install.delivery, &gathered, &given).map_err(|error| error.hints(hint.clone()))?;
    let packages = Packages::of(workspace);
    let Gathered { files, stem, commit, .. } = gathered;
    let choice = install.choice;
    let source = if given.is_empty() { stem.clone() } else { given };
    let copy = if link.is_some() { Copy::Nothing } else { Copy::Files };
    let from = Provenance { source, link, commit };
    let staged = blocking::run(move || Staged::new(&packages, files, copy)).await?;
    let staged = check_scripts(staged, context.runtime.scripts.as_ref()).await?;
    let known = context.runtime.tools.of(workspace.home()).await;
    let done = blocking::run(move || staged.install(&stem, from, &choice, &known)).await?;
    let mut lines = vec![reply(&done)];
    for other in &done.gave_way {
        lines.push(format!("{}:{} gave way.", other.record.kind.as_str(), other.name));
        lines.extend(close_topics(&other.name, &mut context).await?);
    }
    if let Some(before) = &done.before {
        lines.extend(follow(before, &done.package, &mut context).await?);
    }
    lines.extend(hint);
    Ok(lines.join("\n"))
}

/// The page to link to, if the package is to be linked. Its author may have decided.
fn link(asked: Delivery, gathered: &Gathered, given: &str) -> Result<Option<String>> {
    let made_for = |how: &str, command: String| {
        let message = format!("This package is made to be {how}.");
        Err(Error::new(Code::InvalidPackage, message).hint(format!("Install it so: {command}")))
    };
    match (asked, &gathered.page) {
        (Delivery::Link, Some(_)) if gathered.wanted == Delivery::Local => {
            made_for("copied", format!("/install {given}"))
        }
        (Delivery::Link, Some(page)) => Ok(Some(page.to_string())),
        _ if gathered.wanted == Delivery::Link => made_for("linked", format!("/install --link {given}")),
        (Delivery::Link, None) => {
            Err(Error::new(Code::InvalidParams, "Only a page on the web can be linked.")
                .hint("Install a local package without --link."))
        }
        _ => Ok(None),
    }
}

/// Open topics of an app go on with its new version. Another package finds none, and nothing that they have left.
async fn follow(before: &Record, package: &Package, context: &mut Context<'_>) -> Result<Vec<String>> {
    if before.identity() != package.record.identity() {
        return close_topics(&package.name, context).await;
    }
    let sessions = context.topics.list().into_iter();
    let concerned = sessions.filter(|session| session.topic.app_name() == Some(&package.name));
    concerned.for_each(|session| session.note_replaced());
    Ok(Vec::new())
}

/// Removes the topics of an app, and says which.
async fn close_topics(app: &Name, context: &mut Context<'_>) -> Result<Vec<String>> {
    let closed = context.runtime.close_app(&context.agent.id, app, &context.session.topic).await?;
    let mut lines = Vec::new();
    for (topic, closed) in closed {
        match closed {
            Closed::Gone => lines.push(format!("Closed topic: {topic}")),
            // The only topic stays, without the page that is gone.
            Closed::Stays => context.state.page = None,
        }
    }
    Ok(lines)
}

pub async fn uninstall(uninstall: Uninstall, mut context: Context<'_>) -> Result<String> {
    let workspace = &context.agent.workspace;
    let packages = Packages::of(workspace);
    let Uninstall { name, variables: fate } = uninstall;
    let removed = match blocking::run(move || packages.remove(&name).map_err(|missing| (name, missing))).await
    {
        Ok(removed) => removed,
        Err((name, missing)) if fate == Variables::Purge && missing.code == Code::NotFound => {
            return purge_left(&name, workspace).await.unwrap_or(Err(missing));
        }
        Err((_, error)) => return Err(error),
    };
    let kind = removed.record.kind.as_str();
    let mut lines = vec![format!("Uninstalled {kind}:{}", removed.name)];
    let variables = variables_of(&removed.name, workspace);
    match (fate, variables.is_dir()) {
        (Variables::Purge, true) => {
            purge(variables).await?;
            lines.push("Its variables are gone too.".to_owned());
        }
        (Variables::Keep, true) => {
            lines.push(format!("Its variables stay: {}", workspace.display(&variables)));
        }
        (_, false) => {}
    }
    lines.splice(1..1, close_topics(&removed.name, &mut context).await?);
    Ok(lines.join("\n"))
}

/// Removes the variables that a package has left; none if there are none.
async fn purge_left(name: &str, workspace: &Workspace) -> Option<Result<String>> {
    let name = Name::parse(name)?;
    let variables = Some(variables_of(&name, workspace)).filter(|variables| variables.is_dir())?;
    let purged = purge(variables).await;
    Some(purged.map(|()| format!("{name} was uninstalled before. Its variables are gone too.")))
}

fn variables_of(name: &Name, workspace: &Workspace) -> PathBuf {
    workspace.home().join(".string/apps").join(name.as_str())
}

async fn purge(variables: PathBuf) -> Result<()> {
    let purged = variables.clone();
    let removed = blocking::run(move || std::fs::remove_dir_all(purged)).await;
    removed.map_err(|error| Error::new(Code::LoadError, format!("{}: {error}", variables.display())))
}

fn reply(done: &Installed) -> String {
    let package = &done.package;
    let (kind, name) = (package.record.kind, &package.name);
    let version = |record: &Record| record.version.clone().unwrap_or_else(|| "(no version)".to_owned());
    if let Some(before) = done.before.as_ref().filter(|before| before.kind != kind) {
        let (before, kind) = (before.kind.as_str(), kind.as_str());
        return format!("Installed {kind}:{name}{} in place of {before}:{name}", named(&done.tools));
    }
    if done.before.is_some() && !package.has_page() {
        return format!("Updated {}:{name}{}", kind.as_str(), named(&done.tools));
    }
    if let Some(before) = &done.before {
        return format!(
            "Updated {}:{name} {} → {}",
            kind.as_str(),
            version(before),
            version(&package.record)
        );
    }
    match (kind, &done.tools[..]) {
        (Kind::App, _) => format!("Installed app:{name} — string app:{name} /open"),
        (Kind::Tool, [tool]) if package.record.name == *tool => {
            format!("Installed tool:{tool} — /tool:{tool} --help")
        }
        (Kind::Tool, tools) if !package.has_page() => {
            format!("Installed tool:{name}{} — string tool /list", named(tools))
        }
        (Kind::Tool, _) => format!("Installed tool:{name} — /tool:{name} --help"),
    }
}

/// The tools of a package behind its name; a skill may have none.
fn named(tools: &[String]) -> String {
    if tools.is_empty() { String::new() } else { format!(": {}", tools.join(", ")) }
}
