//! What names mean in a command: session variables, the last response, the files, and where the command runs.

use std::borrow::Cow;

use super::{Persistent, Surroundings, Variables};
use crate::document::{Bases, Target};
use crate::error::{Code, Error, Result, quoted};
use crate::substitute::{Env, Marked, Named, Source, Values};

/// The most that a filter reads: no body may be larger either.
const FILE_MAX: u64 = 8 * 1024 * 1024;

#[derive(Clone, Copy)]
pub struct Known<'a> {
    pub variables: &'a Variables,
    pub response: Option<&'a Marked>,
    pub persistent: &'a Persistent,
    pub surroundings: &'a Surroundings,
    /// The document whose `env:` gives defaults.
    pub document: Option<&'a sfmd::Page>,
    /// Where the paths start that file filters read.
    pub bases: Bases<'a>,
}

impl Values for Known<'_> {
    fn named(&self, name: &str) -> Named<'_> {
        let found = match name {
            "Response" => self.response,
            name => self.variables.get(name),
        };
        found.map_or(Named::Unknown, |Marked { value, mark }| Named::Value {
            value: Cow::Borrowed(value),
            source: Source::Other,
            mark: *mark,
        })
    }

    fn env(&self, name: &str) -> Option<Env<'_>> {
        let secret = || self.persistent.get(name).map(|secret| Env::Secret(secret.reveal()));
        self.surroundings.get(name).or_else(secret).or_else(|| self.default(name).map(Env::Plain))
    }

    fn file(&self, _value: &Named<'_>, path: &str) -> Result<Vec<u8>> {
        read_file(path, self.bases, FILE_MAX)
    }
}

impl<'a> Known<'a> {
    /// What the document says a name is worth that nobody has set. It is written there, and no secret.
    fn default(&self, name: &str) -> Option<&'a str> {
        let declared = self.document?.requirements();
        let found = declared.into_iter().find(|requirement| requirement.name == name)?;
        found.default.as_deref()
    }
}

/// A file of the workspace, by the path an agent writes.
pub fn read_file(path: &str, bases: Bases<'_>, limit: u64) -> Result<Vec<u8>> {
    let Ok(Target::Path { candidates, block: None }) = Target::parse(path, bases) else {
        return Err(Error::new(Code::InvalidPath, format!("Not a file: {}", quoted(path))));
    };
    let found = bases.workspace.find(&candidates.literal)?;
    let shown = bases.workspace.display(&candidates.literal);
    let bytes = found
        .read(limit)
        .map_err(|error| Error::new(Code::LoadError, format!("{shown} could not be read: {error}")))?;
    if bytes.len() as u64 > limit {
        let message = format!("{shown} is larger than {} KB.", limit / 1024);
        return Err(Error::new(Code::InvalidParams, message));
    }
    Ok(bytes)
}
