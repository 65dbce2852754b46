//! `/write`: creates or overwrites a file, or replaces a part of it.

use super::{Arguments, edit};
use crate::edit::{Edit, FileTarget, Way};
use crate::error::Result;

pub fn parse(arguments: Arguments<'_>, body: Option<&str>) -> Result<Edit> {
    let (target, flags) = arguments.required_target(&[edit::FORCE])?;
    let body = edit::required_body(arguments, body)?;
    Ok(Edit { target: FileTarget::parse(target), way: Way::Write, body, overwrite: edit::overwrite(&flags) })
}
