//! `/replace`: exactly a block or some lines of a file, and nothing else.

use super::{Arguments, edit};
use crate::edit::{Edit, FileTarget, Way};
use crate::error::Result;

pub fn parse(arguments: Arguments<'_>, body: Option<&str>) -> Result<Edit> {
    let (target, flags) = arguments.required_target(&[edit::FORCE])?;
    let body = edit::required_body(arguments, body)?;
    let overwrite = edit::overwrite(&flags);
    Ok(Edit { target: FileTarget::parse(target), way: Way::Replace, body, overwrite })
}
