//! The part of a page that is meant: a block or a heading, by any of its names.

use super::Page;
use super::location::percent_decoded;
use super::quote::typed;
use crate::agent::Workspace;
use crate::error::{Code, Error, nearest, quoted};

/// How many blocks or headings an error names.
const NAMED_MAX: usize = 30;

impl Page {
    /// Moves to the part that an address names, or to the one that a server sent its reader to. Pages of HTML have
    /// names for more than headings: those open as a whole, with a note.
    pub fn go_to(&mut self, block: Option<String>) {
        self.location.block = match block {
            None => self.fetched().and_then(|fetched| self.part_named(fetched.fragment.as_deref()?)),
            Some(id) => match self.part_named(&id) {
                Some(block) => Some(block),
                None if self.fetched().is_some_and(|fetched| fetched.heading_ids.is_some()) => {
                    self.note_missing(&id);
                    None
                }
                None => Some(id),
            },
        };
    }

    /// The block or heading that an id means: by its own name, or by one that its page gave it.
    pub fn part_named(&self, id: &str) -> Option<String> {
        if self.content().section(id).is_some() {
            // An address has it percent-encoded; nobody calls it that.
            let plain = percent_decoded(id).filter(|plain| self.content().section(plain).is_some());
            return Some(plain.unwrap_or_else(|| id.to_owned()));
        }
        let headings = &self.content().document().headings;
        let ids = self.fetched()?.heading_ids.as_ref().filter(|ids| ids.len() == headings.len())?;
        let heading = &headings[ids.iter().position(|ids| ids.iter().any(|known| known == id))?];
        Some(heading.explicit_id.as_ref().unwrap_or(&heading.slug).clone()).filter(|slug| !slug.is_empty())
    }

    /// Shows all of a page that no longer has the part it is open at, and gives the name of that.
    pub fn leave_missing_part(&mut self) -> Option<String> {
        let content = self.content();
        let is_missing = |id: &String| content.section(id).is_none();
        self.location.block.as_ref().is_some_and(is_missing).then(|| self.location.block.take()).flatten()
    }

    /// Says in the status line that the page has no such part.
    pub fn note_missing(&mut self, id: &str) {
        self.notes.push(format!("no section {}", quoted(&format!("#{id}"))));
    }

    pub(super) fn no_block(&self, id: &str, workspace: &Workspace) -> Error {
        let blocks = self.block_ids();
        let headings = self.content().document().headings.iter();
        let headings = headings.map(|heading| heading.explicit_id.as_ref().unwrap_or(&heading.slug));
        let known = blocks.iter().chain(headings).map(String::as_str);
        no_block(id, known, &self.location.source.display(workspace))
    }
}

/// The error for a block that is not among those a document has. Names may be empty or come twice.
pub(crate) fn no_block<'a>(id: &str, known: impl IntoIterator<Item = &'a str>, shown: &str) -> Error {
    let mut names: Vec<&str> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    names.extend(known.into_iter().filter(|name| !name.is_empty() && seen.insert(*name)));
    let near = nearest(id, names.iter().copied()).map(|name| format!("Did you mean #{name}?"));
    let mut list: Vec<String> = names.iter().take(NAMED_MAX).map(|name| format!("#{name}")).collect();
    if let Some(more) = names.len().checked_sub(NAMED_MAX).filter(|more| *more > 0) {
        list.push(format!("+{more} more · /open {} --outline", typed(shown)));
    }
    let list =
        if list.is_empty() { "It has none.".to_owned() } else { format!("Blocks: {}", list.join(", ")) };
    Error::new(Code::BlockNotFound, format!("No block {} in this document.", quoted(&format!("#{id}"))))
        .hints(near)
        .hint(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_each_block_once_and_how_to_see_the_others() {
        let hints = |known: &[&str]| no_block("zz", known.iter().copied(), "~/a {b}.md").hints.join("; ");
        assert_eq!(hints(&["", "a", "b", "a"]), "Blocks: #a, #b");
        assert_eq!(hints(&[]), "It has none.");
        let many: Vec<String> = (0..40).map(|number| format!("part-{number}")).collect();
        let many = hints(&many.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(many.ends_with("#part-28, #part-29, +10 more · /open '~/a {b}.md' --outline"), "{many}");
    }
}
