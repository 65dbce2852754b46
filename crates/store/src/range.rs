//! Which part of a space a scan reads, and what it gives back.

use crate::{Entry, Key};

/// The keys that begin with a prefix, from a starting point on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyRange {
    prefix: Vec<u8>,
    after: Option<Key>,
}

impl KeyRange {
    /// Every key of the space.
    pub fn all() -> Self {
        Self::default()
    }

    pub fn prefix(prefix: impl Into<Vec<u8>>) -> Self {
        Self { prefix: prefix.into(), after: None }
    }

    /// Only the keys behind `key`, which need not exist: how a cursor continues.
    pub fn after(mut self, key: Key) -> Self {
        self.after = Some(key);
        self
    }

    /// The first bytes that are inside.
    pub(crate) fn start(&self) -> Vec<u8> {
        match &self.after {
            // Nothing sorts between a key and the same key with a zero byte behind it.
            Some(after) if after.as_bytes() >= self.prefix.as_slice() => [after.as_bytes(), &[0]].concat(),
            _ => self.prefix.clone(),
        }
    }

    /// The first bytes that are no longer inside, if there are any.
    pub(crate) fn end(&self) -> Option<Vec<u8>> {
        end_of_prefix(&self.prefix)
    }
}

/// The smallest byte string that is greater than everything with this prefix.
pub(crate) fn end_of_prefix(prefix: &[u8]) -> Option<Vec<u8>> {
    let last = prefix.iter().rposition(|&byte| byte != u8::MAX)?;
    let mut end = prefix[..=last].to_vec();
    end[last] += 1;
    Some(end)
}

/// Where a scan stops: after so many entries, or before so many bytes of keys and values are exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    pub entries: usize,
    pub bytes: usize,
}

impl Limit {
    pub const fn entries(entries: usize) -> Self {
        Self { entries, bytes: usize::MAX }
    }

    pub const fn bytes(mut self, bytes: usize) -> Self {
        self.bytes = bytes;
        self
    }
}

/// Some entries of a range, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    pub entries: Vec<Entry>,
    /// Whether the range went on behind the last entry when it was read.
    pub has_more: bool,
}

/// Collects entries up to a [`Limit`]. The first entry is always taken, so that a cursor moves on.
pub(crate) struct PageBuilder {
    limit: Limit,
    bytes: usize,
    page: Page,
}

/// Whether a [`PageBuilder`] can take more.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fill {
    Open,
    Full,
}

impl PageBuilder {
    pub(crate) fn new(limit: Limit) -> Self {
        Self { limit, bytes: 0, page: Page { entries: Vec::new(), has_more: false } }
    }

    /// Whether an entry of this size still fits. One that does not closes the page, and must not be pushed.
    pub(crate) fn offer(&mut self, key_bytes: usize, value_bytes: usize) -> Fill {
        let bytes = self.bytes.saturating_add(key_bytes).saturating_add(value_bytes);
        let fits = self.page.entries.is_empty() || bytes <= self.limit.bytes;
        if self.page.entries.len() >= self.limit.entries || !fits {
            self.page.has_more = true;
            return Fill::Full;
        }
        self.bytes = bytes;
        Fill::Open
    }

    pub(crate) fn push(&mut self, entry: Entry) {
        self.page.entries.push(entry);
    }

    pub(crate) fn finish(self) -> Page {
        self.page
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_starts_and_ends_where_its_prefix_and_cursor_say() {
        let check = |range: KeyRange, start: &[u8], end: Option<&[u8]>| {
            assert_eq!(range.start(), start, "start of {range:?}");
            assert_eq!(range.end().as_deref(), end, "end of {range:?}");
        };
        check(KeyRange::all(), b"", None);
        check(KeyRange::prefix("a"), b"a", Some(b"b"));
        check(KeyRange::prefix(b"a\xff"), b"a\xff", Some(b"b"));
        check(KeyRange::prefix(b"\xff\xff"), b"\xff\xff", None);
        check(KeyRange::prefix("b").after(Key::new("a")), b"b", Some(b"c"));
        check(KeyRange::prefix("b").after(Key::new("b")), b"b\0", Some(b"c"));
        check(KeyRange::prefix("b").after(Key::new("bc")), b"bc\0", Some(b"c"));
        check(KeyRange::prefix("b").after(Key::new("z")), b"z\0", Some(b"c"));
    }
}
