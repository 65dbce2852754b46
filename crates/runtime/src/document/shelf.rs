//! Documents that were parsed before, for as long as their files stay what they were.
//!
//! Agents open the same few files again and again. Where a file is and who may see it is found out each time; its text
//! is read and parsed again only if it has changed. What a program writes through a mapping of the file counts once the
//! kernel has noted the change in the file's times.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use script::Stamp;
use sfmd::Document;

use super::{Source, compose, load};
use crate::agent::Workspace;
use crate::edit::Digest;

/// As many as one piece of work has to do with. Each has at most 64 KiB of text.
const DOCUMENTS_MAX: usize = 32;

#[derive(Debug, Default)]
pub struct Shelf(Mutex<HashMap<PathBuf, Shelved>>);

#[derive(Debug)]
struct Shelved {
    stamp: Stamp,
    parsed: Parsed,
}

/// A text, understood.
#[derive(Debug, Clone)]
pub struct Parsed {
    pub document: Arc<Document>,
    pub digest: Digest,
    /// Where it needs nothing else, and was kept.
    pub page: Option<Arc<sfmd::Page>>,
}

impl Shelf {
    /// A small text file that the kernel has in memory. None says nothing about the file.
    pub fn document(&self, path: &Path, workspace: &Workspace) -> Option<Parsed> {
        let found = workspace.find_at_once(path)?;
        if let Some(parsed) = self.parsed_before(path, found.stamp) {
            return Some(parsed);
        }
        let text = load::text_at_once(&found)?;
        let document = Arc::new(sfmd::parse(&text));
        let mut parsed = Parsed { document, digest: Digest::of(text.as_bytes()), page: None };
        // The stamp was taken before the text was read: a change in between makes it parsed once more.
        if found.stamp.settled(SystemTime::now()) {
            parsed.page = compose::alone(&Source::File(path.to_owned()), &parsed.document);
            self.keep(path, found.stamp, parsed.clone());
        }
        Some(parsed)
    }

    fn parsed_before(&self, path: &Path, stamp: Stamp) -> Option<Parsed> {
        let all = self.lock();
        let shelved = all.get(path).filter(|shelved| shelved.stamp == stamp)?;
        Some(shelved.parsed.clone())
    }

    fn keep(&self, path: &Path, stamp: Stamp, parsed: Parsed) {
        let mut all = self.lock();
        if all.len() >= DOCUMENTS_MAX {
            all.clear();
        }
        all.insert(path.to_owned(), Shelved { stamp, parsed });
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<PathBuf, Shelved>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_is_on_the_shelf_counts_until_the_file_changes() {
        let folder = tempfile::tempdir().unwrap();
        let home = fs::canonicalize(folder.path()).unwrap();
        fs::create_dir(home.join(".string")).unwrap();
        let workspace = Workspace::new(home.clone(), vec![], home.join(".string"));
        let (shelf, path) = (Shelf::default(), home.join("a.md"));
        fs::write(&path, "# One\n").unwrap();
        let found = workspace.find_at_once(&path).unwrap();
        let read = shelf.document(&path, &workspace).unwrap();
        // Put there by hand: a file that has just changed is not kept.
        assert!(shelf.parsed_before(&path, found.stamp).is_none());
        shelf.keep(&path, found.stamp, read.clone());
        let again = shelf.document(&path, &workspace).unwrap();
        assert!(Arc::ptr_eq(&read.document, &again.document));
        // Of the same length, in another file of the same name.
        fs::write(home.join("b.md"), "# Two\n").unwrap();
        fs::rename(home.join("b.md"), &path).unwrap();
        let changed = shelf.document(&path, &workspace).unwrap();
        assert_eq!(changed.document.headings[0].text, "Two");
        fs::remove_file(&path).unwrap();
        assert!(shelf.document(&path, &workspace).is_none());
    }

    #[test]
    fn a_page_that_needs_other_files_is_composed_each_time() {
        let table = [
            ("# Alone\n\n[Docs](https://docs.example)\n", true),
            ("# Part\n\n[!include:a](a.md)\n", false),
            ("[!nav:main](menu.md)\n\n# Menu\n", false),
            ("---\nenv:\n  - API_KEY\n---\n# Needs\n", false),
        ];
        for (text, alone) in table {
            let document = Arc::new(sfmd::parse(text));
            let page = compose::alone(&Source::File("/a.md".into()), &document);
            assert_eq!(page.is_some(), alone, "{text}");
        }
    }

    #[test]
    fn the_shelf_does_not_grow_without_bound() {
        let shelf = Shelf::default();
        let metadata = fs::metadata(env!("CARGO_MANIFEST_DIR")).unwrap();
        let parsed = Parsed { document: Arc::new(sfmd::parse("")), digest: Digest::of(b""), page: None };
        for number in 0..DOCUMENTS_MAX * 3 {
            shelf.keep(Path::new(&number.to_string()), Stamp::of(&metadata), parsed.clone());
            assert!(shelf.lock().len() <= DOCUMENTS_MAX);
        }
    }
}
