//! A document as a session holds it, and what the agent sees of it.

use super::{Location, Source};
use crate::edit::Digest;
use crate::error::{Code, Error, Result, nearest, quoted};

/// How many blocks or headings an error names.
const NAMED_MAX: usize = 30;

/// A document, loaded and composed.
#[derive(Debug)]
pub struct Page {
    pub location: Location,
    /// Of the file as it was read.
    pub digest: Digest,
    content: sfmd::Page,
}

impl Page {
    pub fn new(source: Source, text: &str) -> Self {
        let origin = sfmd::Origin::new(&source.path().to_string_lossy());
        let content = sfmd::Page::compose(sfmd::Source::new(origin, sfmd::parse(text)));
        let digest = Digest::of(text.as_bytes());
        Self { location: Location { source, block: None }, digest, content }
    }

    pub fn title(&self) -> Option<String> {
        self.content.document().title().map(str::to_owned)
    }

    /// Marked blocks and includes, in order.
    pub fn block_ids(&self) -> Vec<&str> {
        self.content.block_ids()
    }

    /// What is wrong with the document, with the line.
    pub fn warnings(&self) -> Vec<String> {
        self.content.warnings().map(|(_, warning)| warning.to_string()).collect()
    }

    /// What the agent sees at the current location.
    pub fn view(&self) -> Result<String> {
        self.view_of(self.location.block.as_deref())
    }

    /// What the agent sees of a block, or of the whole.
    pub fn view_of(&self, block: Option<&str>) -> Result<String> {
        let view = match block {
            None => self.content.view(),
            Some(id) => {
                self.content.view_section(&self.content.section(id).ok_or_else(|| self.no_block(id))?)
            }
        };
        Ok(view.text().trim_end().to_owned())
    }

    fn no_block(&self, id: &str) -> Error {
        let document = self.content.document();
        let headings = document.headings.iter().map(|heading| heading.slug.as_str());
        no_block(id, self.block_ids().into_iter().chain(headings).collect())
    }
}

/// The error for a block that is not among those a document has.
pub(crate) fn no_block(id: &str, known: Vec<&str>) -> Error {
    let near = nearest(id, known.iter().copied()).map(|name| format!("Did you mean #{name}?"));
    let named: Vec<String> = known.iter().take(NAMED_MAX).map(|name| format!("#{name}")).collect();
    let list =
        if named.is_empty() { "It has none.".to_owned() } else { format!("Blocks: {}", named.join(", ")) };
    Error::new(Code::BlockNotFound, format!("No block {} in this document.", quoted(&format!("#{id}"))))
        .hints(near)
        .hint(list)
}
