//! `/append`: adds at the end of a file. Nothing is lost by it, so the file need not have been read.

use super::{Arguments, edit};
use crate::edit::{Edit, FileTarget, Overwrite, Way};
use crate::error::Result;

pub fn parse(arguments: Arguments<'_>, body: Option<&str>) -> Result<Edit> {
    let (target, _) = arguments.required_target(&[])?;
    let body = edit::required_body(arguments, body)?;
    Ok(Edit { target: FileTarget::parse(target), way: Way::Append, body, overwrite: Overwrite::IfSeen })
}
