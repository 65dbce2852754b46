//! From the words of a call to the input of a tool: flags get the types that the schema declares.

use std::cell::Cell;

use serde_json::{Map, Value};

use super::help;
use super::typed::coerce;
use crate::action::{Meaning, Meant, Word, exact_json};
use crate::error::{Code, Error, Result, nearest, quoted};
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
    let meant = |word: &Word| -> Result<Value> {
        let Meant { value, mark: own, .. } = meaning.word(word, None)?;
        mark.set(mark.get().with(own));
        Ok(value)
    };
    let mut words = words.iter().peekable();
    while let Some(word) = words.next() {
        let flag = reader.flag(word)?;
        let next = |words: &mut std::iter::Peekable<std::slice::Iter<'_, Word>>| -> Result<Value> {
            match &flag.attached {
                Some(value) => meant(value),
                None => {
                    let value = words.next_if(|next| !reader.is_known_flag(next));
                    let missing = || {
                        let line = help::field_line(reader.tool, &flag.name);
                        let wrong = format!("--{} needs a value.", flag.name);
                        let usage = help::usage(reader.tool);
                        Error::new(Code::InvalidParams, wrong).hints(line).hint(usage)
                    };
                    meant(value.ok_or_else(missing)?)
                }
            }
        };
        match reader.own(&flag.name) {
            Some(Own::Help) => reader.asked.help = true,
            Some(Own::Task) => reader.asked.task = Some(text_of(&next(&mut words)?).into_owned()),
            Some(Own::Json) => whole = Some(reader.whole(&text_of(&next(&mut words)?))?),
            None if flag.attached.is_none() && reader.is_switch(&flag.name) => {
                let value = match words.next_if(|next| reader.is_value_of_switch(&flag.name, next)) {
                    Some(word) if word.is_switch() => (word.plain() == Some("true")).into(),
                    Some(word) => meant(word)?,
                    None => true.into(),
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
        reader.put(&mut input, &name, value)?;
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
    fn flag(&self, word: &Word) -> Result<Flag> {
        let text = word.leading_text();
        let Some(name) = text.strip_prefix("--").filter(|_| !word.is_literal) else {
            return Err(self.wrong(format!("Too many arguments: {}.", quoted(&word.template.to_string()))));
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
        self.flag(word).is_ok_and(|flag| self.own(&flag.name).is_some() || self.field(&flag.name).is_some())
    }

    fn types(&self, name: &str) -> Vec<TypeName> {
        self.field(name).map(|(_, field)| self.schema().types(field)).unwrap_or_default()
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
        self.field(name).is_none() && name.strip_prefix("no-").is_some_and(|name| self.is_switch(name))
    }

    /// The names that lead to a field, and its schema. A name with dots may be a path, or one name.
    fn field<'n>(&self, name: &'n str) -> Option<(Vec<&'n str>, &Value)> {
        let schema = self.schema();
        let path = || name.split('.').collect::<Vec<_>>();
        let whole = schema.field(&[name]).map(|field| (vec![name], field));
        whole.or_else(|| schema.field(&path()).map(|field| (path(), field)))
    }

    fn put(&self, input: &mut Value, name: &str, value: Value) -> Result<()> {
        let Some((path, field)) = self.field(name) else {
            if self.schema().document.get("additionalProperties") == Some(&false.into()) {
                return Err(self.unknown(name));
            }
            return self.insert(input, &[name], value, name);
        };
        let types = self.schema().types(field);
        if !types.contains(&TypeName::Array) {
            let value = coerce(value, field, &types);
            return self.insert(input, &path, value, name);
        }
        let is_list = |value: &Value| value.is_array();
        let list = text_of(&value).parse::<Value>().ok().filter(is_list).filter(|_| value.is_string());
        match (list.or_else(|| Some(value.clone()).filter(is_list)), at(input, &path)) {
            (Some(list), None) => self.insert(input, &path, list, name),
            (_, existing) => {
                let items = self.schema().items(field).unwrap_or(&Value::Null);
                let item = coerce(value, items, &self.schema().types(items));
                match existing {
                    Some(Value::Array(items)) => items.push(item),
                    _ => self.insert(input, &path, Value::Array(vec![item]), name)?,
                }
                Ok(())
            }
        }
    }

    fn insert(&self, input: &mut Value, path: &[&str], value: Value, name: &str) -> Result<()> {
        let mut place = input;
        for part in path {
            let in_the_way = || self.wrong(format!("--{name} and another flag do not fit together."));
            let object = place.as_object_mut().ok_or_else(in_the_way)?;
            place = object.entry(*part).or_insert_with(|| Value::Object(Map::new()));
        }
        *place = value;
        Ok(())
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

    fn unknown(&self, name: &str) -> Error {
        let known = self.schema().properties();
        let near = nearest(name, known.iter().map(|(name, _)| *name));
        Error::new(Code::InvalidParams, format!("Unknown flag {}.", quoted(&format!("--{name}"))))
            .hints(near.map(|name| format!("Did you mean --{name}?")))
            .hints(near.and_then(|name| help::field_line(self.tool, name)))
            .hint(help::usage(self.tool))
    }

    fn wrong(&self, message: impl Into<String>) -> Error {
        Error::new(Code::InvalidParams, message).hint(help::usage(self.tool))
    }
}

fn at<'v>(input: &'v mut Value, path: &[&str]) -> Option<&'v mut Value> {
    path.iter().try_fold(input, |value, name| value.get_mut(*name))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::json;

    use super::*;
    use crate::action::split;

    /// Words mean what they say, but for `{off}`, which is false.
    struct Literal;

    impl Meaning for Literal {
        fn word(&self, word: &Word, _field: Option<&sfmd::Field>) -> Result<Meant> {
            let text = word.template.to_string();
            let value: Value = if text == "{off}" { false.into() } else { text.into() };
            Ok(Meant::given(value))
        }

        fn file(&self, path: &Word) -> Result<Meant> {
            self.word(path, None)
        }
    }

    fn tool() -> Tool {
        let manifest = "name: t
description: d
input_schema:
  type: object
  properties:
    op: { type: string }
    by: { type: integer }
    rate: { type: number }
    fast: { type: boolean }
    tags: { type: array, items: { type: integer } }
    at: { type: object, properties: { x: { type: number }, deep: { type: object, properties: { y: { type: boolean } } } } }
    level: { enum: [1, two, null] }
    either: { type: [integer, 'null'] }
    mixed: { type: [integer, boolean] }
    texty: { oneOf: [{ type: boolean }, { type: string }] }
    dotted.name: { type: string }
    task: { type: string }
  additionalProperties: false
execution: { type: script, script: x }
";
        Tool::parse(Path::new("/t.tool.yaml"), manifest).unwrap()
    }

    fn asked(line: &str, body: Option<&str>) -> Result<Asked> {
        read(&tool(), &split(line).unwrap(), body, &Literal)
    }

    #[test]
    fn flags_get_the_declared_types() {
        let table = [
            ("", json!({})),
            ("--op bump --by 4", json!({"op": "bump", "by": 4})),
            ("--op=4 --by=-3 --rate 1e3", json!({"op": "4", "by": -3, "rate": 1000})),
            ("--op --x", json!({"op": "--x"})),
            ("--op ''", json!({"op": ""})),
            ("--by many", json!({"by": "many"})),
            ("--by 4.0", json!({"by": 4})),
            ("--by 4.5", json!({"by": "4.5"})),
            ("--by 18446744073709551615", json!({"by": 18_446_744_073_709_551_615_u64})),
            ("--rate .5", json!({"rate": 0.5})),
            ("--rate inf", json!({"rate": "inf"})),
            ("--fast --op x", json!({"fast": true, "op": "x"})),
            ("--fast false", json!({"fast": false})),
            ("--no-fast", json!({"fast": false})),
            ("--fast {off} --op x", json!({"fast": false, "op": "x"})),
            ("--mixed 5 --op x", json!({"mixed": 5, "op": "x"})),
            ("--mixed -5", json!({"mixed": -5})),
            ("--mixed --op x", json!({"mixed": true, "op": "x"})),
            ("--mixed false", json!({"mixed": false})),
            ("--texty word", json!({"texty": "word"})),
            ("--texty true", json!({"texty": true})),
            ("--texty", json!({"texty": true})),
            ("--tags 1 --tags 2 --tags x", json!({"tags": [1, 2, "x"]})),
            ("--tags '[1, 2]' --tags 3", json!({"tags": [1, 2, 3]})),
            ("--at.x 1.5 --at.deep.y", json!({"at": {"x": 1.5, "deep": {"y": true}}})),
            ("--at '{\"x\": 2}'", json!({"at": {"x": 2}})),
            ("--level 1", json!({"level": 1})),
            ("--level two", json!({"level": "two"})),
            ("--either null", json!({"either": null})),
            ("--dotted.name x", json!({"dotted.name": "x"})),
            ("--task mine", json!({"task": "mine"})),
            ("--json '{\"op\": \"a\", \"by\": 1}' --by 2", json!({"op": "a", "by": 2})),
            ("--op a --op b", json!({"op": "b"})),
        ];
        for (line, expected) in table {
            let asked = asked(line, None).unwrap_or_else(|error| panic!("{line}: {error}"));
            assert_eq!((asked.input, asked.task, asked.help), (expected, None, false), "{line}");
        }
        let body = asked("--by 2", Some("{\"op\": \"{x}\"}")).unwrap();
        assert_eq!(body.input, json!({"op": "{x}", "by": 2}));
    }

    #[test]
    fn our_own_flags_give_way_to_fields_of_their_name() {
        let own = asked("--@task job-1 --@json '{}' --@help", None).unwrap();
        assert_eq!(
            own,
            Asked { input: json!({}), task: Some("job-1".into()), help: true, ..Asked::default() }
        );
        assert!(asked("--help", None).unwrap().help);
        assert_eq!(asked("--task x --@task=y", None).unwrap().task.as_deref(), Some("y"));
    }

    #[test]
    fn what_cannot_be_read_says_why() {
        for (line, body, part) in [
            ("--op", None, "--op needs a value.\n  --op: string\n  Usage: /tool:t "),
            ("--op --by 3", None, "--op needs a value"),
            ("stray", None, "Too many arguments: \"stray\""),
            ("--fast stray", None, "Too many arguments: \"stray\""),
            ("--opp x", None, "Did you mean --op?"),
            ("--", None, "is no flag"),
            ("--json '[1]'", None, "not a JSON object"),
            ("--json nope", None, "not JSON"),
            ("", Some("{"), "not JSON"),
            ("", Some("{\"by\": 12345678901234567890123}"), "too many digits"),
            ("--at.x 1 --at text --at.deep.y", None, "do not fit together"),
        ] {
            let error = asked(line, body).unwrap_err().to_string();
            assert!(error.contains(part), "{line}: {error}");
        }
    }
}
