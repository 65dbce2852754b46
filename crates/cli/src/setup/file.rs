//! A client's file: read whole, replaced whole, and kept as it was beside it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// More than any settings file has.
const BYTES_MAX: u64 = 64 * 1024 * 1024;
/// As many links in a row as the system itself follows.
const LINKS_MAX: usize = 40;

/// The file's text; none if there is no such file.
pub(super) fn read(path: &Path) -> Result<Option<String>, Failure> {
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Ok(found) if found.is_file() && found.len() <= BYTES_MAX => {}
        Ok(_) => return Err(Failure::failed(format!("{} is not a settings file", path.display()))),
        Err(error) => return Err(failed(path, &error)),
    }
    fs::read_to_string(path).map(Some).map_err(|error| failed(path, &error))
}

/// Replaces the file, through a link if it is one, and says where what was there before is kept.
pub(super) fn replace(path: &Path, before: Option<&str>, text: &str) -> Result<Option<PathBuf>, Failure> {
    let real = behind_links(path).map_err(|error| failed(path, &error))?;
    let permissions = fs::metadata(&real).ok().map(|found| found.permissions());
    let backup =
        before.map(|before| keep(&real, before)).transpose().map_err(|error| failed(&real, &error))?;
    let written = runtime::files::write_atomic(&real, text.as_bytes())
        .and_then(|()| permissions.map_or(Ok(()), |permissions| fs::set_permissions(&real, permissions)));
    written.map_err(|error| failed(&real, &error))?;
    Ok(backup)
}

/// Where the file is or will be: a link may lead to one that is yet to be made.
fn behind_links(path: &Path) -> io::Result<PathBuf> {
    let mut real = path.to_owned();
    for _ in 0..LINKS_MAX {
        match fs::read_link(&real) {
            Ok(target) => real = real.parent().unwrap_or(Path::new("")).join(target),
            // Not a link, or nothing there.
            Err(_) => return Ok(real),
        }
    }
    Err(io::Error::other("it is a link that leads in a circle"))
}

/// Writes the text beside the file, under the first name that is free.
fn keep(path: &Path, text: &str) -> io::Result<PathBuf> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let free = (1..).map(|number| match number {
        1 => path.with_file_name(format!("{name}.bak")),
        number => path.with_file_name(format!("{name}.bak{number}")),
    });
    let backup = free.into_iter().find(|candidate| fs::symlink_metadata(candidate).is_err());
    let backup = backup.ok_or(io::ErrorKind::AlreadyExists)?;
    runtime::files::write_atomic(&backup, text.as_bytes())?;
    Ok(backup)
}

fn failed(path: &Path, error: &io::Error) -> Failure {
    Failure::failed(format!("{}: {error}", path.display()))
}
