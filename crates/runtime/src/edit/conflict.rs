//! What a topic has read of files, so that it never overwrites what it has not seen.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};

use crate::document::typed;
use crate::error::{Code, Error, Result};

/// How many files a topic remembers; one that was read before these has to be read again.
const REMEMBERED_MAX: usize = 256;

/// A content, as far as it matters whether two are the same. It is compared only within one process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Digest {
    length: usize,
    hash: u64,
}

/// The contents that a topic has read, the latest last. Paths have their links resolved: a file that was read under
/// one name may be edited under another.
#[derive(Debug, Clone, Default)]
pub struct Seen(VecDeque<(PathBuf, Digest)>);

/// Whether a file may be overwritten that the topic has not read as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overwrite {
    IfSeen,
    Always,
}

impl Digest {
    pub fn of(content: &[u8]) -> Self {
        let mut hasher = DefaultHasher::new();
        hasher.write(content);
        Self { length: content.len(), hash: hasher.finish() }
    }
}

impl Seen {
    pub fn get(&self, path: &Path) -> Option<Digest> {
        self.0.iter().find(|(seen, _)| seen == path).map(|(_, digest)| *digest)
    }

    pub fn remember(&mut self, path: PathBuf, digest: Digest) {
        self.forget(&path);
        if self.0.len() == REMEMBERED_MAX {
            self.0.pop_front();
        }
        self.0.push_back((path, digest));
    }

    pub fn forget(&mut self, path: &Path) {
        self.0.retain(|(seen, _)| seen != path);
    }
}

/// Refuses to replace a content that the topic has not read.
pub fn check(seen: Option<Digest>, current: Digest, shown: &str) -> Result<()> {
    let message = match seen {
        Some(seen) if seen == current => return Ok(()),
        Some(_) => format!("{shown} has changed since this topic read it."),
        None => format!("{shown} exists, and this topic has not read it."),
    };
    Err(Error::new(Code::Conflict, message).hint(format!("See it as it is now: /edit {}", typed(shown))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_read_as_it_is_may_be_replaced() {
        let (one, two) = (Digest::of(b"one"), Digest::of(b"two"));
        let mut seen = Seen::default();
        let mut check_at = |path: &str, note: Option<Digest>| {
            note.into_iter().for_each(|digest| seen.remember(path.into(), digest));
            check(seen.get(Path::new(path)), two, "~/x").map_err(|error| error.to_string())
        };
        let unread = check_at("/x", None).unwrap_err();
        assert!(unread.contains("has not read it") && unread.contains("/edit ~/x"), "{unread}");
        let changed = check_at("/x", Some(one)).unwrap_err();
        assert!(changed.contains("has changed") && changed.contains("/edit ~/x"), "{changed}");
        check_at("/x", Some(two)).unwrap();
        assert!(check_at("/y", None).is_err());
    }

    #[test]
    fn a_topic_remembers_the_latest_files_only() {
        let mut seen = Seen::default();
        let path = |n: usize| PathBuf::from(format!("/{n}"));
        for n in 0..=REMEMBERED_MAX {
            seen.remember(path(n), Digest::of(b""));
            seen.remember(path(1), Digest::of(b"again"));
        }
        assert_eq!(seen.get(&path(0)), None);
        assert_eq!(seen.get(&path(1)), Some(Digest::of(b"again")));
        assert!(seen.get(&path(REMEMBERED_MAX)).is_some());
        seen.forget(&path(1));
        assert_eq!(seen.get(&path(1)), None);
    }
}
