//! What a variable gets that is given the value of one placeholder.

use serde_json::Value;
use sfmd::{Path, Placeholder, Step};

use super::{Marked, Named, Values, value_of};
use crate::error::Result;

/// The value of one placeholder, with its type. What a program printed is without the line ends that it ended with,
/// as a shell has it in `name=$(…)`.
pub fn assigned(placeholder: &Placeholder, values: &dyn Values) -> Result<Marked> {
    let mut found = value_of(placeholder, values)?;
    if placeholder.filters.is_empty() {
        drop_line_ends(&mut found.value, &placeholder.path, values);
    }
    Ok(found)
}

/// Takes the line ends at its end from what a program printed, if the path leads to that.
pub fn drop_line_ends(value: &mut Value, path: &Path, values: &dyn Values) {
    if let Value::String(text) = value
        && is_printed(path, values)
    {
        text.truncate(text.trim_end_matches(['\n', '\r']).len());
    }
}

/// Whether a path leads to the output of a command as a whole. Only commands have a `stdout`.
fn is_printed(path: &Path, values: &dyn Values) -> bool {
    let is_output =
        matches!(&path.steps[..], [Step::Key(key)] if matches!(key.as_str(), "stdout" | "stderr" | "body"));
    let is_command = || match values.named(&path.root) {
        Named::Value { value, .. } => value.get("stdout").is_some(),
        Named::Empty | Named::Unknown => false,
    };
    path.root == "Response" && is_output && is_command()
}
