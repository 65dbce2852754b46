//! The arguments of a command line: flags and words, checked against its usage line.

use super::table::Spec;
use crate::document::is_blank;
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
    usage: &'static str,
    words: Vec<String>,
    /// Those behind a bare `--`, none of which is a flag.
    plain: Vec<String>,
    /// The flags whose value was taken out.
    valued: Vec<String>,
}

impl<'a> Arguments<'a> {
    pub fn new(spec: &'static Spec, text: &'a str) -> Self {
        Self { spec, text }
    }

    pub fn words(self) -> Result<Words> {
        let words = words::split(self.text)?;
        Ok(Words { usage: self.spec.usage, words, plain: Vec::new(), valued: Vec::new() })
    }

    /// A target, which may hold spaces without quotes, and the flags that stand before or behind it.
    pub fn target(self, known: &[&'static str]) -> Result<(&'a str, Vec<&'static str>)> {
        let mut text = self.text.trim();
        let mut flags = Vec::new();
        loop {
            let first = text.split_whitespace().next().filter(|word| word.starts_with("--"));
            // A word that the quotes around a target end in is a part of that target.
            let in_quotes = |word: &&str| text.starts_with(['"', '\'']) && word.contains(&text[..1]);
            let last = || text.split_whitespace().next_back().filter(|word| word.starts_with("--"));
            let last = || last().filter(|word| !in_quotes(word));
            let Some(word) = first.or_else(last) else { return Ok((text, flags)) };
            let Some(flag) = known.iter().find(|flag| **flag == word) else {
                return Err(unknown_flag(self.spec.usage, word));
            };
            flags.push(*flag);
            text = if first.is_some() { &text[word.len()..] } else { &text[..text.len() - word.len()] };
            text = text.trim();
        }
    }

    /// The same for commands that need one.
    pub fn required_target(self, known: &[&'static str]) -> Result<(&'a str, Vec<&'static str>)> {
        match self.target(known)? {
            (target, _) if is_blank(target) => Err(self.no_path()),
            found => Ok(found),
        }
    }

    /// For commands that need a path and got none.
    pub fn no_path(self) -> Error {
        self.wrong("PATH is missing.")
    }

    /// The same command with another text, where a part of it was understood already.
    pub fn about(self, text: &'a str) -> Self {
        Self { text, ..self }
    }

    /// What follows the command's name, as it is.
    pub fn text(self) -> &'a str {
        self.text
    }

    /// An error about these arguments, with the usage line that repairs them.
    pub fn wrong(self, message: impl Into<String>) -> Error {
        wrong(self.spec.usage, message)
    }

    pub fn unknown_flag(self, word: &str) -> Error {
        unknown_flag(self.spec.usage, word)
    }

    /// For commands that take no arguments.
    pub fn none<T>(self, command: T) -> Result<T> {
        self.words()?.done()?;
        Ok(command)
    }
}

impl Words {
    /// Ends the flags at a bare `--`, for words that may begin with dashes themselves.
    pub fn end_flags(&mut self) {
        if let Some(at) = self.words.iter().position(|word| word == "--") {
            self.plain = self.words.split_off(at + 1);
            self.words.pop();
        }
    }

    /// What errors say about how it is typed, once more is known than the command's name.
    pub fn set_usage(&mut self, usage: &'static str) {
        self.usage = usage;
    }

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
        self.valued.push(flag.to_owned());
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
        let from = if is_flag { &mut self.plain } else { &mut self.words };
        (!from.is_empty()).then(|| from.remove(0))
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
        if let (None, Some(word)) = (self.words.first(), self.plain.first()) {
            return Err(self.wrong(format!("Too many arguments: {}.", quoted(word))));
        }
        let Some(word) = self.words.first() else { return Ok(()) };
        let name = word.split('=').next().unwrap_or(word);
        if self.valued.iter().any(|flag| flag == name) {
            return Err(self.wrong(format!("{name} is given twice.")));
        }
        if !word.starts_with("--") {
            return Err(self.wrong(format!("Too many arguments: {}.", quoted(word))));
        }
        Err(unknown_flag(self.usage, word))
    }

    /// An error about these arguments, with the usage line that repairs them.
    pub fn wrong(&self, message: impl Into<String>) -> Error {
        wrong(self.usage, message)
    }
}

fn wrong(usage: &str, message: impl Into<String>) -> Error {
    Error::new(Code::InvalidParams, message).hint(format!("Usage: {usage}"))
}

fn unknown_flag(usage: &str, word: &str) -> Error {
    let flags = usage.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
    let near = nearest(word, flags.filter(|part| part.starts_with("--")));
    let error = wrong(usage, format!("Unknown flag {}.", quoted(word)));
    error.hints(near.map(|flag| format!("Did you mean {flag}?")))
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
        for text in ["--home /x --home /y", "--home=/x --home=/y"] {
            let mut twice = words(text);
            assert_eq!(twice.value("--home").unwrap().as_deref(), Some("/x"));
            assert!(twice.done().unwrap_err().message.contains("--home is given twice."), "{text}");
        }
        assert!(words("x --home").value("--home").is_err());
        let mut ended = words("a -- --home --");
        ended.end_flags();
        assert_eq!(ended.value("--home").unwrap(), None);
        let taken = [(); 3].map(|()| ended.take());
        assert_eq!(taken, ["a", "--home", "--"].map(|word| Some(word.to_owned())));
        ended.done().unwrap();
        let mut more = words("-- --home");
        more.end_flags();
        assert!(more.done().unwrap_err().message.contains("Too many arguments"));
        assert!(words("").required("ID").is_err());
    }

    #[test]
    fn a_target_may_hold_spaces_beside_its_flags() {
        let spec = table::find("add", &Topic::Hub(Hub::Agent)).unwrap();
        let target = |text| Arguments::new(spec, text).target(&["--force", "--all"]);
        let table: &[(&str, &str, &[&str])] = &[
            ("a.md", "a.md", &[]),
            ("my  file.md --force", "my  file.md", &["--force"]),
            ("--force it's.md  --all", "it's.md", &["--force", "--all"]),
            ("\"--all\"", "\"--all\"", &[]),
            ("'a --force':L5 --all", "'a --force':L5", &["--all"]),
            ("a --force b", "a --force b", &[]),
            ("--all", "", &["--all"]),
            ("", "", &[]),
        ];
        for (text, expected, flags) in table {
            assert_eq!(target(text).unwrap(), (*expected, flags.to_vec()), "{text}");
        }
        assert!(target("a --hoem").unwrap_err().to_string().contains("Did you mean --home?"));
        for text in [" --all", "\"\"", "'' --all", "\" \""] {
            assert!(Arguments::new(spec, text).required_target(&["--all"]).is_err(), "{text}");
        }
    }
}
