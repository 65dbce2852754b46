//! The name of a task.

use std::fmt;

use crate::error::{Code, Error, Result, quoted};

const LONGEST: usize = 128;

/// Given by the caller, or made for one call.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id(Box<str>);

impl Id {
    /// A name that a caller gives, to come back to the task later.
    pub fn parse(text: &str) -> Result<Self> {
        let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | ':' | '@');
        let starts = text.starts_with(|c: char| c.is_ascii_alphanumeric());
        if starts && text.len() <= LONGEST && text.chars().all(legal) {
            return Ok(Self(text.into()));
        }
        Err(Error::new(Code::InvalidParams, format!("Not a task: {}", quoted(text))).hint(
            "A task is named by up to 128 letters, digits and . _ - : @, beginning with a letter or digit.",
        ))
    }

    /// A name that nobody else has.
    pub fn fresh() -> Self {
        Self(ulid::Ulid::generate().to_string().into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_is_one_plain_word() {
        for text in ["job-1", "2024:a.b@c", "A"] {
            assert_eq!(Id::parse(text).unwrap().as_str(), text);
        }
        for text in ["", "-x", "../x", "a/b", "a b", "é", "a\0", &"x".repeat(129)] {
            assert_eq!(Id::parse(text).unwrap_err().code, Code::InvalidParams, "{text}");
        }
        assert!(Id::parse(Id::fresh().as_str()).is_ok());
    }
}
