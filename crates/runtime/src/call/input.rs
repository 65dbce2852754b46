//! From the words of a call to the input of a tool: which word is a flag, and which is its value.

use std::cell::Cell;

use serde_json::{Map, Value};

use super::field::{self, Known};
use super::help;
use crate::action::{Meaning, Meant, Wanted, Word, exact_json};
use crate::error::{Code, Error, Result, quoted};
use crate::manifest::{Schema, Tool, TypeName};
use crate::substitute::{Mark, text_of};

/// What a call asks for.
#[derive(Debug, Default, PartialEq)]
pub struct Asked {
    pub input: Value,
    /// Of all that the input is made of.
    pub mark: Mark,
    /// The task that it names.
    pub task: Option<String>,
    pub help: bool,
}

/// Flags that are ours, unless the schema declares a field of that name; `--@task` is always ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Own {
    Task,
    Json,
    Help,
}

/// Reads the words and the body of a call.
pub fn read(tool: &Tool, words: &[Word], body: Option<&str>, meaning: &dyn Meaning) -> Result<Asked> {
    let mut reader = Reader { tool, given: Vec::new(), asked: Asked::default() };
    let mut whole = body.map(|body| reader.whole(body)).transpose()?;
    let mark = Cell::new(Mark::default());
    let meant = |word: &Word, wanted: Wanted<'_>| -> Result<Value> {
        let Meant { value, mark: own, .. } = meaning.word(word, wanted)?;
        mark.set(mark.get().with(own));
        Ok(value)
    };
    let mut words = words.iter().peekable();
    let mut switch_before: Option<String> = None;
    while let Some(word) = words.next() {
        let flag = reader.flag(word, switch_before.take())?;
        let wanted = if reader.reads_json(&flag.name) { Wanted::Json } else { Wanted::Text };
        let next = |words: &mut std::iter::Peekable<std::slice::Iter<'_, Word>>| -> Result<Value> {
            match &flag.attached {
                Some(value) => meant(value, wanted),
                None => {
                    let value = words.next_if(|next| next.is_quoted || !reader.is_known_flag(next));
                    let missing = || {
                        let line = help::field_line(reader.tool, &flag.name);
                        let wrong = format!("--{} needs a value.", flag.name);
                        let usage = help::usage(reader.tool);
                        Error::new(Code::InvalidParams, wrong).hints(line).hint(usage)
                    };
                    meant(value.ok_or_else(missing)?, wanted)
                }
            }
        };
        match reader.own(&flag.name) {
            Some(Own::Help) => reader.asked.help = true,
            Some(Own::Task) => reader.asked.task = Some(text_of(&next(&mut words)?).into_owned()),
            Some(Own::Json) => {
                let json = reader.whole(&text_of(&next(&mut words)?))?;
                if whole.replace(json).is_some() {
                    return Err(reader.wrong(
                        "The whole input is given twice: give it once, as --json or below the command.",
                    ));
                }
            }
            None if flag.attached.is_none() && reader.is_switch(&flag.name) => {
                let value = match words.next_if(|next| reader.is_value_of_switch(&flag.name, next)) {
                    Some(word) if word.is_switch() => (word.plain() == Some("true")).into(),
                    Some(word) => meant(word, wanted)?,
                    None => {
                        switch_before = Some(flag.name.clone());
                        true.into()
                    }
                };
                reader.given.push((flag.name, value));
            }
            None if flag.attached.is_none() && reader.is_negated(&flag.name) => {
                let name = flag.name.strip_prefix("no-").unwrap_or(&flag.name);
                reader.given.push((name.to_owned(), false.into()));
            }
            None => {
                let value = next(&mut words)?;
                reader.given.push((flag.name, value));
            }
        }
    }
    let mut input = Value::Object(whole.unwrap_or_default());
    for (name, value) in std::mem::take(&mut reader.given) {
        field::put(tool, &mut input, &name, value)?;
    }
    Ok(Asked { input, mark: mark.get(), ..reader.asked })
}

struct Reader<'a> {
    tool: &'a Tool,
    given: Vec<(String, Value)>,
    asked: Asked,
}

struct Flag {
    name: String,
    /// What stands behind the `=`.
    attached: Option<Word>,
}

impl Reader<'_> {
    fn flag(&self, word: &Word, switch_before: Option<String>) -> Result<Flag> {
        let text = word.leading_text();
        let Some(name) = text.strip_prefix("--").filter(|_| !word.is_literal) else {
            let shown = quoted(&word.template.to_string());
            if let Some(switch) = switch_before {
                return Err(self.wrong(format!("--{switch} takes true or false, not {shown}.")));
            }
            return Err(self.wrong(format!("Too many arguments: {shown}.")));
        };
        match name.split_once('=') {
            Some((name, _)) => {
                Ok(Flag { name: name.to_owned(), attached: Some(word.without("--=".len() + name.len())) })
            }
            None if word.plain().is_some() && !name.is_empty() => {
                Ok(Flag { name: name.to_owned(), attached: None })
            }
            None => Err(self.wrong(format!("{} is no flag.", quoted(&word.template.to_string())))),
        }
    }

    fn own(&self, name: &str) -> Option<Own> {
        let own = match name.strip_prefix('@').unwrap_or(name) {
            "task" => Own::Task,
            "json" => Own::Json,
            "help" => Own::Help,
            _ => return None,
        };
        (name.starts_with('@') || self.schema().field(&[name]).is_none()).then_some(own)
    }

    fn schema(&self) -> &Schema {
        &self.tool.schema
    }

    fn is_known_flag(&self, word: &Word) -> bool {
        self.flag(word, None).is_ok_and(|flag| {
            self.own(&flag.name).is_some()
                || matches!(field::find(self.schema(), &flag.name), Known::Field(_))
        })
    }

    fn types(&self, name: &str) -> Vec<TypeName> {
        match field::find(self.schema(), name) {
            Known::Field(place) | Known::Extra(place) => self.schema().types(place.schema),
            Known::Nothing => Vec::new(),
        }
    }

    /// Whether the text of a flag may turn out to be a list or an object.
    fn reads_json(&self, name: &str) -> bool {
        if let Some(own) = self.own(name) {
            return own == Own::Json;
        }
        let types = self.types(name);
        let is_object = types.contains(&TypeName::Object) && !types.contains(&TypeName::String);
        is_object || types.contains(&TypeName::Array)
    }

    fn is_switch(&self, name: &str) -> bool {
        self.types(name).contains(&TypeName::Boolean)
    }

    /// Whether the word after a flag that needs no value is its value all the same: a placeholder always is, a
    /// word that is no flag where the field may be more than a boolean.
    fn is_value_of_switch(&self, name: &str, next: &Word) -> bool {
        let is_flag = next.leading_text().starts_with("--") && !next.is_literal;
        let takes_more = self.types(name) != [TypeName::Boolean];
        next.is_switch() || next.is_filled_in() || takes_more && !is_flag
    }

    fn is_negated(&self, name: &str) -> bool {
        !matches!(field::find(self.schema(), name), Known::Field(_))
            && name.strip_prefix("no-").is_some_and(|name| self.is_switch(name))
    }

    fn whole(&self, json: &str) -> Result<Map<String, Value>> {
        if let Err(why) = exact_json(json) {
            return Err(self.wrong(format!("The input {why}")));
        }
        match serde_json::from_str(json) {
            Ok(Value::Object(object)) => Ok(object),
            Ok(_) => Err(self.wrong("The input is not a JSON object.")),
            Err(error) => Err(self.wrong(format!("The input is not JSON: {error}."))),
        }
    }

    fn wrong(&self, message: impl Into<String>) -> Error {
        Error::new(Code::InvalidParams, message).hint(help::usage(self.tool))
    }
}

#[cfg(test)]
#[path = "input_tests.rs"]
mod tests;
