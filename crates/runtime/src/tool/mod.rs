//! SFMD tools: documents whose actions are called without leaving the current topic.

use std::collections::HashSet;
use std::path::PathBuf;

use sfmd::Id;

use crate::agent::Workspace;
use crate::agent::workspace::Hidden;
use crate::document::{DOCUMENT_MAX, Library, Opened, Page, Reading, Shelf, Source, Web};
use crate::error::{Code, Error, Result, nearest, one_line, quoted};
use crate::manifest::Catalogue;
use crate::package::{Kind, Package, Packages};
use crate::topic;

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
pub async fn load(
    name: &str,
    workspace: &Workspace,
    web: Web<'_>,
    manifests: &Catalogue,
    shelf: &Shelf,
) -> Result<Box<Page>> {
    for (place, source) in candidates(name, workspace)? {
        let library = Library { workspace: &place, web, versions: None, shelf };
        match library.open(&source, Reading::Main).await {
            Ok(Opened::Page(mut page)) => {
                // A tool's files are not the caller's to open.
                page.setup = None;
                return Ok(page);
            }
            Ok(Opened::Binary { .. }) => {}
            Err(error) if error.code == Code::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Err(not_found(name, workspace, manifests))
}

/// Where a tool of that name may lie, first come first served: in the home, among String's own files, then
/// installed. Each place is a workspace of its own, so that a tool reaches its own files, also where the agent's
/// commands do not.
fn candidates(name: &str, workspace: &Workspace) -> Result<Vec<(Workspace, Source)>> {
    // Only such names are looked for, so that none can lead to another directory.
    if Id::parse(name).is_none() {
        return Ok(Vec::new());
    }
    let file = |place: Workspace| {
        let source = Source::File(place.home().join(format!("{name}.md")));
        (place, source)
    };
    let mut all: Vec<(Workspace, Source)> = folders(workspace).into_iter().map(file).collect();
    let installed = topic::Name::parse(name).map(|name| Packages::of(workspace).get(&name)).transpose()?;
    let is_page = |package: &Package| package.record.kind == Kind::Tool && package.has_page();
    let tool = installed.flatten().filter(is_page);
    all.extend(tool.map(|package| (package.workspace(), package.entry_source())));
    Ok(all)
}

fn folders(workspace: &Workspace) -> Vec<Workspace> {
    let home = workspace.home();
    let exists = |folder: &PathBuf| folder.is_dir();
    let folders = [home.join("tools"), home.join(".string/tools")];
    folders.into_iter().filter(exists).map(Workspace::of_package).collect()
}

/// The names of all tools that are documents.
pub fn names(workspace: &Workspace) -> Vec<String> {
    let mut known: Vec<String> = Vec::new();
    for folder in folders(workspace) {
        let names = folder.find(folder.home()).ok().and_then(|found| found.list(Hidden::LeftOut).ok());
        let names = names.unwrap_or_default();
        let tools = names.iter().filter_map(|name| name.strip_suffix(".md"));
        known.extend(tools.filter(|name| Id::parse(name).is_some()).map(str::to_owned));
    }
    let packages = Packages::of(workspace).list().unwrap_or_default();
    let installed = packages.iter().filter(|package| package.record.kind == Kind::Tool && package.has_page());
    known.extend(installed.map(|package| package.name.to_string()));
    // One that lies in several places is called by its name in the first.
    let mut seen = HashSet::new();
    known.retain(|name| seen.insert(name.clone()));
    known
}

/// What the document of a tool says about itself, on one line.
pub fn description(name: &str, workspace: &Workspace) -> Option<String> {
    let read = |(place, source): (Workspace, Source)| {
        let Source::File(path) = source else { return None };
        let bytes = place.find(&path).ok()?.read(DOCUMENT_MAX).ok()?;
        sfmd::parse(&String::from_utf8_lossy(&bytes)).frontmatter.description
    };
    let text = candidates(name, workspace).ok()?.into_iter().find_map(read)?;
    Some(one_line(&text.split_whitespace().collect::<Vec<_>>().join(" ")))
}

/// A tool was called without naming one of its actions, and it has no default.
pub fn no_action_named(tool: &str, page: &Page) -> Error {
    let names: Vec<String> =
        page.content().actions().map(|found| format!("/tool:{tool}.{}", found.action.id)).collect();
    let list = if names.is_empty() { "It has none.".to_owned() } else { names.join(", ") };
    Error::new(Code::InvalidParams, format!("The tool {tool} has no default action: name one.")).hint(list)
}

fn not_found(name: &str, workspace: &Workspace, manifests: &Catalogue) -> Error {
    let mut known: Vec<String> = manifests.names().map(str::to_owned).chain(names(workspace)).collect();
    let near = nearest(name, known.iter().map(String::as_str)).map(|name| format!("Did you mean {name}?"));
    known.truncate(NAMED_MAX);
    let list = match known.is_empty() {
        true => {
            "There are none. A tool is a file such as ~/tools/shout.md or ~/tools/count.tool.yaml.".to_owned()
        }
        false => format!("Tools: {}", known.join(", ")),
    };
    Error::new(Code::NotFound, format!("No tool {}.", quoted(name))).hints(near).hint(list)
}
