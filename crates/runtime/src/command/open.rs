//! `/open`: a document, a block of it, or another topic.

use std::path::PathBuf;

use super::Context;
use crate::agent::Workspace;
use crate::blocking;
use crate::document::{self, Bases, Candidates, Page, Target};
use crate::error::{Code, Error, Result};
use crate::hub;
use crate::reply::with_body;
use crate::topic::Topic;

/// What a target turned out to be, from its text alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// Nothing named: the page of a hub, or an app's entry page.
    Entry,
    /// Another topic, where the command then runs.
    Topic(Topic),
    Text(String),
}

impl What {
    pub fn parse(text: &str) -> Result<Self> {
        if text.is_empty() {
            return Ok(Self::Entry);
        }
        match Topic::canonical_target(text) {
            Some(topic) => topic.map(Self::Topic),
            None => Ok(Self::Text(text.to_owned())),
        }
    }
}

pub async fn run(what: What, context: Context<'_>) -> Result<String> {
    match (&context.session.topic, what) {
        (Topic::Hub(hub), What::Entry | What::Topic(_)) => Ok(hub::page(*hub, &context)),
        (Topic::Hub(hub), What::Text(_)) => {
            let message = format!("The hub {} shows its own page only.", hub.as_str());
            Err(Error::new(Code::CommandUnsupported, message).hint("Open documents in a tab, such as main."))
        }
        (Topic::Bash(_), _) => Ok(super::info::run(&context)),
        (Topic::App { name, .. }, _) => {
            Err(Error::new(Code::NotFound, format!("No app {name} is installed."))
                .hint("string app shows what is installed."))
        }
        (Topic::Tab(_), What::Text(text)) => open(&text, context).await,
        (Topic::Tab(_), What::Entry | What::Topic(_)) => {
            Err(Error::new(Code::InvalidParams, "Nothing to open was named.").hint("Usage: /open TARGET"))
        }
    }
}

/// The reply that shows the current page. `verb` is the word before the location.
pub fn shown(verb: &str, page: &Page, workspace: &Workspace) -> Result<String> {
    Ok(with_body(&format!("{verb} {}", page.location.display(workspace)), &page.view()?))
}

/// Loads a path off the async threads: a disk may be slow.
pub async fn load(path: PathBuf, workspace: Workspace) -> Result<Page> {
    blocking::run(move || document::load(&path, &workspace)).await
}

pub fn no_document() -> Error {
    Error::new(Code::NotFound, "No document open.").hint("Open one: /open report.md")
}

async fn open(text: &str, context: Context<'_>) -> Result<String> {
    let Context { agent, state, caller, .. } = context;
    let workspace = &agent.workspace;
    let bases = Bases { workspace, here: state.here(), caller: caller.cwd.as_deref() };
    match Target::parse(text, bases) {
        Target::Block(block) => {
            let page = state.page.as_mut().ok_or_else(no_document)?;
            let text = page.view_of(Some(&block))?;
            page.location.block = Some(block);
            Ok(with_body(&format!("Opened {}", page.location.display(workspace)), &text))
        }
        Target::Path { candidates, block } => {
            let mut page = find(candidates, workspace).await?;
            page.location.block = block;
            let reply = shown("Opened", &page, workspace)?;
            state.enter(page);
            Ok(reply)
        }
    }
}

/// The first reading of the target that exists.
async fn find(candidates: Candidates, workspace: &Workspace) -> Result<Page> {
    let Candidates { literal, decoded, beside } = candidates;
    let missing = match load(literal, workspace.clone()).await {
        Err(error) if error.code == Code::NotFound => error,
        other => return other,
    };
    if let Some(decoded) = decoded {
        match load(decoded, workspace.clone()).await {
            Err(error) if error.code == Code::NotFound => {}
            other => return other,
        }
    }
    let neighbour = beside.filter(|path| path.exists());
    let name = neighbour.as_deref().and_then(|path| path.file_name());
    Err(missing.hints(
        name.map(|name| format!("It exists beside the current document: /open ./{}", name.to_string_lossy())),
    ))
}
