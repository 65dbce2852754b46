//! Actions: what a document lets its reader call.

mod define;
mod field;
mod help;
mod option;

use std::fmt;
use std::time::Duration;

use serde_json::Value;

use crate::id::Id;
use crate::template::Template;
use crate::warning::Warning;

pub(crate) use define::define;
pub use help::{action_help, schema_line, usage_line};

/// Each is looked for among all others, in every call; nobody types as many.
pub(crate) const MAX_FIELDS: usize = 256;
/// The variable that stands for all words of the caller.
const ARGS: &str = "ARGS";

/// A fence `act.ID`, read.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    pub id: Id,
    /// The line of its fence.
    pub line: usize,
    pub call: Call,
    pub timeout: Option<Duration>,
    pub fields: Vec<Field>,
    /// What of the definition could not be understood. Texts name fields only: addresses, headers and
    /// templates are not for the caller's eyes.
    pub warnings: Vec<Warning>,
}

/// What a call does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Call {
    Http(HttpCall),
    Cli {
        command: Template,
    },
    Script {
        file: String,
        entrypoint: Option<String>,
    },
    /// The first line says nothing that can be called.
    Unreadable,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpCall {
    pub method: Method,
    pub url: Template,
    pub headers: Vec<Header>,
    pub body: Option<Template>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    pub name: String,
    pub value: Template,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    Get,
    Post,
    Put,
    Patch,
    Delete,
}

/// One parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    pub name: String,
    /// The letter of `-x`.
    pub short: Option<char>,
    pub field_type: FieldType,
    pub required: bool,
    /// The only values allowed, if any are listed.
    pub choices: Vec<String>,
    /// Bounds of the value, or of a text's length.
    pub min: Option<f64>,
    pub max: Option<f64>,
    pub description: Option<String>,
    pub default: Option<Value>,
    pub line: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldType {
    String,
    Number,
    Integer,
    Boolean,
    Path,
    Json,
}

impl Method {
    const ALL: [(&'static str, Method); 5] = [
        ("GET", Method::Get),
        ("POST", Method::Post),
        ("PUT", Method::Put),
        ("PATCH", Method::Patch),
        ("DELETE", Method::Delete),
    ];

    pub fn parse(name: &str) -> Option<Method> {
        Method::ALL.iter().find(|(known, _)| *known == name).map(|(_, method)| *method)
    }

    pub fn name(self) -> &'static str {
        Method::ALL.iter().find(|(_, method)| *method == self).map_or("", |(name, _)| name)
    }
}

impl FieldType {
    const ALL: [(&'static str, FieldType); 6] = [
        ("string", FieldType::String),
        ("number", FieldType::Number),
        ("integer", FieldType::Integer),
        ("boolean", FieldType::Boolean),
        ("path", FieldType::Path),
        ("json", FieldType::Json),
    ];

    pub fn parse(name: &str) -> Option<FieldType> {
        FieldType::ALL.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind)
    }

    pub fn name(self) -> &'static str {
        FieldType::ALL.iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| name)
    }
}

impl Call {
    /// The word a definition begins with, as `/info` shows it: `GET`, `CLI`, `SCRIPT`.
    pub fn word(&self) -> &'static str {
        match self {
            Call::Http(http) => http.method.name(),
            Call::Cli { .. } => "CLI",
            Call::Script { .. } => "SCRIPT",
            Call::Unreadable => "?",
        }
    }

    /// All texts in which placeholders are filled in.
    pub fn templates(&self) -> Vec<&Template> {
        match self {
            Call::Http(http) => {
                let headers = http.headers.iter().map(|header| &header.value);
                std::iter::once(&http.url).chain(headers).chain(&http.body).collect()
            }
            Call::Cli { command } => vec![command],
            Call::Script { .. } | Call::Unreadable => Vec::new(),
        }
    }
}

impl Action {
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// Whether the action passes on all words of the caller (`$ARGS`).
    pub fn takes_any_words(&self) -> bool {
        self.call.templates().iter().any(|template| template.env_names().any(|name| name == ARGS))
    }
}

/// What the info string of a fence says the fence is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Fence {
    /// `act.ID`
    Action(Id),
    /// `act.ID.response`
    Response(Id),
}

impl fmt::Display for Fence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fence::Action(id) => write!(f, "act.{id}"),
            Fence::Response(id) => write!(f, "act.{id}.response"),
        }
    }
}

/// Reads the first word of an info string that begins with `act.`.
pub(crate) fn fence(info: &str) -> Option<Fence> {
    let word = info.split_whitespace().next().unwrap_or_default();
    let name = word.strip_prefix("act.")?;
    match name.strip_suffix(".response") {
        Some(id) => Id::parse(id).map(Fence::Response),
        None => Id::parse(name).map(Fence::Action),
    }
}
