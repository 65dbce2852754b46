//! The one door through which values enter an address, a path, a header, a body, a command line or a reply.
//!
//! A template is filled once, by [`fill`] and its kin: every placeholder is looked up and its value put beside
//! the author's text, never into it. The places ([`address`], [`file_path`], [`header`], [`json_body`],
//! [`json_word`], [`form_body`], [`command_line`], [`text`]) then encode each value for where it stands. Nothing is
//! looked up again after that, so a value that looks like a placeholder stays what it is.

mod address;
mod assigned;
mod body;
mod filter;
mod header;
mod line;
mod mark;
mod path;
mod quoting;
mod undefined;
mod value;

use std::borrow::Cow;

use serde_json::Value;
use sfmd::{Path, Piece, Placeholder, Template};

pub use address::{Address, address, encoded, relative_address};
pub use assigned::{assigned, drop_line_ends};
pub use body::{form_body, is_json, json_body, json_word};
pub use filter::no_such_filter;
pub use header::header;
pub use line::{CommandLine, LONGEST_VALUES, command_line};
pub use mark::{Mark, Marked};
pub use path::file_path;
pub use undefined::{missing, undefined, undefined_in_action};
pub use value::{is_truthy, text_of, walk};

use crate::error::Result;

/// What names mean to one call. Implementations only look up; they never fill anything in.
pub trait Values {
    /// What `{name}` begins with.
    fn named(&self, name: &str) -> Named<'_>;
    /// What the whole of `{name.path}` stands for.
    fn at(&self, path: &Path) -> Named<'_> {
        match self.named(&path.root) {
            Named::Value { value: Cow::Borrowed(value), source, mark } => {
                walk(value, &path.steps).map_or(Named::Unknown, |value| Named::Value { value, source, mark })
            }
            Named::Value { value: Cow::Owned(value), source, mark } => match walk(&value, &path.steps) {
                Some(found) => Named::Value { value: Cow::Owned(found.into_owned()), source, mark },
                None => Named::Unknown,
            },
            other => other,
        }
    }
    /// `$NAME`.
    fn env(&self, name: &str) -> Option<Env<'_>>;
    /// The content of a file, for the filters that read one.
    fn file(&self, path: &Named<'_>, shown: &str) -> Result<Vec<u8>>;
    /// What `{@name}` shows.
    fn shortcut(&self, _name: &str) -> Option<String> {
        None
    }
}

/// What `{name}` stands for.
#[derive(Debug, Clone, PartialEq)]
pub enum Named<'a> {
    Value {
        value: Cow<'a, Value>,
        source: Source,
        mark: Mark,
    },
    /// A declared field without a value.
    Empty,
    Unknown,
}

/// How a value came to have its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The caller gave it in this call.
    Caller,
    /// A default, a session variable, the last response.
    Other,
}

/// What `$NAME` stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Env<'a> {
    /// A value that may be shown.
    Plain(&'a str),
    /// A value of the files.
    Secret(&'a str),
    /// `$ARGS`: the caller's words.
    Words(&'a [String], Mark),
}

/// A template with its values beside the text.
#[derive(Debug, Clone, PartialEq)]
pub struct Filled<'t> {
    parts: Vec<Part<'t>>,
}

#[derive(Debug, Clone, PartialEq)]
enum Part<'t> {
    Text(Cow<'t, str>),
    /// A dollar sign that begins no name.
    Dollar,
    Value(Inserted),
}

#[derive(Debug, Clone, PartialEq)]
struct Inserted {
    content: Content,
    mark: Mark,
    /// How it is shown where it must not be.
    hidden_as: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
enum Content {
    Value(Value),
    /// The result of `|json`: JSON already.
    Json(String),
    Words(Vec<String>),
    Absent,
}

/// Fills a template; a name without a value is an error.
pub fn fill<'t>(template: &'t Template, values: &dyn Values) -> Result<Filled<'t>> {
    fill_with(template, |piece| strict(piece, values))
}

/// Fills a command line: a `$NAME` that means nothing here belongs to the shell, and so do the names that the
/// line itself sets.
pub fn fill_line<'t>(template: &'t Template, values: &dyn Values) -> Result<Filled<'t>> {
    let own = quoting::assigned_names(template);
    fill_with(template, |piece| match piece {
        Piece::Env(name) if own.contains(name.as_str()) || values.env(name).is_none() => {
            Ok(Part::Text(Cow::Owned(format!("${name}"))))
        }
        piece => strict(piece, values),
    })
}

/// Fills what a response shows: a name without a value is empty, and noted.
pub fn fill_output<'t>(template: &'t Template, values: &dyn Values, missing: &mut Vec<String>) -> Filled<'t> {
    let parts = template.pieces.iter().map(|piece| {
        strict(piece, values).unwrap_or_else(|_| {
            missing.push(shown(piece));
            Part::Value(Inserted::ABSENT)
        })
    });
    Filled { parts: parts.collect() }
}

/// The value of one placeholder, with its type.
pub fn value_of(placeholder: &Placeholder, values: &dyn Values) -> Result<Marked> {
    let found = inserted(placeholder, values)?;
    let Inserted { content, mark, .. } =
        found.ok_or_else(|| undefined([shown(&Piece::Value(placeholder.clone()))], values))?;
    let value = match content {
        Content::Value(value) => value,
        Content::Json(text) => text.into(),
        Content::Words(_) | Content::Absent => Value::Null,
    };
    Ok(Marked { value, mark })
}

/// The filled template as it is.
pub fn text(filled: &Filled<'_>) -> String {
    filled.parts.iter().map(Part::text).collect()
}

impl Filled<'_> {
    /// What is known of the value that it begins with.
    pub fn lead_mark(&self) -> Mark {
        self.parts.first().map(Part::mark).unwrap_or_default()
    }

    /// The values in it that hold one of the `$NAME` files.
    pub fn secret_texts(&self) -> impl Iterator<Item = String> {
        self.parts.iter().filter(|part| part.mark().secret).map(|part| part.text().into_owned())
    }

    /// What is known of all values in it.
    pub fn mark(&self) -> Mark {
        self.parts.iter().map(Part::mark).collect()
    }
}

impl Part<'_> {
    fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) => Cow::Borrowed(text),
            Self::Dollar => Cow::Borrowed("$"),
            Self::Value(inserted) => inserted.text(),
        }
    }

    fn mark(&self) -> Mark {
        match self {
            Self::Text(_) | Self::Dollar => Mark::default(),
            Self::Value(inserted) => inserted.mark,
        }
    }
}

impl Inserted {
    const ABSENT: Self = Self { content: Content::Absent, mark: Mark::NONE, hidden_as: None };

    fn text(&self) -> Cow<'_, str> {
        match &self.content {
            Content::Value(value) => text_of(value),
            Content::Json(text) => Cow::Borrowed(text),
            Content::Words(words) => Cow::Owned(words.join(" ")),
            Content::Absent => Cow::Borrowed(""),
        }
    }
}

fn fill_with<'t>(
    template: &'t Template,
    part: impl FnMut(&'t Piece) -> Result<Part<'t>>,
) -> Result<Filled<'t>> {
    Ok(Filled { parts: template.pieces.iter().map(part).collect::<Result<_>>()? })
}

fn strict<'t>(piece: &'t Piece, values: &dyn Values) -> Result<Part<'t>> {
    let nameless = || undefined([shown(piece)], values);
    Ok(match piece {
        Piece::Text(text) | Piece::Braces(text) => Part::Text(Cow::Borrowed(text)),
        Piece::Dollar => Part::Dollar,
        Piece::Value(placeholder) => Part::Value(inserted(placeholder, values)?.ok_or_else(nameless)?),
        Piece::Env(name) => Part::Value(match values.env(name).ok_or_else(nameless)? {
            Env::Plain(text) => Inserted { content: Content::Value(text.into()), ..Inserted::ABSENT },
            Env::Secret(text) => Inserted {
                content: Content::Value(text.into()),
                mark: Mark::SECRET,
                hidden_as: Some(format!("${name}")),
            },
            Env::Words(words, mark) => {
                Inserted { content: Content::Words(words.to_vec()), mark, hidden_as: hidden(mark) }
            }
        }),
        Piece::Shortcut(name) => Part::Text(Cow::Owned(values.shortcut(name.as_str()).ok_or_else(nameless)?)),
    })
}

/// The value a placeholder stands for; none if it has no value.
fn inserted(placeholder: &Placeholder, values: &dyn Values) -> Result<Option<Inserted>> {
    let found = values.at(&placeholder.path);
    let mark = match found {
        Named::Unknown => return Ok(None),
        Named::Empty => return Ok(Some(Inserted::ABSENT)),
        Named::Value { mark, .. } => mark,
    };
    let content = filter::apply(found, &placeholder.filters, values)?;
    Ok(Some(Inserted { content, mark, hidden_as: hidden(mark) }))
}

/// How a value is shown that holds a secret without being one by name.
fn hidden(mark: Mark) -> Option<String> {
    mark.secret.then(|| "…".to_owned())
}

fn shown(piece: &Piece) -> String {
    Template { pieces: vec![piece.clone()] }.to_string()
}
