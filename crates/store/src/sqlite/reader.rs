//! Reads: a few idle connections, and the queries that run on them.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row, params};

use super::file::{explain, open_reader};
use crate::range::{Fill, PageBuilder, end_of_prefix};
use crate::{Entry, Error, Key, KeyRange, Limit, Page, Result, Space, Timestamp, Version};

/// Connections kept for the next read. More than that are opened when more threads read at once, and closed after.
const IDLE_KEPT: usize = 4;

/// The connections that read.
pub(super) struct Readers {
    path: PathBuf,
    idle: Mutex<Idle>,
}

#[derive(Default)]
struct Idle {
    connections: Vec<Connection>,
    closed: bool,
}

impl Readers {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path, idle: Mutex::default() }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn with<T>(&self, read: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T> {
        let idle = {
            let mut idle = self.idle();
            if idle.closed {
                return Err(Error::Closed);
            }
            idle.connections.pop()
        };
        let connection = idle.map_or_else(|| open_reader(&self.path), Ok);
        let connection = connection.map_err(|error| explain(&self.path, error))?;
        let result = read(&connection).map_err(|error| explain(&self.path, error));
        let mut idle = self.idle();
        if !idle.closed && idle.connections.len() < IDLE_KEPT {
            idle.connections.push(connection);
        }
        result
    }

    pub(super) fn close(&self) {
        let mut idle = self.idle();
        idle.closed = true;
        idle.connections.clear();
    }

    fn idle(&self) -> MutexGuard<'_, Idle> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) fn get(
    connection: &Connection,
    space: &Space,
    key: &Key,
    now: Timestamp,
) -> rusqlite::Result<Option<Entry>> {
    let mut statement = connection.prepare_cached(
        "SELECT key, version, expires_at, value, large FROM entry
         WHERE space = (SELECT id FROM space WHERE name = ?1) AND key = ?2
           AND (expires_at IS NULL OR expires_at > ?3)",
    )?;
    let mut rows = statement.query(params![space.as_str(), key.as_bytes(), now.as_millis()])?;
    rows.next()?.map(|row| with_value(connection, row, |value| entry(row, value))?).transpose()
}

pub(super) fn scan(
    connection: &Connection,
    space: &Space,
    range: &KeyRange,
    limit: Limit,
    now: Timestamp,
) -> rusqlite::Result<Page> {
    let (name, start, now) = (space.as_str(), range.start(), now.as_millis());
    let end = range.end();
    let mut statement = connection.prepare_cached(match end {
        Some(_) => {
            "SELECT key, version, expires_at, value, large FROM entry
             WHERE space = (SELECT id FROM space WHERE name = ?1) AND key >= ?2 AND key < ?4
               AND (expires_at IS NULL OR expires_at > ?3) ORDER BY key"
        }
        None => {
            "SELECT key, version, expires_at, value, large FROM entry
             WHERE space = (SELECT id FROM space WHERE name = ?1) AND key >= ?2
               AND (expires_at IS NULL OR expires_at > ?3) ORDER BY key"
        }
    })?;
    let mut rows = match end {
        Some(end) => statement.query(params![name, start, now, end])?,
        None => statement.query(params![name, start, now])?,
    };
    let mut page = PageBuilder::new(limit);
    while let Some(row) = rows.next()? {
        let fill = with_value(connection, row, |value| {
            let fill = page.offer(row.get_ref(0)?.as_blob()?.len(), value.len());
            if fill == Fill::Open {
                page.push(entry(row, value)?);
            }
            Ok::<_, rusqlite::Error>(fill)
        })??;
        if fill == Fill::Full {
            break;
        }
    }
    Ok(page.finish())
}

pub(super) fn spaces(
    connection: &Connection,
    prefix: &str,
    after: Option<&Space>,
    limit: usize,
    now: Timestamp,
) -> rusqlite::Result<Vec<Space>> {
    let mut statement = connection.prepare_cached(
        "SELECT name FROM space WHERE name >= ?1 AND EXISTS (
             SELECT 1 FROM entry
             WHERE entry.space = space.id AND (expires_at IS NULL OR expires_at > ?2))
         ORDER BY name",
    )?;
    // Nothing sorts between a name and the same name with a zero byte behind it.
    let behind = after.map(|after| format!("{after}\0")).unwrap_or_default();
    let start = prefix.max(behind.as_str());
    let end = end_of_prefix(prefix.as_bytes());
    let mut rows = statement.query(params![start, now.as_millis()])?;
    let mut found = Vec::new();
    while found.len() < limit
        && let Some(row) = rows.next()?
    {
        let name = row.get_ref(0)?.as_str()?;
        if end.as_deref().is_some_and(|end| name.as_bytes() >= end) {
            break;
        }
        found.push(Space::new(name));
    }
    Ok(found)
}

/// Calls `f` with the value of an entry, wherever it is kept. The row is still being read, so both lookups see the
/// same moment.
fn with_value<T>(connection: &Connection, row: &Row<'_>, f: impl FnOnce(&[u8]) -> T) -> rusqlite::Result<T> {
    if let ValueRef::Blob(value) = row.get_ref(3)? {
        return Ok(f(value));
    }
    let mut statement = connection.prepare_cached("SELECT value FROM large WHERE id = ?1")?;
    let mut rows = statement.query([row.get::<_, i64>(4)?])?;
    let row = rows.next()?.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
    Ok(f(row.get_ref(0)?.as_blob()?))
}

fn entry(row: &Row<'_>, value: &[u8]) -> rusqlite::Result<Entry> {
    Ok(Entry {
        key: Key::new(row.get_ref(0)?.as_blob()?),
        value: value.to_vec(),
        version: Version::from_number(row.get::<_, i64>(1)?.cast_unsigned()),
        expires_at: row.get::<_, Option<i64>>(2)?.map(Timestamp::from_millis),
    })
}
