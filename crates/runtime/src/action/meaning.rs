//! What the words of a call mean in a session: placeholders, shortcuts, files.

use serde_json::Value;
use sfmd::{Field, FieldType};

use super::bind::{Meaning, Meant};
use super::{Word, shortcut};
use crate::error::{Code, Error, Result, quoted};
use crate::session::State;
use crate::substitute::{self, Source};
use crate::variable::{Known, read_file};

/// The largest file that becomes the value of a field.
const FIELD_FILE_MAX: u64 = 1024 * 1024;

pub struct InSession<'a> {
    pub known: Known<'a>,
    pub state: &'a State,
}

impl Meaning for InSession<'_> {
    fn word(&self, word: &Word, field: Option<&Field>) -> Result<Meant> {
        if let Some(text) = word.plain().and_then(|text| text.strip_prefix('@')).filter(|_| !word.is_literal)
        {
            return self.shortcut(text, field).map(|value| Meant { value, source: Source::Caller });
        }
        if let Some(placeholder) = word.placeholder() {
            let value = substitute::value_of(placeholder, &self.known)?;
            return Ok(Meant { value, source: Source::Caller });
        }
        let filled = substitute::fill(&word.template, &self.known)?;
        let source = if filled.holds_secret() { Source::CallerSecret } else { Source::Caller };
        Ok(Meant { value: substitute::text(&filled).into(), source })
    }

    fn file(&self, path: &Word) -> Result<Meant> {
        let path = self.word(path, None)?;
        let shown = substitute::text_of(&path.value);
        let bytes = read_file(&shown, self.known.bases, FIELD_FILE_MAX)?;
        let text = String::from_utf8(bytes)
            .map_err(|_| Error::new(Code::InvalidParams, format!("{shown} is not text.")))?;
        Ok(Meant { value: text.into(), source: Source::Caller })
    }
}

impl InSession<'_> {
    /// `id` is what follows the `@`.
    fn shortcut(&self, id: &str, field: Option<&Field>) -> Result<Value> {
        if id.starts_with('@') {
            return Ok(id.into());
        }
        if let Some(value) = shortcut::passed(id, self.state, self.known.bases.workspace) {
            return Ok(value);
        }
        let takes_text = field.is_none_or(|field| field.field_type == FieldType::String);
        if takes_text {
            return Ok(format!("@{id}").into());
        }
        Err(Error::new(Code::NotFound, format!("No shortcut {}.", quoted(&format!("@{id}"))))
            .hint("See them all: /nav --resolve"))
    }
}
