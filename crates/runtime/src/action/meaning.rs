//! What the words of a call mean in a session: placeholders, shortcuts, files.

use serde_json::Value;
use sfmd::FieldType;

use super::bind::{Meaning, Meant, Wanted};
use super::{Trust, Word, shortcut};
use crate::error::{Code, Error, Result, quoted};
use crate::session::State;
use crate::substitute::{self, Marked};
use crate::variable::{Known, read_file};

/// The largest file that becomes the value of a field.
const FIELD_FILE_MAX: u64 = 1024 * 1024;

pub struct InSession<'a> {
    pub known: Known<'a>,
    pub state: &'a State,
    /// Of the document that is called: it decides which files the words may name.
    pub trust: &'a Trust,
}

impl Meaning for InSession<'_> {
    fn word(&self, word: &Word, wanted: Wanted<'_>) -> Result<Meant> {
        if let Some(text) = word.plain().and_then(|text| text.strip_prefix('@')).filter(|_| !word.is_literal)
        {
            return self.shortcut(text, wanted).map(Meant::given);
        }
        if let Some(placeholder) = word.placeholder() {
            return substitute::value_of(placeholder, &self.known).map(Meant::given);
        }
        let filled = substitute::fill(&word.template, &self.known)?;
        let is_json = match wanted {
            Wanted::Json => true,
            Wanted::Field(field) => field.field_type == FieldType::Json,
            Wanted::Text => false,
        };
        let text = if is_json { substitute::json_word(&filled)? } else { substitute::text(&filled) };
        Ok(Meant::given(Marked { value: text.into(), mark: filled.mark() }))
    }

    fn file(&self, path: &Word) -> Result<Meant> {
        let path = self.word(path, Wanted::Text)?;
        let shown = substitute::text_of(&path.value);
        if path.mark.from_web {
            self.trust.require_own_file(&shown)?;
        }
        let bytes = read_file(&shown, self.known.bases, FIELD_FILE_MAX)?;
        let text = String::from_utf8(bytes)
            .map_err(|_| Error::new(Code::InvalidParams, format!("{shown} is not text.")))?;
        Ok(Meant::given(Marked { value: text.into(), mark: path.mark }))
    }
}

impl InSession<'_> {
    /// `id` is what follows the `@`.
    fn shortcut(&self, id: &str, wanted: Wanted<'_>) -> Result<Marked> {
        if id.starts_with('@') {
            return Ok(Value::from(id).into());
        }
        if let Some(value) = shortcut::passed(id, self.state, self.known.bases.workspace) {
            return Ok(value);
        }
        let takes_text = match wanted {
            Wanted::Text | Wanted::Json => true,
            Wanted::Field(field) => field.field_type == FieldType::String,
        };
        if takes_text {
            return Ok(Value::from(format!("@{id}")).into());
        }
        Err(Error::new(Code::NotFound, format!("No shortcut {}.", quoted(&format!("@{id}"))))
            .hint("See them all: /nav --resolve"))
    }
}
