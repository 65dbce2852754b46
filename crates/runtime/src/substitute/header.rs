//! Values in a header: as they are, on one line.

use super::{Filled, text};
use crate::error::{Code, Error, Result};

/// The value of the header `name`. A line break in it would begin another header, and is refused.
pub fn header(name: &str, filled: &Filled<'_>) -> Result<String> {
    let value = text(filled);
    if value.chars().any(|c| c.is_control() && c != '\t') {
        let message = format!("A value for the header {name} holds a line break or a control character.");
        return Err(
            Error::new(Code::InvalidParams, message).hint("Header values are one line. Nothing was sent.")
        );
    }
    Ok(value)
}
