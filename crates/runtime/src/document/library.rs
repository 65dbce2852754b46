//! The library: how a session gets at documents, wherever they are.

use std::path::Path;

use tokio::time::Instant;
use web::limits::TIMEOUT;

use super::compose::{Composed, compose};
use super::load::{self, Content, Loaded, Text};
use super::web::{Asker, Web};
use super::{Location, Page, Shelf, Source, Visit};
use crate::agent::Workspace;
use crate::apart::apart;
use crate::edit::{Digest, Kept, Number};
use crate::error::{Code, Error, Result};

#[derive(Clone, Copy)]
pub struct Library<'a> {
    pub workspace: &'a Workspace,
    pub web: Web<'a>,
    /// The kept versions of files. None where none are kept: packages are versions themselves.
    pub versions: Option<Kept<'a>>,
    pub shelf: &'a Shelf,
}

/// How much of a page from the web is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reading {
    /// Its content, without navigation and other surroundings.
    #[default]
    Main,
    Whole,
}

/// What opening something gave.
#[derive(Debug)]
pub enum Opened {
    Page(Box<Page>),
    /// Not a document: shown, but the current one stays.
    Binary {
        name: String,
        summary: String,
    },
}

impl Library<'_> {
    /// Opens a document with everything it includes.
    pub async fn open(&self, source: &Source, reading: Reading) -> Result<Opened> {
        let within = self.within_one_fetch();
        if let Source::File(path) = source
            && let Some(parsed) = self.shelf.document(path, self.workspace)
        {
            let composed = match parsed.page {
                Some(page) => Composed::alone(page),
                None => apart(|| compose(&within, source, parsed.document)).await,
            };
            let location = Location { source: source.clone(), block: None };
            return Ok(Opened::Page(Box::new(Page::new(location, composed, Vec::new(), parsed.digest))));
        }
        let loaded = apart(|| self.load(source, reading)).await?;
        Ok(apart(|| within.present(loaded, reading)).await)
    }

    /// The text at a source, without what it includes.
    pub async fn load(&self, source: &Source, reading: Reading) -> Result<Loaded> {
        match source {
            Source::File(path) | Source::Directory(path) => {
                match load::file(path.clone(), self.workspace).await {
                    Err(missing) if missing.code == Code::NotFound => self.load_version(path, missing).await,
                    other => other,
                }
            }
            Source::Version { file, number } => self.version(file, *number).await?.ok_or_else(|| {
                Error::new(Code::NotFound, format!("No such file: {}", source.display(self.workspace)))
            }),
            Source::Web(url) => {
                let loaded = self.web.load(url, reading, None).await?;
                loaded.ok_or_else(|| Error::new(Code::LoadError, format!("{url} answered without a page.")))
            }
        }
    }

    /// The version that a path ends with, where no file has that very name.
    async fn load_version(&self, path: &Path, missing: Error) -> Result<Loaded> {
        let Some((file, number)) = Number::split(path) else { return Err(missing) };
        self.version(file, number).await?.ok_or(missing)
    }

    async fn version(&self, file: &Path, number: Number) -> Result<Option<Loaded>> {
        let Some(kept) = self.versions else { return Ok(None) };
        let text = kept.load(file, number, self.workspace).await?;
        Ok(text.map(|text| Loaded {
            source: Source::Version { file: file.to_owned(), number },
            real: None,
            content: Content::Text(Text::Document(text)),
            notes: Vec::new(),
            title: None,
            fetched: None,
        }))
    }

    /// Opens a location that was a page before: for going back.
    pub async fn reopen(&self, Visit { location, reading }: &Visit) -> Result<Box<Page>> {
        self.at(self.open(&location.source, *reading).await?, location)
    }

    /// Opens the current page again. None: it has not changed on the web.
    pub async fn refresh(&self, page: &Page) -> Result<Option<Box<Page>>> {
        let (Source::Web(url), Some(fetched)) = (&page.location.source, page.fetched()) else {
            return self.reopen(&page.visit()).await.map(Some);
        };
        let within = self.within_one_fetch();
        match self.web.load(url, page.reading, Some(&fetched.validators)).await? {
            Some(loaded) => self.at(within.present(loaded, page.reading).await, &page.location).map(Some),
            None => Ok(None),
        }
    }

    /// For what a page names: it must have come when the page itself, asked for now, must have.
    fn within_one_fetch(&self) -> Self {
        Self { web: Web { until: Some(Instant::now() + TIMEOUT), ..self.web }, ..*self }
    }

    fn at(&self, opened: Opened, location: &Location) -> Result<Box<Page>> {
        match opened {
            Opened::Page(mut page) => {
                page.location.block.clone_from(&location.block);
                Ok(page)
            }
            Opened::Binary { name, .. } => {
                Err(Error::new(Code::LoadError, format!("{name} is no document any more.")))
            }
        }
    }

    async fn present(&self, loaded: Loaded, reading: Reading) -> Opened {
        let Loaded { source, real, content, notes, title, fetched } = loaded;
        let text = match content {
            Content::Text(text) => text,
            Content::Binary { media_type, bytes, is_cut, dimensions } => {
                let at_least = if is_cut { "more than " } else { "" };
                let size = sfmd::size_label(bytes as usize);
                let mut summary = format!("type: {media_type}\nsize: {at_least}{size}");
                if let Some((width, height)) = dimensions {
                    summary.push_str(&format!("\ndimensions: {width} × {height}"));
                }
                let notes: String = notes.iter().map(|note| format!(" · {note}")).collect();
                return Opened::Binary { name: source.name(self.workspace) + &notes, summary };
            }
        };
        let (document, digest) = match &text {
            Text::Document(text) => (sfmd::parse(text), Digest::of(text.as_bytes())),
            Text::Plain(text) => (sfmd::plain(text), Digest::of(text.as_bytes())),
        };
        // What a page from the web asks for is not what the agent asked for.
        let asker = match (&source, &fetched) {
            (Source::Web(url), Some(fetched)) => Asker::Page { url, from: fetched.from },
            _ => Asker::Local,
        };
        let library = Library { web: Web { asker, ..self.web }, ..*self };
        let composed = compose(&library, &source, document.into()).await;
        let location = Location { source, block: None };
        let page = Page::new(location, composed, notes, digest).with_origin(title, fetched);
        let mut page = page.reached_by_link(real);
        page.reading = reading;
        Opened::Page(Box::new(page))
    }
}
