//! Texts with placeholders: `{name.path|filter}`, `$NAME`, `{@name}`. They are typed here and filled in by the
//! runtime, which knows the values and how each place encodes them.

mod parse;
mod path;

use std::fmt;

use crate::id::Id;

pub use path::{Path, Step};

/// A text cut into what is literal and what is filled in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Template {
    pub pieces: Vec<Piece>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    Text(String),
    /// `{name}`
    Value(Placeholder),
    /// `$NAME`. Where the name means nothing to the runtime, a command line keeps it for the shell.
    Env(String),
    /// `$$`, a dollar sign that begins no name.
    Dollar,
    /// `{@name}`: the value shortcut that was set last under this name.
    Shortcut(Id),
    /// `\{name}`: the text `{name}`, which is kept here.
    Braces(String),
}

/// `{path|filter|filter}`; filters apply from left to right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placeholder {
    pub path: Path,
    pub filters: Vec<Filter>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filter {
    Base64,
    /// The content of the file that the value names.
    File,
    Base64File,
    Json,
    UrlEncode,
}

/// `{root|filter}` with a filter that does not exist: text, though hardly meant as such.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownFilter {
    pub root: String,
    pub filter: String,
}

impl fmt::Display for UnknownFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no filter |{}", self.filter)
    }
}

/// Which placeholders a text knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Addresses, headers, bodies and the arguments of commands: `{name}`, `$NAME`, `$$`.
    Definition,
    /// A command line: the same, but `${…}` belongs to the shell.
    Shell,
    /// What a response shows: `{name}` and `{@name}`; a dollar sign is a dollar sign.
    Output,
}

impl Filter {
    const ALL: [(&'static str, Filter); 5] = [
        ("base64", Filter::Base64),
        ("file", Filter::File),
        ("base64file", Filter::Base64File),
        ("json", Filter::Json),
        ("urlencode", Filter::UrlEncode),
    ];

    pub fn parse(name: &str) -> Option<Filter> {
        Filter::ALL.iter().find(|(known, _)| *known == name).map(|(_, filter)| *filter)
    }

    pub fn name(self) -> &'static str {
        Filter::ALL.iter().find(|(_, filter)| *filter == self).map_or("", |(name, _)| name)
    }
}

impl Template {
    /// Never fails: what is no placeholder of the dialect is text.
    pub fn parse(text: &str, dialect: Dialect) -> Template {
        parse::template(text, dialect, &mut Vec::new())
    }

    /// As [`Template::parse`], adding what looks like a placeholder with a filter that does not exist.
    pub fn parse_noting(text: &str, dialect: Dialect, unknown_filters: &mut Vec<UnknownFilter>) -> Template {
        parse::template(text, dialect, unknown_filters)
    }

    pub fn placeholders(&self) -> impl Iterator<Item = &Placeholder> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Value(placeholder) => Some(placeholder),
            _ => None,
        })
    }

    /// The names after `$`, in order, repeated ones repeated.
    pub fn env_names(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Env(name) => Some(name.as_str()),
            _ => None,
        })
    }
}

impl Placeholder {
    /// A text that is one placeholder and nothing else.
    pub fn parse(text: &str) -> Option<Placeholder> {
        parse::whole_placeholder(text)
    }

    /// The placeholder that `text` begins with, and what follows it.
    pub fn parse_start(text: &str) -> Option<(Placeholder, &str)> {
        parse::leading_placeholder(text)
    }
}

/// The template as it was written.
impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pieces.iter().try_for_each(|piece| match piece {
            Piece::Text(text) => f.write_str(text),
            Piece::Value(placeholder) => placeholder.fmt(f),
            Piece::Env(name) => write!(f, "${name}"),
            Piece::Dollar => f.write_str("$$"),
            Piece::Shortcut(name) => write!(f, "{{@{name}}}"),
            Piece::Braces(text) => write!(f, "\\{text}"),
        })
    }
}

impl fmt::Display for Placeholder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{{}", self.path)?;
        self.filters.iter().try_for_each(|filter| write!(f, "|{}", filter.name()))?;
        f.write_str("}")
    }
}
