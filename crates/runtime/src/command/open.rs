//! `/open`: a document, a block of it, or another topic.

mod filled;
mod find;
mod flags;

use std::path::PathBuf;

use filled::Aim;
use find::find;
use flags::Flags;
pub use flags::{edited, strip_from};
use sfmd::Requirement;

use super::follow::{Followed, follow};
use super::ground::{self, Ground};
use super::{Answer, Context, act};
use crate::action::{Effects, Ran};
use crate::document::{
    Extent, Library, Opened, Page, Reading, Source, Target, Web, is_blank, named_with_sign,
};
use crate::error::{Code, Error, Result, quoted};
use crate::hub;
use crate::reply::{with_body, with_parts};
use crate::substitute::Mark;
use crate::topic::Topic;
use crate::variable::{Claimant, required};

/// What a target turned out to be, from its text alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// Nothing named: the page of a hub, or an app's entry page.
    Entry,
    /// Another part of the current document.
    Current(Extent),
    /// Another topic, where the command then runs.
    Topic(Topic),
    Document {
        target: String,
        extent: Extent,
        reading: Reading,
    },
}

impl What {
    pub fn parse(text: &str) -> Result<Self> {
        let Flags { target, extent, reading } = Flags::split(text)?;
        if target.is_empty() {
            return Ok(if extent == Extent::Start { Self::Entry } else { Self::Current(extent) });
        }
        if is_blank(target) {
            return Err(nothing_named());
        }
        match Topic::canonical_target(target) {
            Some(topic) => topic.map(Self::Topic),
            None => Ok(Self::Document { target: target.to_owned(), extent, reading }),
        }
    }
}

pub async fn run(what: What, context: Context<'_>) -> Result<Answer> {
    match (&context.session.topic, what) {
        (Topic::Hub(hub), What::Entry | What::Current(_) | What::Topic(_)) => {
            Ok(hub::page(*hub, &context).await.into())
        }
        (Topic::Hub(hub), What::Document { .. }) => {
            let message = format!("The hub {} shows its own page only.", hub.as_str());
            Err(Error::new(Code::CommandUnsupported, message).hint("Open documents in a tab, such as main."))
        }
        (Topic::Bash(_), What::Entry | What::Current(_) | What::Topic(_)) => {
            Ok(super::info::run(&context).await?.into())
        }
        (topic @ Topic::Bash(_), What::Document { .. }) => {
            let message = format!("{topic} holds a shell, not a document.");
            Err(Error::new(Code::CommandUnsupported, message)
                .hint("Open documents in a tab, such as main. Topics can be opened here: //open bash, //open app:NAME"))
        }
        (Topic::Tab(_) | Topic::App { .. }, What::Document { target, extent, reading }) => {
            open(&target, extent, reading, context).await
        }
        (Topic::Tab(_) | Topic::App { .. }, What::Current(extent)) => {
            let ground = Ground::of(&context)?;
            open_current(None, extent, &ground, context).await
        }
        (Topic::App { .. }, What::Entry | What::Topic(_)) => open_entry(context).await,
        (Topic::Tab(_), What::Entry | What::Topic(_)) => Err(nothing_named()),
    }
}

/// What was found out about a page before it is shown. The page may still be shown nowhere.
#[derive(Debug, Default)]
pub struct Before {
    extent: Extent,
    /// The required variables without a value.
    missing: Vec<Requirement>,
    /// What its default action gave.
    default: Option<Ran>,
}

impl Before {
    pub async fn of(page: &Page, extent: Extent, context: &Context<'_>) -> Self {
        // A block is shown without the lines that a page has before it.
        let missing = match page.location.block {
            Some(_) => Vec::new(),
            None => act::missing(page, context).await.into_iter().cloned().collect(),
        };
        let default = match extent {
            Extent::Start => act::default(page, context).await,
            Extent::From(_) | Extent::Outline => None,
        };
        Self { extent, missing, default }
    }
}

/// The reply that shows a page, and what its default action changes. `verb` is the word before the location.
pub fn shown(
    verb: &str,
    page: &Page,
    before: Before,
    ground: &Ground,
    context: &mut Context<'_>,
) -> Result<(String, Effects)> {
    let Before { extent, missing, default } = before;
    let workspace = ground.workspace();
    let claimant = act::claimant(page, context);
    // Apps and tools say what they need as errors do; of other documents it is a line of the page.
    let (above, missing) = match claimant {
        Claimant::App | Claimant::Tool => {
            (required(claimant, &missing.iter().collect::<Vec<_>>(), page.setup.as_ref()), Vec::new())
        }
        Claimant::Document => (None, missing),
    };
    let above = above.map(|error| format!("{error}\n\n")).unwrap_or_default();
    let view = page.view(extent, &mut context.state.menus, &missing, workspace)?;
    let (below, effects) = match default {
        Some(Ran { reply, effects }) => {
            (format!("\n\n---\n\n{}", reply.unwrap_or_else(|error| error.to_string())), effects)
        }
        None => (String::new(), Effects::default()),
    };
    let notes: String = page.notes.iter().map(|note| format!(" · {note}")).collect();
    let status = format!("{verb} {}{notes}", page.name(workspace));
    Ok((with_parts(&status, &[&above, &view, &below]), effects))
}

fn nothing_named() -> Error {
    Error::new(Code::InvalidParams, "Nothing to open was named.").hint("Usage: /open TARGET")
}

pub fn no_document() -> Error {
    Error::new(Code::NotFound, "No document open.").hint("Open one: /open report.md")
}

/// Loads an app's entry page without showing it, for commands that work on a page.
pub async fn ensure_entry(context: &mut Context<'_>) -> Result<()> {
    if context.state.page.is_some() || !matches!(context.session.topic, Topic::App { .. }) {
        return Ok(());
    }
    let ground = Ground::of(context)?;
    let Some(entry) = ground.entry() else { return Ok(()) };
    if let Opened::Page(mut page) = ground.library(context).open(&entry, Reading::Main).await? {
        ground.label(&mut page);
        context.state.enter(page);
    }
    Ok(())
}

async fn open_entry(context: Context<'_>) -> Result<Answer> {
    let ground = Ground::of(&context)?;
    let entry = ground.entry().ok_or_else(no_document)?;
    let opened = ground.library(&context).open(&entry, Reading::Main).await?;
    enter(opened, None, None, Extent::Start, &ground, context).await
}

async fn open(text: &str, extent: Extent, reading: Reading, mut context: Context<'_>) -> Result<Answer> {
    let ground = Ground::of(&context)?;
    let Aim { text, block, mark, confined } = filled::aim(text, ground.bases(&context), &context).await?;
    if block.is_none() && is_blank(&text) {
        return Err(nothing_named());
    }
    ground.check_text(&text)?;
    if text.starts_with('@') {
        // In an app's topic a shortcut is one of its entry page, until another page is opened.
        ensure_entry(&mut context).await?;
    }
    let bases = ground.bases(&context);
    let target = match block {
        Some(block) => Target::of(&text, Some(block), bases),
        None => Target::parse(&text, bases),
    };
    let target = target.map_err(|error| {
        Error::new(Code::InvalidParams, format!("{} cannot be opened: {error}.", quoted(&text)))
            .hint("Open a file by its path, such as ~/notes/a.md, or a page such as https://example.com/a")
    })?;
    let library = ground.library(&context);
    let mut directory = None;
    let (opened, block) = match target {
        Target::Block(block) => return open_current(Some(block), extent, &ground, context).await,
        Target::Path { .. } if mark.from_web => return Err(chosen_file(&text)),
        Target::Path { candidates, block } => {
            ground.check(&Source::File(candidates.literal.clone()))?;
            let whole = block.as_ref().map(|block| named_with_sign(&candidates.literal, block));
            let (opened, path) = match (find(candidates, library).await, whole) {
                (Err(missing), Some(whole)) if missing.code == Code::NotFound => {
                    let opened =
                        library.open(&Source::File(whole), Reading::Main).await.map_err(|_| missing)?;
                    return enter(opened, None, None, extent, &ground, context).await;
                }
                (found, _) => found.map_err(|error| ground.missing(error))?,
            };
            // What opened as an index or a listing is a directory.
            let is_directory =
                matches!(&opened, Opened::Page(page) if page.location.source.directory() == Some(&path));
            directory = is_directory.then_some(path);
            (opened, block)
        }
        Target::Web { url, block } => {
            let source = Source::Web(url);
            (open_for(mark, &source, reading, &confined, &ground, &context).await?, block)
        }
        Target::Shortcut { id, block } => match follow(&id, context.state, ground.workspace())? {
            Followed::Topic(topic) => return Ok(Answer::Elsewhere(topic)),
            Followed::Location(location, mark) => {
                let opened = open_for(mark, &location.source, reading, &[], &ground, &context).await?;
                (opened, block.or(location.block))
            }
        },
    };
    enter(opened, block, directory, extent, &ground, context).await
}

/// Opens what a target or a link leads to. What a page from the web chose may lead only where that page could.
async fn open_for(
    mark: Mark,
    source: &Source,
    reading: Reading,
    confined: &[String],
    ground: &Ground,
    context: &Context<'_>,
) -> Result<Opened> {
    ground.check(source)?;
    if mark.from_web && !matches!(source, Source::Web(_)) {
        return Err(chosen_file(&source.display(ground.workspace())));
    }
    let asker = ground::asker(mark, context.state.page.as_deref());
    let web = Web { confined, ..ground::web(context, asker) };
    let library = Library { web, ..ground.library(context) };
    library.open(source, reading).await.map_err(|error| match error.code {
        Code::NotAllowed if mark.from_web => error.hint("If it is meant, write it out: /open ADDRESS"),
        _ => error,
    })
}

fn chosen_file(shown: &str) -> Error {
    let message = format!("A page from the web may not name files of yours: {}", quoted(shown));
    Error::new(Code::NotAllowed, message).hint("If it is meant, write it out: /open PATH")
}

/// Shows a block of the current document, or more of it than was shown; in an app topic of its entry page.
async fn open_current(
    block: Option<String>,
    extent: Extent,
    ground: &Ground,
    mut context: Context<'_>,
) -> Result<Answer> {
    ensure_entry(&mut context).await?;
    let mut page = context.state.page.take().ok_or_else(no_document)?;
    let previous = page.location.block.clone();
    if let Some(block) = block {
        page.location.block = Some(page.part_named(&block).unwrap_or(block));
    }
    let reply = shown("Opened", &page, Before { extent, ..Before::default() }, ground, &mut context);
    if reply.is_err() {
        page.location.block = previous;
    }
    let is_shown = reply.is_ok();
    context.state.page = Some(page);
    if is_shown {
        context.state.saw_page();
    }
    reply.map(|(reply, _)| reply.into())
}

/// Makes what was opened the current page, if it is one, and shows it. `directory` is where relative paths start then.
async fn enter(
    opened: Opened,
    block: Option<String>,
    directory: Option<PathBuf>,
    extent: Extent,
    ground: &Ground,
    mut context: Context<'_>,
) -> Result<Answer> {
    match opened {
        Opened::Page(mut page) => {
            page.go_to(block);
            ground.label(&mut page);
            let before = Before::of(&page, extent, &context).await;
            let (reply, effects) = shown("Opened", &page, before, ground, &mut context)?;
            context.state.enter(page);
            if directory.is_some() {
                context.state.directory = directory;
            }
            effects.apply(context.state);
            Ok(reply.into())
        }
        Opened::Binary { name, summary } => Ok(with_body(&format!("Opened {name}"), &summary).into()),
    }
}

/// The number in `L480` or `480`.
pub fn parse_line(text: &str) -> Option<usize> {
    text.trim().trim_start_matches(['L', 'l']).parse().ok().filter(|number| *number > 0)
}

pub fn not_a_line(text: &str) -> String {
    format!("Not a line: {}", quoted(text))
}
