//! What happens inside the transaction of a group of writes.

use std::collections::BTreeSet;

use rusqlite::{Connection, OptionalExtension, params};

use crate::{AtomicWrite, Change, Conflict, Key, Space, Timestamp, Version};

/// Versions set aside at a time. A crash skips the rest of the block, and an ordinary write need not touch the
/// counter's page.
const VERSION_BLOCK: u64 = 1 << 20;

/// Key and value up to this size together stay in the page of `entry`: SQLite moves what exceeds about 1,000 bytes of
/// a 4 KiB page to other pages, one after the other.
const INLINE_BYTES: usize = 900;

/// Free pages that are left in the file for the writes to come.
const FREE_PAGES_KEPT: u32 = 256;

/// Free pages given back to the file system in one sweep (about 2 ms), besides those that it has set free itself.
const PAGES_RETURNED: u32 = 200;

/// The transaction that is open, at one moment of the clock. What fails here is rolled back by the caller.
pub(super) struct Batch<'a> {
    pub(super) connection: &'a Connection,
    pub(super) versions: &'a mut Versions,
    pub(super) now: Timestamp,
}

impl Batch<'_> {
    pub(super) fn commit(&mut self, write: &AtomicWrite) -> rusqlite::Result<Result<Version, Conflict>> {
        for check in &write.checks {
            if let Err(conflict) = check.against(self.version_of(&check.space, &check.key)?) {
                return Ok(Err(conflict));
            }
        }
        let version = self.versions.next(self.connection)?;
        for change in &write.changes {
            match change {
                Change::Put { space, key, value, expires_at } => {
                    self.put(space, key, value, *expires_at, version)?;
                }
                Change::Delete { space, key } => self.delete(space, key)?,
            }
        }
        Ok(Ok(version))
    }

    pub(super) fn drop_space(&mut self, space: &Space) -> rusqlite::Result<()> {
        if let Some(id) = self.id_of(space)? {
            self.connection.prepare_cached("DELETE FROM entry WHERE space = ?1")?.execute([id])?;
            self.forget_if_empty(id)?;
        }
        Ok(())
    }

    pub(super) fn sweep(&mut self, limit: usize) -> rusqlite::Result<usize> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let mut select = self.connection.prepare_cached(
            "SELECT space, key FROM entry WHERE expires_at <= ?1 ORDER BY expires_at LIMIT ?2",
        )?;
        let expired = select.query_map(params![self.now.as_millis(), limit], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, Vec<u8>>(1)?))
        })?;
        let expired: Vec<_> = expired.collect::<rusqlite::Result<_>>()?;
        let free_before = self.free_pages()?;
        for (space, key) in &expired {
            self.delete_row(*space, key)?;
        }
        for space in expired.iter().map(|(space, _)| *space).collect::<BTreeSet<_>>() {
            self.forget_if_empty(space)?;
        }
        let freed = self.free_pages()?.saturating_sub(free_before);
        self.return_free_pages(PAGES_RETURNED + freed)?;
        Ok(expired.len())
    }

    fn version_of(&self, space: &Space, key: &Key) -> rusqlite::Result<Option<Version>> {
        let mut select = self.connection.prepare_cached(
            "SELECT version FROM entry WHERE space = (SELECT id FROM space WHERE name = ?1) AND key = ?2
               AND (expires_at IS NULL OR expires_at > ?3)",
        )?;
        let found = select.query_row(params![space.as_str(), key.as_bytes(), self.now.as_millis()], |row| {
            row.get::<_, i64>(0)
        });
        Ok(found.optional()?.map(|version| Version::from_number(version.cast_unsigned())))
    }

    fn put(
        &self,
        space: &Space,
        key: &Key,
        value: &[u8],
        expires_at: Option<Timestamp>,
        version: Version,
    ) -> rusqlite::Result<()> {
        let space = match self.id_of(space)? {
            Some(id) => id,
            None => self.insert("INSERT INTO space (name) VALUES (?1)", space.as_str())?,
        };
        let (inline, large) = if key.as_bytes().len() + value.len() <= INLINE_BYTES {
            (Some(value), None)
        } else {
            (None, Some(self.insert("INSERT INTO large (value) VALUES (?1)", value)?))
        };
        let mut upsert = self.connection.prepare_cached(
            "INSERT INTO entry (space, key, version, expires_at, value, large) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
             ON CONFLICT (space, key) DO UPDATE SET version = excluded.version, expires_at = excluded.expires_at,
                 value = excluded.value, large = excluded.large",
        )?;
        let (number, expires_at) = (version.number().cast_signed(), expires_at.map(Timestamp::as_millis));
        upsert.execute(params![space, key.as_bytes(), number, expires_at, inline, large])?;
        Ok(())
    }

    fn delete(&self, space: &Space, key: &Key) -> rusqlite::Result<()> {
        if let Some(id) = self.id_of(space)?
            && self.delete_row(id, key.as_bytes())? > 0
        {
            self.forget_if_empty(id)?;
        }
        Ok(())
    }

    fn delete_row(&self, space: i64, key: &[u8]) -> rusqlite::Result<usize> {
        let mut delete = self.connection.prepare_cached("DELETE FROM entry WHERE space = ?1 AND key = ?2")?;
        delete.execute(params![space, key])
    }

    fn id_of(&self, space: &Space) -> rusqlite::Result<Option<i64>> {
        let mut select = self.connection.prepare_cached("SELECT id FROM space WHERE name = ?1")?;
        select.query_row([space.as_str()], |row| row.get(0)).optional()
    }

    fn insert(&self, sql: &str, value: impl rusqlite::ToSql) -> rusqlite::Result<i64> {
        self.connection.prepare_cached(sql)?.insert([value])
    }

    /// Names come from sessions and tasks, of which there is no end; those without entries must not pile up.
    fn forget_if_empty(&self, space: i64) -> rusqlite::Result<()> {
        let mut delete = self.connection.prepare_cached(
            "DELETE FROM space WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM entry WHERE entry.space = ?1)",
        )?;
        delete.execute([space])?;
        Ok(())
    }

    fn free_pages(&self) -> rusqlite::Result<u32> {
        self.connection.prepare_cached("PRAGMA freelist_count")?.query_row([], |row| row.get(0))
    }

    fn return_free_pages(&self, most: u32) -> rusqlite::Result<()> {
        let surplus = self.free_pages()?.saturating_sub(FREE_PAGES_KEPT).min(most);
        if surplus > 0 {
            let mut vacuum = self.connection.prepare(&format!("PRAGMA incremental_vacuum({surplus})"))?;
            let mut steps = vacuum.query([])?;
            // Each step returns one page.
            while steps.next()?.is_some() {}
        }
        Ok(())
    }
}

/// The versions that were set aside and not yet given out.
#[derive(Default)]
pub(super) struct Versions {
    last: u64,
    reserved: u64,
}

impl Versions {
    fn next(&mut self, connection: &Connection) -> rusqlite::Result<Version> {
        if self.last == self.reserved {
            let mut reserve = connection
                .prepare_cached("UPDATE counter SET reserved = reserved + ?1 RETURNING reserved")?;
            let reserved: i64 = reserve.query_row([VERSION_BLOCK.cast_signed()], |row| row.get(0))?;
            self.reserved = reserved.cast_unsigned();
            self.last = self.reserved - VERSION_BLOCK;
        }
        self.last += 1;
        Ok(Version::from_number(self.last))
    }
}
