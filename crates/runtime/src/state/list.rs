//! `list`: pages of entries in byte order of their keys.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Serialize;
use store::{Key, KeyRange, Limit, Space};

use super::error::{Error, Result};
use super::operation::{Durable, Entry};

/// The most that a page holds of keys and values. A page of 8 MiB has a mebibyte left for what stands around a
/// thousand of them, with every character of their keys escaped.
const PAGE_BYTES: usize = 7 << 20;

#[derive(Debug, Clone, Serialize)]
pub struct Page {
    pub entries: Vec<Entry>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

impl Durable {
    /// The entries whose keys begin with a prefix, from a cursor on. While others write, none that stays is
    /// skipped or repeated: the cursor is the last key itself.
    pub async fn list(
        &self,
        space: &Space,
        prefix: &str,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page> {
        let mut range = KeyRange::prefix(prefix);
        if let Some(cursor) = cursor {
            range = range.after(last_key(cursor, prefix)?);
        }
        let page = self.store.scan(space, &range, Limit::entries(limit).bytes(PAGE_BYTES)).await?;
        let last = page.entries.last().filter(|_| page.has_more).map(|entry| entry.key.clone());
        Ok(Page {
            entries: page.entries.iter().map(Entry::of).collect::<Result<_>>()?,
            next_cursor: last.map(|key| URL_SAFE_NO_PAD.encode(key.as_bytes())),
        })
    }
}

fn last_key(cursor: &str, prefix: &str) -> Result<Key> {
    let key = URL_SAFE_NO_PAD.decode(cursor).ok().filter(|key| key.starts_with(prefix.as_bytes()));
    key.map(Key::new).ok_or_else(|| Error::invalid("cursor does not come from a list of this prefix"))
}
