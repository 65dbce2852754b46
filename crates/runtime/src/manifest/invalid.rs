//! What is wrong with a manifest, and where.

use std::fmt;
use std::path::{Path, PathBuf};

use serde_saphyr::Spanned;

use crate::error::{self, Code};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invalid {
    pub file: PathBuf,
    pub line: u64,
    /// Such as `state[0].scope_id`; empty when it is the whole file.
    pub field: String,
    pub message: String,
}

impl Invalid {
    pub fn whole(file: &Path, message: impl Into<String>) -> Self {
        Self { file: file.to_owned(), line: 1, field: String::new(), message: message.into() }
    }

    /// At the place of a value.
    pub(super) fn at<T>(
        file: &Path,
        field: impl Into<String>,
        value: &Spanned<T>,
        message: impl Into<String>,
    ) -> Self {
        let line = value.referenced.line().max(1);
        Self { file: file.to_owned(), line, field: field.into(), message: message.into() }
    }

    /// What the YAML parser found. The field is the one that it names, or the key on the line that it names.
    pub(super) fn of_yaml(file: &Path, text: &str, error: &serde_saphyr::Error) -> Self {
        let line = error.location().map_or(1, |at| at.line().max(1));
        let written =
            usize::try_from(line - 1).ok().and_then(|line| text.lines().nth(line)).unwrap_or_default();
        let key = written.trim_start_matches(|c: char| c.is_whitespace() || c == '-').split_once(':');
        let is_key =
            |key: &&str| !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-');
        // Without the source lines, which may hold secrets.
        let message = match error.without_snippet() {
            serde_saphyr::Error::DuplicateMappingKey { key: Some(key), .. } => {
                format!("duplicate key {key}")
            }
            serde_saphyr::Error::DuplicateMappingKey { key: None, .. } => "duplicate key".to_owned(),
            serde_saphyr::Error::MultipleDocuments { .. } => {
                "more than one document: remove the ---".to_owned()
            }
            serde_saphyr::Error::Budget { .. } => "too large, or nested too deeply".to_owned(),
            error => {
                let message = error.to_string();
                let message = message.lines().next().unwrap_or_default();
                let message = message.split(" at line ").next().unwrap_or_default();
                let message = message.replace("expected sequence start", "must be a list");
                message.replace("expected mapping start", "must have fields of its own")
            }
        };
        let named = message.split_once(" field `").and_then(|(_, rest)| Some(rest.split_once('`')?.0));
        let field = named.or_else(|| key.map(|(key, _)| key).filter(is_key)).unwrap_or_default().to_owned();
        Self { file: file.to_owned(), line, field, message }
    }
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.file.file_name().unwrap_or_default().to_string_lossy();
        write!(f, "{name}:{}: ", self.line)?;
        if !self.field.is_empty() {
            write!(f, "{}: ", self.field)?;
        }
        f.write_str(&self.message)
    }
}

impl From<Invalid> for error::Error {
    fn from(invalid: Invalid) -> Self {
        let file = invalid.file.display().to_string();
        Self::new(Code::InvalidManifest, error::one_line(&invalid.to_string())).hint(format!("File: {file}"))
    }
}
