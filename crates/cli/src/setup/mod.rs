//! `string --setup CLIENT`: what a client of the Model Context Protocol must be told to find String.

mod args;
mod client;
mod file;
mod json;
mod toml;

use std::path::Path;

pub(crate) use client::Client;

use crate::environment::Environment;
use crate::failure::{Failure, Status};
use crate::mcp::Listing;
use crate::output;

/// The name under which clients know this server.
const NAME: &str = "string";
/// The variables that an entry may set: those that are not set any more go, and all others are the user's.
const VARIABLES: [&str; 2] = ["STRING_ROOT", "STRING_PORT"];
/// What an entry for a server that is not started but called over the network holds. Both at once make no sense.
const CALLED: [&str; 6] =
    ["type", "url", "headers", "http_headers", "env_http_headers", "bearer_token_env_var"];

/// Prints the configuration, or merges it into the client's own file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Act {
    Print,
    Write,
}

/// How a client starts this program.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Start {
    command: String,
    /// Who the client speaks as, if it was said.
    agent: Option<String>,
    /// Whether it is told of the installed tools.
    tools: bool,
    env: Vec<(String, String)>,
}

/// What merging made of a file.
#[derive(Debug, PartialEq, Eq)]
enum Merged {
    /// It says the same already.
    Same,
    Changed(String),
}

pub(crate) fn run(
    client: Client,
    act: Act,
    agent: Option<&str>,
    listing: Listing,
    environment: &Environment,
) -> Result<Status, Failure> {
    let start = Start::of(agent, listing, environment)?;
    let path = client.file(environment)?;
    let speaks_as = agent.map(|id| format!("--agent {id} ")).unwrap_or_default();
    let lists = if start.tools { " --tools" } else { "" };
    let command = format!("string {speaks_as}--setup {}{lists}", client.name());
    match act {
        Act::Print => {
            output::print(&client.snippet(&start)?)?;
            let place = path.display();
            output::notice(&format!("this belongs in {place}. To merge it there: {command} --write"));
        }
        Act::Write => output::print(&write(client, &start, &path, &command)?)?,
    }
    Ok(Status::Done)
}

/// Merges into the client's file. `command` prints what belongs there.
fn write(client: Client, start: &Start, path: &Path, command: &str) -> Result<String, Failure> {
    let before = file::read(path)?;
    let merged = client.merge(before.as_deref().unwrap_or_default(), start).map_err(|why| {
        let place = path.display();
        Failure::failed(format!(
            "{place} was left as it is: {why}.\n  Repair it, or add this by hand: {command}"
        ))
    })?;
    let Merged::Changed(text) = merged else {
        return Ok(format!("{} knows String already. Nothing was changed.", client.title()));
    };
    let backup = file::replace(path, before.as_deref(), &text)?;
    let kept = backup.map(|backup| format!("\nThe file as it was: {}", backup.display())).unwrap_or_default();
    let title = client.title();
    Ok(format!("Wrote {}{kept}\nStart {title} anew, and it knows String.", path.display()))
}

impl Start {
    fn of(agent: Option<&str>, listing: Listing, environment: &Environment) -> Result<Self, Failure> {
        let text = |what: &str, path: &Path| {
            let unicode = path.to_str().map(str::to_owned);
            unicode.ok_or_else(|| Failure::failed(format!("the path of {what} is not Unicode")))
        };
        let program = environment.program.as_deref();
        let program = program.ok_or_else(|| Failure::failed("cannot tell where this program lies"))?;
        // The daemon that the client reaches shall be the one that this command would reach.
        let [root, port] = VARIABLES;
        let mut env = Vec::new();
        if environment.root.is_some() {
            env.push((root.to_owned(), text(root, environment.root()?.path())?));
        }
        if environment.port.is_some() {
            env.push((port.to_owned(), environment.port()?.to_string()));
        }
        let command = text("this program", program)?;
        Ok(Self { command, agent: agent.map(str::to_owned), tools: listing == Listing::Installed, env })
    }
}
