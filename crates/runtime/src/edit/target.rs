//! What follows an editing command: which file it means, and which part of it.

use std::path::PathBuf;

use super::{LineRange, Part};
use crate::agent::workspace::{Found, FoundKind, Place};
use crate::agent::{Agent, Workspace};
use crate::blocking;
use crate::command::Caller;
use crate::document::{self, Bases, Candidates, Source, Target, named_with_sign};
use crate::error::{Code, Error, Result, quoted};
use crate::session::State;

/// A target as written: `path`, `path#block`, `path:L5`, or `#block` and `:L5` of the current document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileTarget {
    text: String,
    /// The lines that stand behind the text, and how they are written.
    lines: Option<LineRange>,
    suffix: String,
}

/// The paths that a target may mean, and the part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    literal: PathBuf,
    decoded: Option<PathBuf>,
    /// The file whose name itself holds what was taken for a part.
    whole: Option<PathBuf>,
    pub part: Part,
}

impl FileTarget {
    pub fn parse(text: &str) -> Self {
        let text = document::unquote(text);
        match LineRange::split(&text) {
            Some((path, lines)) => {
                let suffix = text[path.len()..].to_owned();
                Self { text: path.to_owned(), lines: Some(lines), suffix }
            }
            None => Self { text: text.into_owned(), lines: None, suffix: String::new() },
        }
    }

    /// Finds out where the target would be, without looking at the disk.
    pub fn locate(&self, state: &State, agent: &Agent, caller: &Caller) -> Result<Located> {
        self.locate_from(state.bases(&agent.workspace, caller.cwd.as_deref()), state)
    }

    /// The same where relative targets start elsewhere.
    pub fn locate_from(&self, bases: Bases<'_>, state: &State) -> Result<Located> {
        // Without lines it would be all of the open document, which nobody has named.
        if self.text.is_empty() && self.lines.is_some() {
            return self.of_current(None, state);
        }
        let not_a_file = |why: &str| {
            Error::new(Code::InvalidPath, format!("{} {why}.", quoted(&self.text)))
                .hint("Name a file of the workspace: ~/notes/a.md, notes/a.md")
        };
        match Target::parse(&self.text, bases) {
            Ok(Target::Block(block)) => self.of_current(Some(block), state),
            Ok(Target::Path { candidates: Candidates { literal, decoded, .. }, block }) => {
                let whole = match (&block, &self.lines) {
                    (Some(block), None) => Some(named_with_sign(&literal, block)),
                    (None, Some(_)) => Some(bases.resolve(&format!("{}{}", self.text, self.suffix))),
                    _ => None,
                };
                Ok(Located { literal, decoded, whole, part: self.part(block)? })
            }
            Ok(Target::Web { .. }) => Err(not_a_file("is on the web")),
            Ok(Target::Shortcut { .. }) => Err(not_a_file("is a shortcut, which can only be opened")),
            Err(unreachable) => Err(not_a_file(&format!("is no file: {unreachable}"))),
        }
    }

    fn of_current(&self, block: Option<String>, state: &State) -> Result<Located> {
        let literal = current_file(state)?;
        Ok(Located { literal, decoded: None, whole: None, part: self.part(block)? })
    }

    /// Whether it starts from where the topic stands: neither `/x` nor `~/x`.
    pub fn is_relative(&self) -> bool {
        !self.text.starts_with(['/', '~'])
    }

    /// Whether it can only be a directory.
    pub fn is_directory(&self) -> bool {
        self.text.ends_with('/')
    }

    fn part(&self, block: Option<String>) -> Result<Part> {
        match (block, self.lines) {
            (None, None) => Ok(Part::Whole),
            (Some(block), None) => Ok(Part::Block(block)),
            (None, Some(lines)) => Ok(Part::Lines(lines)),
            (Some(block), Some(lines)) => {
                let message = format!("#{block} and :{lines} are two parts; name one of them.");
                Err(Error::new(Code::InvalidParams, message))
            }
        }
    }
}

impl Located {
    /// As written, then with percent-encoding undone.
    pub fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        std::iter::once(&self.literal).chain(&self.decoded)
    }

    /// The same as `/open` means it: where there is no such file, but one whose name holds all of it, that file.
    pub async fn settled(self, workspace: &Workspace) -> Result<Self> {
        let Some(whole) = self.whole.clone() else { return Ok(self) };
        let workspace = workspace.clone();
        blocking::run(move || {
            let exists = |path: &PathBuf| Ok::<_, Error>(workspace.place(path)?.open()?.is_some());
            let mut paths = self.paths();
            let is_part = paths.try_fold(false, |found, path| Ok::<_, Error>(found || exists(path)?))?;
            drop(paths);
            let is_whole = !is_part && exists(&whole)?;
            let named = || Self { literal: whole, decoded: None, whole: None, part: Part::Whole };
            Ok(if is_whole { named() } else { self })
        })
        .await
    }

    /// The first reading that exists, else the literal one. All of them must lie in the workspace.
    pub fn place(&self, workspace: &Workspace) -> Result<(PathBuf, Place)> {
        let mut chosen = None;
        for path in self.paths() {
            let place = workspace.place(path)?;
            if place.open()?.is_some() {
                return Ok((path.clone(), place));
            }
            chosen.get_or_insert((path.clone(), place));
        }
        chosen.ok_or_else(|| Error::new(Code::InvalidParams, "No file was named."))
    }

    /// As agents read it.
    pub fn shown(&self, workspace: &Workspace) -> String {
        workspace.display(&self.literal)
    }

    /// The first reading that exists, for commands that only look at it.
    pub fn find(&self, workspace: &Workspace) -> Result<(PathBuf, Found)> {
        let first = workspace.find(&self.literal).map(|found| (self.literal.clone(), found));
        match (first, &self.decoded) {
            (Err(missing), Some(decoded)) if missing.code == Code::NotFound => {
                workspace.find(decoded).map(|found| (decoded.clone(), found)).map_err(|_| missing)
            }
            (first, _) => first,
        }
    }

    /// For commands that know no parts.
    pub fn whole(self) -> Result<Self> {
        if self.part == Part::Whole {
            return Ok(self);
        }
        Err(Error::new(Code::InvalidParams, "This works on whole files only.")
            .hint(format!("Leave out {}.", self.part)))
    }
}

/// The content of a file; none if there is no such file.
pub fn read(place: &Place) -> Result<Option<Vec<u8>>> {
    let Some(found) = place.open()? else { return Ok(None) };
    if found.kind == FoundKind::Directory {
        let message = format!("{} is a directory, not a file.", place.shown());
        return Err(Error::new(Code::InvalidPath, message)
            .hint(format!("List it: /ls {}", document::typed(place.shown()))));
    }
    document::read_bytes(&found, place.shown()).map(Some)
}

fn current_file(state: &State) -> Result<PathBuf> {
    match state.page.as_deref().map(|page| &page.location.source) {
        Some(Source::File(path)) => Ok(path.clone()),
        Some(Source::Version { number, .. }) => Err(Error::new(
            Code::InvalidPath,
            format!("This page is version {number} of its file, and stays as it is."),
        )
        .hint("Name the file itself: /edit notes.md#part")),
        _ => {
            Err(Error::new(Code::NotFound, "No file is open in this topic.")
                .hint("Name it: /edit notes.md#part"))
        }
    }
}
