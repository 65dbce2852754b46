//! Binding: which word of a call belongs to which field, and what stays for `$ARGS`.

mod flag;
mod named;

use std::iter::Peekable;
use std::slice::Iter;

use serde_json::Value;
use sfmd::{Action, Field, FieldType, schema_line};

use self::flag::Flag;
use super::coerce::{coerce, exact_json};
use super::{Called, Word};
use crate::error::{Code, Error, Result, quoted};
use crate::substitute::{Mark, Marked, Source, text_of};

/// What a word turns out to be.
#[derive(Debug, Clone, PartialEq)]
pub struct Meant {
    pub value: Value,
    pub source: Source,
    pub mark: Mark,
}

impl Meant {
    /// What the caller gives in this call.
    pub fn given(value: impl Into<Marked>) -> Self {
        let Marked { value, mark } = value.into();
        Self { value, source: Source::Caller, mark }
    }
}

/// What a word is read as.
#[derive(Debug, Clone, Copy)]
pub enum Wanted<'a> {
    Text,
    /// A text that may be JSON.
    Json,
    Field(&'a Field),
}

/// How words become values: looked up in the session, or read from files.
pub trait Meaning {
    /// A value as the caller wrote it.
    fn word(&self, word: &Word, wanted: Wanted<'_>) -> Result<Meant>;
    /// The content of the file that a word names.
    fn file(&self, path: &Word) -> Result<Meant>;
}

/// The fields of a call, and the words that no field takes.
#[derive(Debug, Default, PartialEq)]
pub struct Bound {
    fields: Vec<(String, Meant)>,
    pub words: Vec<String>,
    pub words_mark: Mark,
}

impl Bound {
    pub fn get(&self, name: &str) -> Option<&Meant> {
        self.fields.iter().find(|(known, _)| known == name).map(|(_, meant)| meant)
    }

    /// The paths that the caller gave, to be written in another way.
    pub fn paths_mut<'b>(&'b mut self, action: &'b Action) -> impl Iterator<Item = &'b mut String> {
        let is_path =
            |name: &str| action.field(name).is_some_and(|field| field.field_type == FieldType::Path);
        let given = self
            .fields
            .iter_mut()
            .filter(move |(name, meant)| is_path(name) && meant.source == Source::Caller);
        given.filter_map(|(_, meant)| match &mut meant.value {
            Value::String(path) => Some(path),
            _ => None,
        })
    }

    /// What is known of all that was given.
    pub fn mark(&self) -> Mark {
        self.fields.iter().map(|(_, meant)| meant.mark).chain([self.words_mark]).collect()
    }

    /// In the order of their declaration.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.fields.iter().map(|(name, meant)| (name.as_str(), &meant.value))
    }
}

/// Binds what a call gives to the fields of an action: by name, or by its words.
pub fn bind(action: &Action, called: &Called, meaning: &dyn Meaning) -> Result<Bound> {
    let mut binder =
        Binder { action, called, meaning, given: Vec::new(), others: Vec::new(), bound: Bound::default() };
    binder.named()?;
    binder.flags()?;
    binder.positionals()?;
    binder.finish()
}

struct Binder<'a> {
    action: &'a Action,
    called: &'a Called,
    meaning: &'a dyn Meaning,
    given: Vec<(&'a Field, Meant)>,
    /// Words that are no flags, or flags that nobody declared while the action takes any words.
    others: Vec<&'a Word>,
    bound: Bound,
}

impl<'a> Binder<'a> {
    fn flags(&mut self) -> Result<()> {
        let mut words = self.called.words.iter().peekable();
        while let Some(word) = words.next() {
            match self.flag(word)? {
                Flag::End => {
                    self.others.extend(words);
                    break;
                }
                Flag::None => self.others.push(word),
                Flag::Set(..) if words.peek().is_some_and(|next| next.is_answer()) => {
                    return Err(self.wrong(format!("{} takes no value.", word.template), &[]));
                }
                Flag::Set(field, value) => self.given.push((field, Meant::given(value))),
                Flag::Attached(field, value) => self.give(field, &value)?,
                Flag::File(field, Some(path)) => self.give_file(field, &path)?,
                Flag::File(field, None) => {
                    let path = self.value_after(word, field, &mut words)?;
                    self.give_file(field, path)?;
                }
                Flag::Wants(field) if field.field_type == FieldType::Boolean => {
                    match words.next_if(|next| next.is_answer() || next.is_filled_in()) {
                        Some(value) => self.give(field, value)?,
                        None => {
                            self.given.push((field, Meant::given(Value::from(true))));
                        }
                    }
                }
                Flag::Wants(field) => {
                    let value = self.value_after(word, field, &mut words)?;
                    self.give(field, value)?;
                }
            }
        }
        Ok(())
    }

    /// The word after a flag that needs one. Where a flag stands instead that nobody declared, that is what is wrong.
    fn value_after(
        &self,
        flag: &Word,
        field: &Field,
        words: &mut Peekable<Iter<'a, Word>>,
    ) -> Result<&'a Word> {
        if let Some(value) = words.next_if(|next| !self.is_flag(next)) {
            return Ok(value);
        }
        words.peek().map(|next| self.flag(next)).transpose()?;
        Err(self.needs_value(field, flag))
    }

    /// Words without a flag fill the fields that are left, in order.
    fn positionals(&mut self) -> Result<()> {
        if self.action.takes_any_words() {
            return Ok(());
        }
        for word in std::mem::take(&mut self.others) {
            let is_free = |field: &&Field| self.given.iter().all(|(given, _)| given.name != field.name);
            let is_boolean = |field: &&Field| field.field_type == FieldType::Boolean;
            let mut free = self.action.fields.iter().filter(is_free);
            // What fills the placeholder must not decide which field it is: the others come first.
            let field = match word.is_switch() {
                true => free.next(),
                false => free
                    .clone()
                    .find(|field| !is_boolean(field))
                    .or_else(|| free.find(is_boolean).filter(|_| word.is_filled_in())),
            };
            let Some(field) = field else {
                let message = format!("Too many arguments: {}.", quoted(&word.template.to_string()));
                return Err(self.wrong(message, &[]));
            };
            self.give(field, word)?;
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Bound> {
        let mut bound = std::mem::take(&mut self.bound);
        for field in &self.action.fields {
            let mut values: Vec<&Meant> = self
                .given
                .iter()
                .filter(|(given, _)| given.name == field.name)
                .map(|(_, meant)| meant)
                .collect();
            let meant = match (values.len(), &field.default) {
                (0, Some(default)) => {
                    Meant { value: default.clone(), source: Source::Other, mark: Mark::default() }
                }
                (0, None) => continue,
                (1, _) => values.remove(0).clone(),
                (last, _) if field.field_type == FieldType::Boolean => values.remove(last - 1).clone(),
                _ => Meant::given(Marked {
                    value: values.iter().map(|meant| meant.value.clone()).collect(),
                    mark: values.iter().map(|meant| meant.mark).collect(),
                }),
            };
            bound.fields.push((field.name.clone(), meant));
        }
        let missing: Vec<&Field> = self
            .action
            .fields
            .iter()
            .filter(|field| field.required && bound.get(&field.name).is_none())
            .collect();
        if !missing.is_empty() {
            let names: Vec<String> = missing.iter().map(|field| format!("--{}", field.name)).collect();
            let verb = if missing.len() == 1 { "is" } else { "are" };
            return Err(self.wrong(format!("{} {verb} missing.", names.join(", ")), &missing));
        }
        for word in &self.others {
            let meant = self.meaning.word(word, Wanted::Text)?;
            bound.words_mark = bound.words_mark.with(meant.mark);
            bound.words.push(text_of(&meant.value).into_owned());
        }
        Ok(bound)
    }

    fn give(&mut self, field: &'a Field, word: &Word) -> Result<()> {
        let meant = self.meaning.word(word, Wanted::Field(field))?;
        let hint = torn_json(field, word, &meant.value);
        self.keep(field, meant).map_err(|error| error.hints(hint))
    }

    fn give_file(&mut self, field: &'a Field, path: &Word) -> Result<()> {
        let mut meant = self.meaning.file(path)?;
        // Only a text can end with the newline that editors put at the end of files.
        let is_text = field.field_type == FieldType::String && field.choices.is_empty();
        if let Value::String(text) = &mut meant.value
            && !is_text
            && let Some(line) = text.strip_suffix('\n')
        {
            *text = line.strip_suffix('\r').unwrap_or(line).to_owned();
        }
        self.keep(field, meant)
    }

    fn keep(&mut self, field: &'a Field, meant: Meant) -> Result<()> {
        let value = self.fitting(field, coerce(field, meant.value), meant.mark)?;
        self.given.push((field, Meant { value, ..meant }));
        Ok(())
    }

    fn fitting(&self, field: &Field, coerced: Result<Value, String>, mark: Mark) -> Result<Value> {
        coerced.map_err(|why| {
            // What a secret variable holds is not for the message.
            let why = if mark.secret { "does not fit.".to_owned() } else { why };
            self.wrong(format!("--{} {why}", field.name), &[field])
        })
    }

    fn needs_value(&self, field: &Field, flag: &Word) -> Error {
        let shown = flag.template.to_string();
        self.wrong(format!("{shown} needs a value."), &[field])
    }

    /// An error with the lines that repair the call.
    fn wrong(&self, message: String, fields: &[&Field]) -> Error {
        Error::new(Code::InvalidParams, message)
            .hints(fields.iter().map(|field| schema_line(field)))
            .hint(self.called.usage(self.action))
    }
}

/// JSON without quotes around it has lost its own: what to write instead.
fn torn_json(field: &Field, word: &Word, value: &Value) -> Option<String> {
    let is_json = field.field_type == FieldType::Json;
    let begins = !word.is_quoted && word.leading_text().starts_with(['{', '[']);
    let is_torn = is_json && begins && exact_json(&text_of(value)) == Ok(None);
    is_torn.then(|| format!("Put JSON in '…', or its own quotes are gone: --{} '{{\"a\": 1}}'", field.name))
}
