//! Command actions: from a definition and its fields to a line for bash.

use std::path::{Path, PathBuf};

use sfmd::{Action, Template};

use super::Trust;
use super::definition::Definition;
use super::http::LONGEST_LIMIT;
use crate::agent::workspace;
use crate::bash::{EXEC_LIMIT, Job};
use crate::document::Bases;
use crate::error::Result;
use crate::substitute::{self, Mark, command_line, fill_line};

/// How much of each output is kept.
pub const OUTPUT_MAX: usize = 8 * 1024 * 1024;

/// A path that the caller gave, as a command in `directory` reads it: the file that `/open` would open.
pub fn path_from(directory: &Path, text: &str, bases: Bases<'_>) -> String {
    let meant = bases.resolve(text);
    let is_read_so = workspace::normalize(&directory.join(text)) == meant;
    if is_read_so { text.to_owned() } else { meant.to_string_lossy().into_owned() }
}

/// Makes the command of an action that a document in `directory` declares, with the mark of what goes into it.
pub fn prepare(
    action: &Action,
    line: &Template,
    definition: &Definition<'_>,
    trust: &Trust,
    directory: PathBuf,
) -> Result<(Job, Mark)> {
    trust.require_local("run commands")?;
    let names = substitute::missing([line], definition);
    // A `$NAME` without a value belongs to the shell.
    let missing: Vec<String> = names.into_iter().filter(|name| name.starts_with('{')).collect();
    if !missing.is_empty() {
        return Err(substitute::undefined_in_action(missing, definition).hint("Nothing was run."));
    }
    let filled = fill_line(line, definition)?;
    let built = command_line(&filled)?;
    let limit = action.timeout.unwrap_or(EXEC_LIMIT).min(LONGEST_LIMIT);
    let values = built.values.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
    Ok((Job { text: built.line, directory, limit, values, live: None }, filled.mark()))
}
