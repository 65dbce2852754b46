//! The tool hub: which tools are installed.

use serde_json::json;

use super::agent::Format;
use crate::command::{Arguments, Context};
use crate::error::Result;
use crate::package::{Kind, Package, Packages};
use crate::reply::with_body;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    List(Format),
}

impl Command {
    pub fn parse(arguments: Arguments<'_>) -> Result<Self> {
        let mut words = arguments.words()?;
        let format = if words.switch("--json") { Format::Json } else { Format::Text };
        words.done()?;
        Ok(Self::List(format))
    }
}

pub fn run(command: Command, context: &Context<'_>) -> Result<String> {
    match command {
        Command::List(Format::Text) => Ok(with_body("Tools", &list(context)?)),
        Command::List(Format::Json) => {
            let rows = tools(context)?;
            Ok(format!("{:#}", serde_json::Value::from_iter(rows.iter().map(row_json))))
        }
    }
}

pub fn list(context: &Context<'_>) -> Result<String> {
    let rows: Vec<[String; 3]> = tools(context)?.iter().map(row).collect();
    Ok(if rows.is_empty() { "No tools are installed.".to_owned() } else { super::columns(&rows) })
}

fn tools(context: &Context<'_>) -> Result<Vec<Package>> {
    let mut packages = Packages::of(&context.agent.workspace).list()?;
    packages.retain(|package| package.record.kind == Kind::Tool);
    Ok(packages)
}

fn row(package: &Package) -> [String; 3] {
    let record = &package.record;
    [format!("tool:{}", package.name), record.version.clone().unwrap_or_default(), record.source.clone()]
}

fn row_json(package: &Package) -> serde_json::Value {
    let record = &package.record;
    json!({
        "name": package.name.as_str(),
        "version": record.version,
        "namespace": record.namespace,
        "source": record.source,
    })
}
