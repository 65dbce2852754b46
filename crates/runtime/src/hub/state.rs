//! `string system state …`: people and agents look at durable state, and change it.

mod file;
mod show;
mod transfer;
mod usage;

use serde_json::{Value, json};

use self::show::Report;
use self::usage::Usage;
use crate::action::exact_json;
use crate::command::{Arguments, Context, Format, Line, Words};
use crate::error::{Code, Error, Result, one_line, quoted};
use crate::reply::with_body;
use crate::state::{self, Condition, PAGE_MAX, Place, Write, Written, place};

/// How many entries a list shows unless asked for more.
const SHOWN: usize = 100;

#[derive(Debug, Clone, PartialEq)]
pub struct Command {
    word: Word,
    format: Format,
}

#[derive(Debug, Clone, PartialEq)]
enum Word {
    /// How all of them are typed, or one.
    Help(Option<&'static Usage>),
    Scopes,
    List {
        place: Place,
        prefix: String,
        limit: usize,
        cursor: Option<String>,
    },
    Get {
        place: Place,
        key: String,
    },
    Put {
        place: Place,
        key: String,
        value: Value,
        ttl_seconds: Option<u64>,
        condition: Condition,
    },
    Remove {
        place: Place,
        key: String,
        condition: Condition,
    },
    Export {
        place: Option<Place>,
        path: String,
    },
    Import {
        path: String,
    },
    Backup {
        path: String,
    },
    Check,
}

impl Eq for Command {}

impl Command {
    pub fn format(&self) -> Format {
        self.format
    }

    pub fn parse(line: &Line<'_>) -> Result<Self> {
        let mut words = Arguments::new(line.spec, line.arguments).words()?;
        words.end_flags();
        let format = Format::asked(&mut words);
        let word = Word::parse(&mut words, line.body)?;
        words.done()?;
        Ok(Self { word, format })
    }
}

impl Word {
    fn parse(words: &mut Words, body: Option<&str>) -> Result<Self> {
        let asks_for_help = words.switch("--help");
        let Some(word) = words.take() else { return Ok(Self::Help(None)) };
        let usage = Usage::find(&word).ok_or_else(|| usage::unknown(words, &word))?;
        words.set_usage(usage.typed);
        if asks_for_help {
            return Ok(Self::Help(Some(usage)));
        }
        let takes_body = usage.word == "put";
        if let Some(text) = body.filter(|text| !takes_body && !text.trim().is_empty()) {
            return Err(words.wrong(format!("{word} takes no lines below it: {}", quoted(text.trim()))));
        }
        match usage.word {
            "ls" => list(words),
            "get" => Ok(Self::Get { place: place(words)?, key: words.required("KEY")? }),
            "put" => put(words, body),
            "rm" => {
                let condition = condition(words)?;
                Ok(Self::Remove { place: place(words)?, key: words.required("KEY")?, condition })
            }
            "export" => {
                let path = words.required("FILE")?;
                Ok(Self::Export { place: words.take().map(|scope| Place::parse(&scope)).transpose()?, path })
            }
            "import" => Ok(Self::Import { path: words.required("FILE")? }),
            "backup" => Ok(Self::Backup { path: words.required("FILE")? }),
            _ => Ok(Self::Check),
        }
    }
}

fn list(words: &mut Words) -> Result<Word> {
    let (limit, cursor) = (words.value("--limit")?, words.value("--cursor")?);
    let Some(scope) = words.take() else {
        return match (limit, cursor) {
            (None, None) => Ok(Word::Scopes),
            _ => Err(words.wrong("--limit and --cursor need a scope.")),
        };
    };
    let (place, prefix) = (Place::parse(&scope)?, words.take().unwrap_or_default());
    let limit = limit.map_or(Ok(SHOWN), |text| {
        let number = text.parse().ok().filter(|limit| (1..=PAGE_MAX).contains(limit));
        number.ok_or_else(|| words.wrong(format!("--limit is 1 to {PAGE_MAX}, not {}.", quoted(&text))))
    })?;
    Ok(Word::List { place, prefix, limit, cursor })
}

fn put(words: &mut Words, body: Option<&str>) -> Result<Word> {
    let ttl_seconds = words.value("--ttl")?.map(|text| {
        let number = text.parse().ok();
        number.ok_or_else(|| words.wrong(format!("--ttl is a number of seconds, not {}.", quoted(&text))))
    });
    let ttl_seconds = ttl_seconds.transpose()?;
    state::check_ttl(ttl_seconds)
        .map_err(|error| words.wrong(error.message.replace("ttl_seconds", "--ttl")))?;
    let condition = condition(words)?;
    let (place, key) = (place(words)?, words.required("KEY")?);
    let json = match (words.take(), body) {
        (Some(json), None) => json,
        (None, Some(body)) => body.to_owned(),
        _ => return Err(words.wrong("The value is missing: JSON behind the key, or in the lines below.")),
    };
    state::check_depth(&json, 0).map_err(show::refused)?;
    exact_json(&json).map_err(|why| words.wrong(format!("The value {why}")))?;
    let value = serde_json::from_str(&json).map_err(|error| {
        words.wrong(format!("Not JSON: {error}.")).hint("A text needs its quotes: '\"text\"'")
    })?;
    Ok(Word::Put { place, key, value, ttl_seconds, condition })
}

fn place(words: &mut Words) -> Result<Place> {
    Place::parse(&words.required("SCOPE")?)
}

fn condition(words: &mut Words) -> Result<Condition> {
    match words.value("--if-revision")?.as_deref() {
        None => Ok(Condition::Always),
        Some("none") => Ok(Condition::Absent),
        Some(revision) => Condition::revision(revision).map_err(|_| words.wrong("--if-revision is empty.")),
    }
}

pub async fn run(command: Command, context: &Context<'_>) -> Result<String> {
    Ok(report(command.word, context).await?.shown(command.format))
}

async fn report(word: Word, context: &Context<'_>) -> Result<Report> {
    let (durable, agent) = (&context.runtime.durable, &context.agent.id);
    match word {
        Word::Help(usage) => Ok(Report::text(with_body("Durable state", &usage::help(usage)))),
        Word::Scopes => Ok(show::scopes(&place::all(durable, agent).await?)),
        Word::List { place, prefix, limit, cursor } => {
            let page = durable.list(&place.space(agent), &prefix, limit, cursor.as_deref()).await;
            Ok(show::page(&place, &page.map_err(show::refused)?))
        }
        Word::Get { place, key } => {
            let found = durable.get(&place.space(agent), &key).await.map_err(show::refused)?;
            found.map(|entry| show::entry(&place, &entry)).ok_or_else(|| missing(&place, &key))
        }
        Word::Put { place, key, value, ttl_seconds, condition } => {
            state::check_key(&key).map_err(show::refused)?;
            let space = place.space(agent);
            let written = durable.write(&space, &key, Write::Put(value), ttl_seconds, &condition).await;
            let written = written.map_err(show::refused)?;
            if !written.ok {
                return Err(conflict(&place, &key, &written));
            }
            Ok(show::stored(&place, &written))
        }
        Word::Remove { place, key, condition } => {
            let removed = durable.delete(&place.space(agent), &key, &condition).await;
            let removed = removed.map_err(show::refused)?;
            if !removed.ok && (condition == Condition::Always || removed.conflict_revision.is_none()) {
                return Err(missing(&place, &key));
            }
            if !removed.ok {
                return Err(conflict(&place, &key, &removed));
            }
            let text = format!("Removed from {place}: {}", one_line(&key));
            Ok(Report { text, json: json!({"scope": place.to_string(), "key": key, "ok": true}) })
        }
        Word::Export { place, path } => transfer::export(place, &path, context).await,
        Word::Import { path } => transfer::import(&path, context).await,
        Word::Backup { path } => file::backup(&path, context).await,
        Word::Check => file::check(context).await,
    }
}

fn missing(place: &Place, key: &str) -> Error {
    Error::new(Code::NotFound, format!("No entry {} in {place}.", quoted(key)))
        .hint(format!("See what there is: string system state ls {place}"))
}

fn conflict(place: &Place, key: &str, written: &Written) -> Error {
    let key = quoted(key);
    let message = match &written.conflict_revision {
        Some(revision) => format!("{key} in {place} has the revision {revision}."),
        None => format!("There is no entry {key} in {place}."),
    };
    Error::new(Code::Conflict, message)
        .hint("Nothing was changed. --if-revision none means: only if there is none.")
}
