//! Changing files: read, check, apply, write, remember, tell those who show the file.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::change::{self, Spot};
use super::conflict::{self, Digest, Overwrite, Seen};
use super::diff::Diff;
use super::target::{self, FileTarget, Located};
use super::{Part, Undo, count_of, reload_if_edited};
use crate::agent::Workspace;
use crate::agent::workspace::Place;
use crate::blocking;
use crate::command::Context;
use crate::document::{self, DOCUMENT_MAX};
use crate::error::{Code, Error, Result};

/// An edit that an agent asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    pub target: FileTarget,
    pub way: Way,
    pub body: String,
    pub overwrite: Overwrite,
}

/// The command that asked for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    Edit,
    Write,
    Append,
    Replace,
}

/// What is done on the disk, away from the session.
struct Job {
    workspace: Workspace,
    located: Located,
    way: Way,
    body: String,
    overwrite: Overwrite,
    /// What the topic has read.
    seen: Arc<Seen>,
}

/// What came of it.
struct Saved {
    /// With all links resolved.
    real: PathBuf,
    reply: String,
    /// None if the file was already as asked for.
    undo: Option<Undo>,
    /// What the topic knows the file to hold now; none if it does not know all of it.
    known: Option<Digest>,
}

/// Makes an edit, and gives the reply.
pub async fn save(edit: Edit, mut context: Context<'_>) -> Result<String> {
    let Edit { target, way, body, overwrite } = edit;
    let located = target.locate(context.state, context.agent, context.caller)?;
    let located = located.settled(&context.agent.workspace).await?;
    way.check(&target, &located.part)?;
    context.kept().refuse(&located, &context.agent.workspace).await?;
    let seen = Arc::clone(&context.state.seen);
    let job = Job { workspace: context.agent.workspace.clone(), located, way, body, overwrite, seen };
    let _turn = context.topics.edit_turn().await;
    let Saved { real, reply, undo, known } = blocking::run(move || job.run()).await?;
    if let Some(known) = known {
        Arc::make_mut(&mut context.state.seen).remember(real.clone(), known);
    }
    if let Some(undo) = undo {
        context.state.undo = Some(Arc::new(undo));
        tell(&real, &mut context).await;
    }
    Ok(reply)
}

/// Takes back the last edit of the topic.
pub async fn revert(mut context: Context<'_>) -> Result<String> {
    let Some(undo) = context.state.undo.clone() else {
        return Err(Error::new(Code::NotFound, "There is no edit to undo in this topic.")
            .hint("Only the last edit of a topic can be undone, and once."));
    };
    let _turn = context.topics.edit_turn().await;
    let workspace = context.agent.workspace.clone();
    let seen = Arc::clone(&context.state.seen);
    let Reverted { real, reply, known } = blocking::run(move || turn_back(&undo, &workspace, &seen)).await?;
    context.state.undo = None;
    match known {
        Known::Gone => Arc::make_mut(&mut context.state.seen).forget(&real),
        Known::Content(digest) => Arc::make_mut(&mut context.state.seen).remember(real.clone(), digest),
        Known::Not => {}
    }
    tell(&real, &mut context).await;
    Ok(reply)
}

struct Reverted {
    /// With all links resolved.
    real: PathBuf,
    reply: String,
    known: Known,
}

/// What the topic knows of a file after its edit was taken back.
enum Known {
    Gone,
    Content(Digest),
    Not,
}

impl Job {
    fn run(self) -> Result<Saved> {
        let (path, place) = self.located.place(&self.workspace)?;
        let Some(before) = target::read(&place)? else { return self.create(path, &place) };
        // Such a file may have been shown in its own encoding: writing would change every letter of it.
        if self.overwrite == Overwrite::IfSeen && std::str::from_utf8(&before).is_err() {
            return Err(document::not_text(place.shown()));
        }
        let current = Digest::of(&before);
        let real = place.path();
        let seen = self.seen.get(&real);
        let (typed, part) = (document::typed(place.shown()), &self.located.part);
        let named = format!("{}{part}", place.shown());
        if self.way != Way::Append && self.overwrite == Overwrite::IfSeen {
            conflict::check(seen, current, place.shown()).map_err(|error| {
                let unseen = format!("Or replace it unseen: {} {typed}{part} --force", self.way.word());
                error.hint(unseen)
            })?;
        }
        let after = self.changed(&before, &place)?;
        let whole = self.spot() == Spot::InPlaceOf(Part::Whole);
        let known = (whole || seen == Some(current)).then(|| Digest::of(after.as_bytes()));
        if after.as_bytes() == before {
            return Ok(Saved { real, reply: format!("✓ {named} — No changes"), undo: None, known });
        }
        let diff = Diff::between(&String::from_utf8_lossy(&before), &after);
        place.write(Some(&before), after.as_bytes())?;
        let undo = Undo::of(path, Some(&before), after.as_bytes());
        let reply = with_diff(&format!("✓ {named} — {}", diff.counts()), &diff);
        Ok(Saved { real, reply, undo: Some(undo), known })
    }

    fn create(&self, path: PathBuf, place: &Place) -> Result<Saved> {
        let shown = place.shown();
        if self.located.part != Part::Whole {
            return Err(Error::new(Code::NotFound, format!("No such file: {shown}"))
                .hint(format!("Create it: /write {}", document::typed(shown))));
        }
        let content = change::create(&self.body);
        check_size(&content, shown)?;
        place.write(None, content.as_bytes())?;
        let lines = count_of(super::lines::Lines::of(&content).count(), "line");
        let undo = Undo::of(path, None, content.as_bytes());
        let known = Some(Digest::of(content.as_bytes()));
        let reply = format!("✓ created {shown} ({lines})");
        Ok(Saved { real: place.path(), reply, undo: Some(undo), known })
    }

    fn changed(&self, before: &[u8], place: &Place) -> Result<String> {
        let shown = place.shown();
        let spot = self.spot();
        let after = match std::str::from_utf8(before) {
            Ok(text) => change::apply(text, &spot, &self.body, shown)?,
            Err(_) if spot == Spot::InPlaceOf(Part::Whole) => change::create(&self.body),
            Err(_) => return Err(document::not_text(shown)),
        };
        check_size(&after, shown)?;
        Ok(after)
    }

    fn spot(&self) -> Spot {
        match self.way {
            Way::Append => Spot::AtTheEnd,
            Way::Edit | Way::Write | Way::Replace => Spot::InPlaceOf(self.located.part.clone()),
        }
    }
}

impl Way {
    pub fn word(self) -> &'static str {
        match self {
            Self::Edit => "/edit",
            Self::Write => "/write",
            Self::Append => "/append",
            Self::Replace => "/replace",
        }
    }

    /// Whether the command can do anything with such a target.
    fn check(self, target: &FileTarget, part: &Part) -> Result<()> {
        let message = match (self, part) {
            _ if target.is_directory() => {
                let message = "A directory is no file: the path ends with a slash.";
                let named = format!("Name a file in it: {} PATH/NAME", self.word());
                return Err(Error::new(Code::InvalidParams, message).hint(named));
            }
            (Self::Replace, Part::Whole) => "Which part to replace is missing: #BLOCK, :L5 or :L5-L10.",
            (Self::Append, Part::Block(_) | Part::Lines(_)) => "Text is added at the end of the file only.",
            _ => return Ok(()),
        };
        let usage = match self {
            Self::Replace => "For the whole file: /write PATH",
            _ => "For a part of a file: /replace PATH#BLOCK or /replace PATH:L5-L10",
        };
        Err(Error::new(Code::InvalidParams, message).hint(usage))
    }
}

fn turn_back(undo: &Undo, workspace: &Workspace, seen: &Seen) -> Result<Reverted> {
    let place = workspace.place(&undo.path)?;
    let shown = place.shown();
    let changed = || {
        Error::new(Code::Conflict, format!("{shown} has changed since this topic edited it."))
            .hint(format!("See it as it is now: /edit {}", document::typed(shown)))
    };
    let current = target::read(&place)?.ok_or_else(changed)?;
    let before = undo.revert(&current).ok_or_else(changed)?;
    match &before {
        Some(before) => place.write(Some(&current), before)?,
        None => place.remove(&current)?,
    }
    let text = String::from_utf8_lossy(before.as_deref().unwrap_or_default());
    let diff = Diff::between(&String::from_utf8_lossy(&current), &text);
    let known = match &before {
        None => Known::Gone,
        Some(before) if seen.get(&place.path()) == Some(Digest::of(&current)) => {
            Known::Content(Digest::of(before))
        }
        Some(_) => Known::Not,
    };
    let reply = with_diff(&format!("✓ {shown} — Reverted last change"), &diff);
    Ok(Reverted { real: place.path(), reply, known })
}

/// Shows the file anew: here at once, in other topics with their next command.
async fn tell(path: &Path, context: &mut Context<'_>) {
    let path = Arc::from(path);
    context.topics.list().iter().for_each(|session| session.note_edit(&path));
    reload_if_edited(context).await;
}

fn with_diff(status: &str, diff: &Diff) -> String {
    let text = diff.text();
    if text.is_empty() { status.to_owned() } else { format!("{status}\n\n{text}") }
}

fn check_size(content: &str, shown: &str) -> Result<()> {
    if content.len() as u64 <= DOCUMENT_MAX {
        return Ok(());
    }
    let limit = sfmd::size_label(usize::try_from(DOCUMENT_MAX).unwrap_or(usize::MAX));
    Err(Error::new(Code::InvalidParams, format!("{shown} would be larger than {limit}."))
        .hint("Nothing was changed."))
}
