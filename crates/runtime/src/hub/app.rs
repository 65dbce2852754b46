//! The app hub: what is installed, and which app topics are open.

use serde_json::json;

use super::agent::Format;
use crate::command::table::Verb;
use crate::command::{Arguments, Context};
use crate::error::Result;
use crate::package::{Kind, Package, Packages, parse_name};
use crate::reply::with_body;
use crate::topic::{Kind as TopicKind, Name};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    List(Format),
    Info(Name),
}

impl Command {
    pub fn parse(verb: Verb, arguments: Arguments<'_>) -> Result<Self> {
        let mut words = arguments.words()?;
        let command = match verb {
            Verb::AppList if words.switch("--json") => Self::List(Format::Json),
            Verb::AppList => Self::List(Format::Text),
            Verb::AppInfo => Self::Info(parse_name(words.required("NAME")?.trim_start_matches("app:"))?),
            other => unreachable!("{other:?} is not a word of the app hub"),
        };
        words.done()?;
        Ok(command)
    }
}

pub fn run(command: &Command, context: &Context<'_>) -> Result<String> {
    match command {
        Command::List(Format::Text) => Ok(with_body("Apps", &list(context)?)),
        Command::List(Format::Json) => {
            let rows = apps(context)?;
            Ok(format!("{:#}", serde_json::Value::from_iter(rows.iter().map(row_json))))
        }
        Command::Info(name) => {
            let package = Packages::of(&context.agent.workspace).installed(name, Kind::App)?;
            Ok(with_body(&format!("App: {name}"), &details(&package, context)))
        }
    }
}

/// The installed apps, then the open app topics.
pub fn list(context: &Context<'_>) -> Result<String> {
    let rows: Vec<[String; 3]> = apps(context)?.iter().map(row).collect();
    let installed = if rows.is_empty() { "No apps are installed.".to_owned() } else { super::columns(&rows) };
    Ok(format!("{installed}\n\n{}", super::open_topics("app", TopicKind::App, context)))
}

fn apps(context: &Context<'_>) -> Result<Vec<Package>> {
    let mut packages = Packages::of(&context.agent.workspace).list()?;
    packages.retain(|package| package.record.kind == Kind::App);
    Ok(packages)
}

fn row(package: &Package) -> [String; 3] {
    let record = &package.record;
    let link = if record.link.is_some() { " (linked)" } else { "" };
    [
        format!("app:{}", package.name),
        record.version.clone().unwrap_or_default(),
        format!("{}{link}", record.source),
    ]
}

fn row_json(package: &Package) -> serde_json::Value {
    let record = &package.record;
    json!({
        "name": package.name.as_str(),
        "version": record.version,
        "namespace": record.namespace,
        "source": record.source,
        "link": record.link,
    })
}

fn details(package: &Package, context: &Context<'_>) -> String {
    let record = &package.record;
    let rows = [
        ["name:", &record.name],
        ["namespace:", record.namespace.as_deref().unwrap_or("(none)")],
        ["version:", record.version.as_deref().unwrap_or("(none)")],
        ["source:", &record.source],
        ["files:", &context.agent.workspace.display(&package.dir)],
        ["open:", &format!("string app:{} /open", package.name)],
    ];
    super::columns(&rows.map(|row| row.map(str::to_owned)))
}
