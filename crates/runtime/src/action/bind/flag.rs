//! Flags: which field a word names, and where its value stands.

use serde_json::Value;
use sfmd::{Field, FieldType};

use super::Binder;
use crate::action::Word;
use crate::error::{Result, nearest, quoted};

pub(super) enum Flag<'a> {
    /// `--`
    End,
    /// No flag at all.
    None,
    Set(&'a Field, Value),
    /// The value is the next word.
    Wants(&'a Field),
    /// `--name=value`, `-xvalue`
    Attached(&'a Field, Word),
    /// `--name-file PATH`
    File(&'a Field, Option<Word>),
}

impl<'a> Binder<'a> {
    pub(super) fn flag(&self, word: &Word) -> Result<Flag<'a>> {
        let text = word.leading_text();
        if word.plain() == Some("--") {
            return Ok(Flag::End);
        }
        match text.strip_prefix("--") {
            Some(_) => self.long_flag(word, text),
            None => self.short_flag(word, text),
        }
    }

    fn long_flag(&self, word: &Word, text: &str) -> Result<Flag<'a>> {
        let (name, attached) = match text.find('=') {
            Some(at) => (&text[2..at], Some(word.without(at + 1))),
            None => (&text[2..], None),
        };
        let field = |name: &str| self.action.field(name);
        // A placeholder in the name of a flag would let a value choose the flag.
        if attached.is_none() && word.plain().is_none() {
            return self.no_flag(word, name);
        }
        if let Some(field) = field(name) {
            return Ok(attached.map_or(Flag::Wants(field), |value| Flag::Attached(field, value)));
        }
        if let Some(field) = name.strip_suffix("-file").and_then(field) {
            return Ok(Flag::File(field, attached));
        }
        let switched_off = name.strip_prefix("no-").and_then(field);
        match switched_off.filter(|field| field.field_type == FieldType::Boolean && attached.is_none()) {
            Some(field) => Ok(Flag::Set(field, false.into())),
            None => self.no_flag(word, name),
        }
    }

    fn short_flag(&self, word: &Word, text: &str) -> Result<Flag<'a>> {
        let mut chars = text.chars();
        let (Some('-'), Some(letter)) = (chars.next(), chars.next()) else { return Ok(Flag::None) };
        let Some(field) = self.action.fields.iter().find(|field| field.short == Some(letter)) else {
            // Negative numbers are values, and so is a dash before anything but a letter.
            let is_flag = letter.is_ascii_alphabetic();
            return if is_flag { self.no_flag(word, &text[1..]) } else { Ok(Flag::None) };
        };
        if word.plain().is_some_and(|plain| plain.len() == 2) {
            return Ok(Flag::Wants(field));
        }
        let value_at = if text[2..].starts_with('=') { 3 } else { 2 };
        Ok(Flag::Attached(field, word.without(value_at)))
    }

    /// A flag that nobody declared: a word like any other where any words are taken, else an error.
    fn no_flag(&self, word: &Word, name: &str) -> Result<Flag<'a>> {
        if self.action.takes_any_words() {
            return Ok(Flag::None);
        }
        let shown = word.template.to_string();
        let near = nearest(name, self.action.fields.iter().map(|field| field.name.as_str()));
        let field = near.and_then(|name| self.action.field(name));
        let error =
            self.wrong(format!("Unknown flag {}.", quoted(&shown)), &field.into_iter().collect::<Vec<_>>());
        Err(error
            .hints(near.map(|name| format!("Did you mean --{name}?")))
            .hint("-- before a word makes it a value."))
    }

    /// Whether a word is a flag: then the flag before it was given no value. Where any words are taken, only those of
    /// this action are.
    pub(super) fn is_flag(&self, word: &Word) -> bool {
        self.is_own_flag(word) || (word.is_flag_like() && !self.action.takes_any_words())
    }

    fn is_own_flag(&self, word: &Word) -> bool {
        let text = word.leading_text();
        let name = text.strip_prefix("--").map(|name| name.split('=').next().unwrap_or(name));
        let long = name.is_some_and(|name| self.action.field(name).is_some());
        let short = text.strip_prefix('-').filter(|rest| rest.chars().count() == 1);
        let letter = short.and_then(|rest| rest.chars().next());
        let is_short = letter.is_some() && self.action.fields.iter().any(|field| field.short == letter);
        !word.is_literal && !word.is_quoted && (long || is_short)
    }
}
