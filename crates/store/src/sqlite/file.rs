//! The database file: how it is created, recognised and opened.

use std::fs::{self, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::log::Log;
use crate::{Error, Result};

/// "strn": marks the file as ours, for us and for `file(1)`.
const APPLICATION_ID: i32 = 0x7374_726e;
const FORMAT: u32 = 1;

/// Entries may hold secrets of an agent.
const OWNER_ONLY: u32 = 0o600;

/// Only another process can make us wait (a person with a database shell, say); ours takes turns by itself.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Pages in the log before it is folded into the file and written over from its beginning. Syncing a file that no
/// longer grows costs half as much, so a log that wraps early is faster than one that is folded in rarely.
const LOG_PAGES: u32 = 4000;

/// The size of such a log: each page of 4 KiB has a header of 24 bytes.
const LOG_BYTES: u64 = LOG_PAGES as u64 * (4096 + 24);

/// A log that grew beyond this, because a long read kept it from wrapping, is cut back.
const LOG_BYTES_KEPT: u32 = 64 << 20;

/// Of each connection: room for the inner pages of a million small entries, which every search passes, and used only
/// as far as there is something to keep.
const CACHE_KIB: i32 = 8000;

/// More statements than either kind of connection uses.
const STATEMENTS_CACHED: usize = 32;

/// `large` holds the values that would not fit into a page of `entry`, where they would slow down every search.
const SCHEMA: &str = "
    CREATE TABLE space (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
    CREATE TABLE entry (
        space INTEGER NOT NULL, key BLOB NOT NULL, version INTEGER NOT NULL, expires_at INTEGER,
        value BLOB, large INTEGER, PRIMARY KEY (space, key)) WITHOUT ROWID;
    CREATE INDEX expiry ON entry(expires_at) WHERE expires_at IS NOT NULL;
    CREATE TABLE large (id INTEGER PRIMARY KEY, value BLOB NOT NULL);
    CREATE TRIGGER large_replaced AFTER UPDATE OF large ON entry WHEN OLD.large IS NOT NULL
        BEGIN DELETE FROM large WHERE id = OLD.large; END;
    CREATE TRIGGER large_deleted AFTER DELETE ON entry WHEN OLD.large IS NOT NULL
        BEGIN DELETE FROM large WHERE id = OLD.large; END;
    CREATE TABLE counter (reserved INTEGER NOT NULL);
    INSERT INTO counter VALUES (0);
";

/// Opens the connection that writes, and its log.
pub(super) fn open(path: &Path) -> Result<(Connection, Log)> {
    create_if_missing(path)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let opened = Connection::open_with_flags(path, flags);
    let mut connection = opened.map_err(|error| explain(path, error))?;
    let contents = recognise(&connection).map_err(|error| explain(path, error))?;
    match contents {
        Contents::Empty | Contents::Format(FORMAT) => {}
        Contents::Foreign => return Err(Error::Foreign { path: path.to_owned() }),
        Contents::Format(found) => return Err(Error::Newer { path: path.to_owned(), found, known: FORMAT }),
    }
    restrict(path)?;
    set_up(&mut connection, contents).map_err(|error| explain(path, error))?;
    let log = sibling(path, "-wal");
    let log = Log::open(&log, LOG_BYTES).map_err(|error| Error::io(&log, error))?;
    Ok((connection, log))
}

/// Opens a connection that only reads; the writing one must be open.
pub(super) fn open_reader(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    prepare(&connection)?;
    Ok(connection)
}

/// Names the file in what SQLite reports.
pub(super) fn explain(path: &Path, error: rusqlite::Error) -> Error {
    let path = path.to_owned();
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            Error::Corrupt { path, detail: error.to_string() }
        }
        Some(ErrorCode::DiskFull) => Error::Full { path },
        _ => Error::Database { path, source: error.into() },
    }
}

/// Creates an empty file for its owner alone, where nothing exists yet.
pub(super) fn create(path: &Path) -> io::Result<()> {
    OpenOptions::new().write(true).create_new(true).mode(OWNER_ONLY).open(path).map(drop)
}

/// The file beside another that has a longer name.
pub(super) fn sibling(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

fn create_if_missing(path: &Path) -> Result<()> {
    match create(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(Error::io(path, error)),
        _ => Ok(()),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Contents {
    Empty,
    Foreign,
    Format(u32),
}

fn recognise(connection: &Connection) -> rusqlite::Result<Contents> {
    prepare(connection)?;
    let objects: u32 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    let application: i32 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let format: u32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    Ok(match (application, objects) {
        (APPLICATION_ID, _) => Contents::Format(format),
        (0, 0) => Contents::Empty,
        _ => Contents::Foreign,
    })
}

/// SQLite gives the log and its index the permissions of the database when it creates them; those that a crash left
/// behind keep the ones they had.
fn restrict(path: &Path) -> Result<()> {
    for file in [path.to_owned(), sibling(path, "-wal"), sibling(path, "-shm")] {
        match fs::set_permissions(&file, Permissions::from_mode(OWNER_ONLY)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(Error::io(&file, error)),
            _ => {}
        }
    }
    Ok(())
}

/// What both kinds of connection need before their first statement.
fn prepare(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_CACHED);
    connection.pragma_update(None, "cache_size", -CACHE_KIB)
}

/// Writes nothing to a file that is complete: a start should not wait for the disk.
fn set_up(connection: &mut Connection, contents: Contents) -> rusqlite::Result<()> {
    if contents == Contents::Empty {
        // Possible only before the first table, and before there is a log.
        connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    }
    connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update_and_check(None, "wal_autocheckpoint", LOG_PAGES, |_| Ok(()))?;
    connection.pragma_update_and_check(None, "journal_size_limit", LOG_BYTES_KEPT, |_| Ok(()))?;
    if contents == Contents::Empty {
        create_schema(connection)?;
    }
    // The log appears with the first read.
    connection.query_row("SELECT reserved FROM counter", [], |_| Ok(()))
}

fn create_schema(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction()?;
    transaction.execute_batch(SCHEMA)?;
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", FORMAT)?;
    transaction.commit()
}
