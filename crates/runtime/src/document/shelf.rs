//! Documents that were parsed before, for as long as their files stay what they were.
//!
//! Agents open the same few files again and again. That a file is where it was, by no link, is found out each time; who
//! may see it, and what it says, only if it or the workspace has changed. What a program writes through a mapping of the file counts once the
//! kernel has noted the change in the file's times.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use script::Stamp;
use sfmd::Document;

use super::{Source, compose, load};
use crate::agent::{Workspace, stamp_at_once};
use crate::edit::Digest;

/// As many as one piece of work has to do with. Each has at most 64 KiB of text.
const DOCUMENTS_MAX: usize = 32;

#[derive(Debug, Default)]
pub struct Shelf(Mutex<HashMap<PathBuf, Shelved>>);

#[derive(Debug)]
struct Shelved {
    stamp: Stamp,
    /// Who was last shown it. The same file under the same name is nothing that they may not see.
    workspace: Workspace,
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
        if let Some(parsed) = self.shown_before(path, workspace) {
            return Some(parsed);
        }
        let found = workspace.find_at_once(path)?;
        if let Some(parsed) = self.parsed_before(path, found.stamp, workspace) {
            return Some(parsed);
        }
        let text = load::text_at_once(&found)?;
        let document = Arc::new(sfmd::parse(&text));
        let mut parsed = Parsed { document, digest: Digest::of(text.as_bytes()), page: None };
        // The stamp was taken before the text was read: a change in between makes it parsed once more.
        if found.stamp.settled(SystemTime::now()) {
            parsed.page = compose::alone(&Source::File(path.to_owned()), &parsed.document);
            let shelved =
                Shelved { stamp: found.stamp, workspace: workspace.clone(), parsed: parsed.clone() };
            self.keep(path, shelved);
        }
        Some(parsed)
    }

    fn shown_before(&self, path: &Path, workspace: &Workspace) -> Option<Parsed> {
        let (stamp, parsed) = {
            let all = self.lock();
            let shelved = all.get(path).filter(|shelved| shelved.workspace == *workspace)?;
            (shelved.stamp, shelved.parsed.clone())
        };
        (stamp_at_once(path)? == stamp).then_some(parsed)
    }

    /// What others were shown, and this one may be shown too.
    fn parsed_before(&self, path: &Path, stamp: Stamp, workspace: &Workspace) -> Option<Parsed> {
        let mut all = self.lock();
        let shelved = all.get_mut(path).filter(|shelved| shelved.stamp == stamp)?;
        shelved.workspace = workspace.clone();
        Some(shelved.parsed.clone())
    }

    fn keep(&self, path: &Path, shelved: Shelved) {
        let mut all = self.lock();
        if all.len() >= DOCUMENTS_MAX {
            all.clear();
        }
        all.insert(path.to_owned(), shelved);
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
        assert!(shelf.shown_before(&path, &workspace).is_none());
        let shelved = Shelved { stamp: found.stamp, workspace: workspace.clone(), parsed: read.clone() };
        shelf.keep(&path, shelved);
        assert!(shelf.shown_before(&path, &workspace).is_some());
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
    fn what_one_was_shown_is_not_shown_to_another_who_may_not_see_it() {
        let folder = tempfile::tempdir().unwrap();
        let home = fs::canonicalize(folder.path()).unwrap();
        for name in [".string", "open", "other", "moved"] {
            fs::create_dir(home.join(name)).unwrap();
        }
        let of = |root: &str| Workspace::new(home.join(root), vec![], home.join(".string"));
        let (whole, open, other) = (of(""), of("open"), of("other"));
        let (shelf, path) = (Shelf::default(), home.join("open/a.md"));
        fs::write(&path, "# One\n").unwrap();
        let read = shelf.document(&path, &whole).unwrap();
        let stamp = whole.find_at_once(&path).unwrap().stamp;
        shelf.keep(&path, Shelved { stamp, workspace: whole.clone(), parsed: read.clone() });
        let same = |workspace: &Workspace| {
            let again = shelf.document(&path, workspace)?;
            Some(Arc::ptr_eq(&read.document, &again.document))
        };
        assert_eq!((same(&other), same(&whole), same(&open)), (None, Some(true), Some(true)));
        assert_eq!((same(&other), same(&whole)), (None, Some(true)));
        // The same file by way of a link is for the long way to judge.
        fs::rename(home.join("open"), home.join("moved/open")).unwrap();
        std::os::unix::fs::symlink(home.join("moved/open"), home.join("open")).unwrap();
        assert_eq!(same(&whole), None);
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
            let workspace = Workspace::new("/a".into(), vec![], "/b".into());
            let shelved = Shelved { stamp: Stamp::of(&metadata), workspace, parsed: parsed.clone() };
            shelf.keep(Path::new(&number.to_string()), shelved);
            assert!(shelf.lock().len() <= DOCUMENTS_MAX);
        }
    }
}
