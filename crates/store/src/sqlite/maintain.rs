//! Copies and examines a database while it is in use.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use rusqlite::Connection;

use super::file::{create, explain, sibling};
use super::reader::Readers;
use crate::{Error, Result};

/// The invariants of our tables, as queries for the rows that break them.
const INVARIANTS: &[(&str, &str)] = &[
    (
        "entries in a space without a name",
        "SELECT count(*) FROM entry WHERE space NOT IN (SELECT id FROM space)",
    ),
    (
        "names of spaces without an entry",
        "SELECT count(*) FROM space WHERE id NOT IN (SELECT space FROM entry)",
    ),
    (
        "entries without their value",
        "SELECT count(*) FROM entry WHERE (value IS NULL) = (large IS NULL)
            OR (large IS NOT NULL AND large NOT IN (SELECT id FROM large))",
    ),
    (
        "large values without an entry",
        "SELECT count(*) FROM large WHERE id NOT IN (SELECT large FROM entry WHERE large IS NOT NULL)",
    ),
    (
        "entries with a version that was never given out",
        "SELECT count(*) FROM entry WHERE version > (SELECT max(reserved) FROM counter)",
    ),
];

/// Added to the counter of versions in a copy. Whoever goes on with the copy must not give out a version that the
/// original gave out after the copy was made; there is room for eight million copies of copies.
const VERSIONS_SKIPPED: i64 = 1 << 40;

/// Copies one moment of the database to a new file, which gets its name only when it is complete.
pub(super) fn backup(readers: &Readers, to: &Path) -> Result<()> {
    if to.exists() {
        return Err(Error::Exists { path: to.to_owned() });
    }
    let partial = sibling(to, ".partial");
    match fs::remove_file(&partial) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(Error::io(&partial, error)),
        _ => create(&partial).map_err(|error| Error::io(&partial, error))?,
    }
    let copied = copy(readers, &partial).and_then(|()| {
        skip_versions(&partial).map_err(|error| explain(&partial, error))?;
        publish(&partial, to).map_err(|error| Error::io(to, error))
    });
    let copied = copied.map_err(|error| match error {
        Error::Full { .. } => Error::Full { path: to.to_owned() },
        other => other,
    });
    if copied.is_err() {
        // The caller needs to know why the copy failed, not that its remains could not be removed.
        let _ = fs::remove_file(&partial);
    }
    copied
}

pub(super) fn check_integrity(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut problems = Vec::new();
    let mut statement = connection.prepare("PRAGMA integrity_check")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        problems.push(row.get::<_, String>(0)?);
    }
    problems.retain(|problem| problem != "ok");
    // In a file that is damaged below, these would only repeat the damage or fail because of it.
    if problems.is_empty() {
        for (what, query) in INVARIANTS {
            let count: u64 = connection.query_row(query, [], |row| row.get::<_, i64>(0))?.cast_unsigned();
            if count > 0 {
                problems.push(format!("{count} {what}"));
            }
        }
    }
    Ok(problems)
}

fn copy(readers: &Readers, target: &Path) -> Result<()> {
    let not_text = || Error::io(target, io::Error::new(io::ErrorKind::InvalidInput, "the path is not UTF-8"));
    let name = target.to_str().ok_or_else(not_text)?;
    let copied = readers.with(|connection| Ok(connection.execute("VACUUM INTO ?1", [name])))?;
    copied.map(drop).map_err(|error| explain(readers.path(), error))
}

fn skip_versions(copy: &Path) -> rusqlite::Result<()> {
    let connection = Connection::open(copy)?;
    connection.execute("UPDATE counter SET reserved = reserved + ?1", [VERSIONS_SKIPPED])?;
    Ok(())
}

/// Makes a copy permanent, then visible.
fn publish(partial: &Path, to: &Path) -> io::Result<()> {
    File::open(partial)?.sync_all()?;
    fs::rename(partial, to)?;
    let folder = to.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder)?.sync_all()
}
