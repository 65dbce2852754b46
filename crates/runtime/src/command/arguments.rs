//! The arguments of a command line: flags and words, checked against its usage line.

use super::table::Spec;
use crate::error::{Code, Error, Result, nearest, quoted};
use crate::words;

/// What follows the command's name, not yet split.
#[derive(Debug, Clone, Copy)]
pub struct Arguments<'a> {
    spec: &'static Spec,
    text: &'a str,
}

/// The arguments as words, taken out one by one; what is left over is an error.
#[derive(Debug)]
pub struct Words {
    spec: &'static Spec,
    words: Vec<String>,
}

impl<'a> Arguments<'a> {
    pub fn new(spec: &'static Spec, text: &'a str) -> Self {
        Self { spec, text }
    }

    pub fn words(self) -> Result<Words> {
        Ok(Words { spec: self.spec, words: words::split(self.text)? })
    }

    /// For commands that take no arguments.
    pub fn none<T>(self, command: T) -> Result<T> {
        self.words()?.done()?;
        Ok(command)
    }
}

impl Words {
    /// Takes out a flag without a value.
    pub fn switch(&mut self, flag: &str) -> bool {
        let before = self.words.len();
        self.words.retain(|word| word != flag);
        self.words.len() < before
    }

    /// Takes out a flag with its value, `--flag value` or `--flag=value`.
    pub fn value(&mut self, flag: &str) -> Result<Option<String>> {
        let with_equals = format!("{flag}=");
        let Some(at) = self.words.iter().position(|word| word == flag || word.starts_with(&with_equals))
        else {
            return Ok(None);
        };
        let word = self.words.remove(at);
        if let Some(value) = word.strip_prefix(&with_equals) {
            return Ok(Some(value.to_owned()));
        }
        if at == self.words.len() {
            return Err(self.wrong(format!("{flag} needs a value.")));
        }
        Ok(Some(self.words.remove(at)))
    }

    /// Takes the next word.
    pub fn take(&mut self) -> Option<String> {
        let is_flag = self.words.first().is_none_or(|word| word.starts_with("--"));
        (!is_flag).then(|| self.words.remove(0))
    }

    /// Takes the next word, which must be there.
    pub fn required(&mut self, what: &str) -> Result<String> {
        self.take().ok_or_else(|| self.wrong(format!("{what} is missing.")))
    }

    /// The only word, if there is one.
    pub fn optional(mut self) -> Result<Option<String>> {
        let word = self.take();
        self.done()?;
        Ok(word)
    }

    /// All words that are left, none of which may be a flag.
    pub fn rest(mut self) -> Result<Vec<String>> {
        let words = std::iter::from_fn(|| self.take()).collect();
        self.done()?;
        Ok(words)
    }

    /// Nothing may be left over.
    pub fn done(&self) -> Result<()> {
        let Some(word) = self.words.first() else { return Ok(()) };
        if !word.starts_with("--") {
            return Err(self.wrong(format!("Too many arguments: {}.", quoted(word))));
        }
        let flags = self.spec.usage.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
        let near = nearest(word, flags.filter(|part| part.starts_with("--")));
        let error = self.wrong(format!("Unknown flag {}.", quoted(word)));
        Err(error.hints(near.map(|flag| format!("Did you mean {flag}?"))))
    }

    /// An error about these arguments, with the usage line that repairs them.
    pub fn wrong(&self, message: impl Into<String>) -> Error {
        Error::new(Code::InvalidParams, message).hint(format!("Usage: {}", self.spec.usage))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::table;
    use crate::topic::{Hub, Topic};

    fn words(text: &str) -> Words {
        let spec = table::find("add", &Topic::Hub(Hub::Agent)).unwrap();
        Arguments::new(spec, text).words().unwrap()
    }

    #[test]
    fn flags_may_stand_anywhere() {
        for text in ["codex --home /x", "--home /x codex", "--home=/x codex"] {
            let mut words = words(text);
            assert_eq!(words.value("--home").unwrap().as_deref(), Some("/x"), "{text}");
            assert_eq!(words.required("ID").unwrap(), "codex", "{text}");
            words.done().unwrap();
        }
    }

    #[test]
    fn what_is_left_over_is_an_error_with_the_usage() {
        let error = words("--hoem /x").done().unwrap_err().to_string();
        assert!(error.contains("Did you mean --home?") && error.contains("Usage: /add ID"), "{error}");
        assert!(words("a b").optional().is_err());
        assert!(words("x --home").value("--home").is_err());
        assert!(words("").required("ID").is_err());
    }
}
