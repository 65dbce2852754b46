//! `/open`: a document, a block of it, or another topic.

use std::path::PathBuf;

use super::{Answer, Context};
use crate::agent::Workspace;
use crate::document::{Bases, Candidates, Extent, Library, Location, Opened, Page, Source, Target};
use crate::error::{Code, Error, Result, nearest, quoted};
use crate::hub;
use crate::reply::with_body;
use crate::session::State;
use crate::topic::Topic;

/// What a target turned out to be, from its text alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// Nothing named: the page of a hub, or an app's entry page.
    Entry,
    /// Another topic, where the command then runs.
    Topic(Topic),
    Document {
        target: String,
        extent: Extent,
    },
}

impl What {
    pub fn parse(text: &str) -> Result<Self> {
        let (target, extent) = split_flags(text)?;
        if target.is_empty() {
            return Ok(Self::Entry);
        }
        match Topic::canonical_target(target) {
            Some(topic) => topic.map(Self::Topic),
            None => Ok(Self::Document { target: target.to_owned(), extent }),
        }
    }
}

pub async fn run(what: What, context: Context<'_>) -> Result<Answer> {
    match (&context.session.topic, what) {
        (Topic::Hub(hub), What::Entry | What::Topic(_)) => Ok(hub::page(*hub, &context).await.into()),
        (Topic::Hub(hub), What::Document { .. }) => {
            let message = format!("The hub {} shows its own page only.", hub.as_str());
            Err(Error::new(Code::CommandUnsupported, message).hint("Open documents in a tab, such as main."))
        }
        (Topic::Bash(_), _) => Ok(super::info::run(&context).await?.into()),
        (Topic::App { name, .. }, _) => {
            Err(Error::new(Code::NotFound, format!("No app {name} is installed."))
                .hint("string app shows what is installed."))
        }
        (Topic::Tab(_), What::Document { target, extent }) => open(&target, extent, context).await,
        (Topic::Tab(_), What::Entry | What::Topic(_)) => {
            Err(Error::new(Code::InvalidParams, "Nothing to open was named.").hint("Usage: /open TARGET"))
        }
    }
}

/// The reply that shows a page. `verb` is the word before the location.
pub fn shown(
    verb: &str,
    page: &Page,
    extent: Extent,
    state: &mut State,
    workspace: &Workspace,
) -> Result<String> {
    let view = page.view(extent, &mut state.menus, workspace)?;
    let notes: String = page.notes.iter().map(|note| format!(" · {note}")).collect();
    Ok(with_body(&format!("{verb} {}{notes}", page.location.display(workspace)), &view))
}

pub fn no_document() -> Error {
    Error::new(Code::NotFound, "No document open.").hint("Open one: /open report.md")
}

async fn open(text: &str, extent: Extent, context: Context<'_>) -> Result<Answer> {
    let Context { agent, state, caller, .. } = context;
    let workspace = &agent.workspace;
    let library = Library { workspace };
    let bases = Bases {
        workspace,
        page: state.page.as_ref().map(|page| &page.location.source),
        directory: state.directory.as_deref(),
        caller: caller.cwd.as_deref(),
    };
    let target = Target::parse(text, bases).map_err(|error| unreachable(text, &error.to_string()))?;
    let (opened, block) = match target {
        Target::Block(block) => {
            let mut page = state.page.take().ok_or_else(no_document)?;
            let before = page.location.block.replace(block);
            let reply = shown("Opened", &page, extent, state, workspace);
            if reply.is_err() {
                page.location.block = before;
            }
            state.page = Some(page);
            return reply.map(Answer::from);
        }
        Target::Path { candidates, block } => {
            let (opened, path) = find(candidates, library).await?;
            // What opened as an index or a listing is a directory.
            if matches!(&opened, Opened::Page(page) if page.location.source != Source::File(path.clone())) {
                state.directory = Some(path);
            }
            (opened, block)
        }
        Target::Web { url, block } => (library.open(&Source::Web(url)).await?, block),
        Target::Shortcut { id, block } => match follow(&id, state, workspace)? {
            Followed::Topic(topic) => return Ok(Answer::Elsewhere(topic)),
            Followed::Location(location) => (library.open(&location.source).await?, block.or(location.block)),
        },
    };
    match opened {
        Opened::Page(mut page) => {
            page.location.block = block;
            let reply = shown("Opened", &page, extent, state, workspace)?;
            state.enter(page);
            Ok(reply.into())
        }
        Opened::Binary { name, summary } => Ok(with_body(&format!("Opened {name}"), &summary).into()),
    }
}

/// The first reading of a path that exists, and that path.
async fn find(candidates: Candidates, library: Library<'_>) -> Result<(Opened, PathBuf)> {
    let Candidates { literal, decoded, beside } = candidates;
    let missing = match library.open(&Source::File(literal.clone())).await {
        Err(error) if error.code == Code::NotFound => error,
        other => return other.map(|opened| (opened, literal)),
    };
    if let Some(decoded) = decoded {
        match library.open(&Source::File(decoded.clone())).await {
            Err(error) if error.code == Code::NotFound => {}
            other => return other.map(|opened| (opened, decoded)),
        }
    }
    // Only what could be opened is hinted at: a link must not tell whether its target exists.
    let neighbour = beside.filter(|beside| library.workspace.find(&beside.path).is_ok());
    let hint =
        neighbour.map(|beside| format!("It exists beside the current document: /open {}", beside.target));
    Err(missing.hints(hint))
}

/// Where a shortcut leads.
#[derive(Debug)]
pub enum Followed {
    Location(Location),
    Topic(Topic),
}

/// Looks a shortcut up: on the page, then in the menus.
pub fn follow(id: &str, state: &State, workspace: &Workspace) -> Result<Followed> {
    let on_page = state.page.as_ref().and_then(|page| page.shortcut(id));
    let (href, base) = match on_page {
        Some(shortcut) => (&shortcut.href, Source::from_origin(&shortcut.origin)),
        None => {
            let (menu, entry) = state.menus.entry(id).ok_or_else(|| no_shortcut(id, state))?;
            (&entry.href, menu.source.clone())
        }
    };
    if let Some(topic) = Topic::canonical_target(href) {
        return topic.map(Followed::Topic);
    }
    let (path, block) = match href.split_once('#') {
        Some((path, block)) if !block.is_empty() => (path, Some(block.to_owned())),
        _ => (href.as_str(), None),
    };
    let source = if path.is_empty() { Ok(base) } else { base.join(path, workspace) };
    let source = source.map_err(|error| unreachable(href, &error.to_string()))?;
    Ok(Followed::Location(Location { source, block }))
}

fn no_shortcut(id: &str, state: &State) -> Error {
    let page =
        state.page.iter().flat_map(|page| page.content().shortcuts()).map(|shortcut| shortcut.id.clone());
    let menus = state.menus.all().iter();
    let menus = menus.flat_map(|menu| menu.entries.iter().map(|entry| format!("{}.{}", menu.name, entry.id)));
    let known: Vec<String> = page.chain(menus).collect();
    let near = nearest(id, known.iter().map(String::as_str)).map(|name| format!("Did you mean @{name}?"));
    Error::new(Code::NotFound, format!("No shortcut {}.", quoted(&format!("@{id}"))))
        .hints(near)
        .hint("See them all: /nav --resolve")
}

fn unreachable(target: &str, why: &str) -> Error {
    Error::new(Code::InvalidParams, format!("{} cannot be opened: {why}.", quoted(target)))
}

/// Takes the flags off both ends of a target, which may itself hold spaces.
fn split_flags(text: &str) -> Result<(&str, Extent)> {
    let mut target = text.trim();
    let mut extent = Extent::Start;
    if let Some(rest) = target.strip_prefix("--outline ").or_else(|| target.strip_suffix(" --outline")) {
        (target, extent) = (rest.trim(), Extent::Outline);
    }
    if let Some((rest, line)) = target.rsplit_once(" --from ") {
        let number = line.trim().trim_start_matches(['L', 'l']).parse();
        let number = number.ok().filter(|number| *number > 0).ok_or_else(|| {
            Error::new(Code::InvalidParams, format!("Not a line: {}", quoted(line)))
                .hint("Usage: /open TARGET --from L480")
        })?;
        (target, extent) = (rest.trim(), Extent::From(number));
    }
    Ok((target, extent))
}
