//! The library: how a session gets at documents, wherever they are.

use super::compose::{Composed, compose};
use super::load::{self, Content, Loaded};
use super::{Location, Page, Source};
use crate::agent::Workspace;
use crate::error::{Code, Error, Result};

#[derive(Debug, Clone, Copy)]
pub struct Library<'a> {
    pub workspace: &'a Workspace,
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
    pub async fn open(&self, source: &Source) -> Result<Opened> {
        let Loaded { source, content, notes } = self.load(source).await?;
        match content {
            Content::Text(text) => {
                let Composed { page, menus } = compose(self, &source, &text).await;
                let location = Location { source, block: None };
                Ok(Opened::Page(Box::new(Page::new(location, page, menus, notes))))
            }
            Content::Binary { media_type, bytes, dimensions } => {
                let mut summary = format!("type: {media_type}\nsize: {}", sfmd::size_label(bytes as usize));
                if let Some((width, height)) = dimensions {
                    summary.push_str(&format!("\ndimensions: {width} × {height}"));
                }
                Ok(Opened::Binary { name: source.display(self.workspace), summary })
            }
        }
    }

    /// The text at a source, without what it includes.
    pub async fn load(&self, source: &Source) -> Result<Loaded> {
        match source {
            Source::File(path) | Source::Directory(path) => load::file(path.clone(), self.workspace).await,
            Source::Web(url) => Err(Error::new(Code::LoadError, format!("{url} cannot be loaded."))),
        }
    }

    /// Opens a location that was a page before: for going back and for refreshing.
    pub async fn reopen(&self, location: &Location) -> Result<Box<Page>> {
        match self.open(&location.source).await? {
            Opened::Page(mut page) => {
                page.location.block.clone_from(&location.block);
                Ok(page)
            }
            Opened::Binary { name, .. } => {
                Err(Error::new(Code::LoadError, format!("{name} is no document any more.")))
            }
        }
    }
}
