//! The last edit of a topic, kept small enough to be held by every one of them.

use std::path::PathBuf;

use super::Digest;

/// What turns a file back. Only what differed is kept.
#[derive(Debug, PartialEq, Eq)]
pub struct Undo {
    pub path: PathBuf,
    kind: Kind,
    /// Of the file after the edit.
    after: Digest,
}

#[derive(Debug, PartialEq, Eq)]
enum Kind {
    Created,
    /// So many bytes at the start and at the end stayed, and this stood between them.
    Changed {
        start: usize,
        end: usize,
        middle: Box<[u8]>,
    },
}

impl Undo {
    /// `before` is none if the edit created the file.
    pub fn of(path: PathBuf, before: Option<&[u8]>, after: &[u8]) -> Self {
        let kind = before.map_or(Kind::Created, |before| {
            let same = |(a, b): &(&u8, &u8)| a == b;
            let start = before.iter().zip(after).take_while(same).count();
            let rest = before[start..].iter().rev().zip(after[start..].iter().rev());
            let end = rest.take_while(same).count();
            Kind::Changed { start, end, middle: before[start..before.len() - end].into() }
        });
        Self { path, kind, after: Digest::of(after) }
    }

    /// What the file held before, or that there was none; nothing if it is not as the edit left it.
    pub fn revert(&self, current: &[u8]) -> Option<Option<Vec<u8>>> {
        if Digest::of(current) != self.after {
            return None;
        }
        Some(match &self.kind {
            Kind::Created => None,
            Kind::Changed { start, end, middle } => {
                Some([&current[..*start], middle, &current[current.len() - end..]].concat())
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_difference_is_kept() {
        let before = format!("{}old{}", "a".repeat(1000), "b".repeat(1000));
        let after = before.replace("old", "new!");
        let undo = Undo::of("/x".into(), Some(before.as_bytes()), after.as_bytes());
        assert!(matches!(&undo.kind, Kind::Changed { middle, .. } if **middle == *b"old"));
        assert_eq!(undo.revert(after.as_bytes()), Some(Some(before.into_bytes())));
    }

    #[test]
    fn a_file_that_changed_since_is_not_turned_back() {
        let undo = Undo::of("/x".into(), Some(b"one"), b"two");
        assert_eq!(undo.revert(b"twO"), None);
        assert_eq!(undo.revert(b"one"), None);
        let created = Undo::of("/x".into(), None, b"two");
        assert_eq!(created.revert(b"two"), Some(None));
        assert_eq!(created.revert(b""), None);
    }

    #[test]
    fn repeated_text_does_not_confuse_the_ends() {
        for (before, after) in [("aa", "aaa"), ("aaa", "aa"), ("", "x"), ("x", ""), ("abab", "ab")] {
            let undo = Undo::of("/x".into(), Some(before.as_bytes()), after.as_bytes());
            assert_eq!(undo.revert(after.as_bytes()), Some(Some(before.into())), "{before} {after}");
        }
    }
}
