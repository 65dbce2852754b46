//! SFMD tools: documents whose actions are called without leaving the current topic.

use std::path::PathBuf;

use sfmd::Id;

use crate::agent::Workspace;
use crate::document::{Library, Opened, Page, Source};
use crate::error::{Code, Error, Result, nearest, quoted};

/// How many tools an error names.
const NAMED_MAX: usize = 30;

/// `NAME[.ACTION]`, as it follows `/tool:`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    pub tool: String,
    pub action: Option<String>,
}

impl Name {
    pub fn parse(text: &str) -> Self {
        match text.split_once('.') {
            Some((tool, action)) => Self { tool: tool.to_owned(), action: Some(action.to_owned()) },
            None => Self { tool: text.to_owned(), action: None },
        }
    }
}

/// Loads the document of a tool.
pub async fn load(name: &str, workspace: &Workspace) -> Result<Box<Page>> {
    // Only such names are looked for, so that none can lead to another directory.
    if Id::parse(name).is_some() {
        for place in places(workspace) {
            let library = Library { workspace: &place };
            match library.open(&Source::File(place.home().join(format!("{name}.md")))).await {
                Ok(Opened::Page(page)) => return Ok(page),
                Ok(Opened::Binary { .. }) => {}
                Err(error) if error.code == Code::NotFound => {}
                Err(error) => return Err(error),
            }
        }
    }
    Err(not_found(name, workspace))
}

/// Where tools lie, first come first served. Each is a workspace of its own: a tool reaches its own files, also
/// where the agent's commands do not.
fn places(workspace: &Workspace) -> Vec<Workspace> {
    let own = workspace.home().join(".string");
    let directories: [PathBuf; 2] = [workspace.home().join("tools"), own.join("tools")];
    let exists = |directory: &PathBuf| directory.is_dir();
    let place = |directory: PathBuf| Workspace::new(directory, Vec::new(), own.clone());
    directories.into_iter().filter(exists).map(place).collect()
}

fn not_found(name: &str, workspace: &Workspace) -> Error {
    let mut known: Vec<String> = Vec::new();
    for place in places(workspace) {
        let names = place.find(place.home()).ok().and_then(|found| found.list().ok()).unwrap_or_default();
        let tools =
            names.iter().filter_map(|name| name.strip_suffix(".md")).filter(|name| Id::parse(name).is_some());
        known.extend(tools.map(str::to_owned));
    }
    let near = nearest(name, known.iter().map(String::as_str)).map(|name| format!("Did you mean {name}?"));
    known.truncate(NAMED_MAX);
    let list = match known.is_empty() {
        true => "There are none. A tool is a file such as ~/tools/shout.md.".to_owned(),
        false => format!("Tools: {}", known.join(", ")),
    };
    Error::new(Code::NotFound, format!("No tool {}.", quoted(name))).hints(near).hint(list)
}
