//! `string system state …`: people and agents look at durable state, and change it.

mod transfer;

use serde_json::{Value, json};

use super::agent::Format;
use crate::command::{Arguments, Context, Line, Words};
use crate::error::{Code, Error, Result, one_line, quoted};
use crate::reply::with_body;
use crate::state::{self, Condition, Entry, Place, Write, place};

/// How many entries a list shows unless asked for more.
const SHOWN: usize = 100;
/// Longer values are cut in lists.
const VALUE_SHOWN: usize = 200;

#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    Help,
    Scopes(Format),
    List { place: Place, prefix: String, limit: usize, cursor: Option<String>, format: Format },
    Get { place: Place, key: String, format: Format },
    Put { place: Place, key: String, value: Value, ttl_seconds: Option<u64>, condition: Condition },
    Remove { place: Place, key: String },
    Export { place: Option<Place>, path: String },
    Import { path: String },
}

impl Eq for Command {}

impl Command {
    pub fn parse(line: &Line<'_>) -> Result<Self> {
        let mut words = Arguments::new(line.spec, line.arguments).words()?;
        let format = if words.switch("--json") { Format::Json } else { Format::Text };
        let Some(word) = words.take() else {
            words.done()?;
            return Ok(Self::Help);
        };
        let command = match word.as_str() {
            "ls" | "list" => match (words.value("--limit")?, words.value("--cursor")?, words.take()) {
                (_, _, None) => Self::Scopes(format),
                (limit, cursor, Some(scope)) => Self::List {
                    place: Place::parse(&scope)?,
                    prefix: words.take().unwrap_or_default(),
                    limit: limit.map_or(Ok(SHOWN), |text| number(&text, &words))?,
                    cursor,
                    format,
                },
            },
            "get" => Self::Get { place: place(&mut words)?, key: words.required("KEY")?, format },
            "put" => return put(words, line.body),
            "rm" => Self::Remove { place: place(&mut words)?, key: words.required("KEY")? },
            "export" => {
                let path = words.required("FILE")?;
                Self::Export { place: words.take().map(|scope| Place::parse(&scope)).transpose()?, path }
            }
            "import" => Self::Import { path: words.required("FILE")? },
            other => {
                let message = format!("Unknown word {}.", quoted(other));
                return Err(words.wrong(message).hint("Words: ls, get, put, rm, export, import"));
            }
        };
        words.done()?;
        Ok(command)
    }
}

fn put(mut words: Words, body: Option<&str>) -> Result<Command> {
    let ttl = words.value("--ttl")?;
    let ttl_seconds = ttl.map(|text| number(&text, &words)).transpose()?.map(|seconds| seconds as u64);
    let condition = match words.value("--if-revision")?.as_deref() {
        None => Condition::Always,
        Some("none") => Condition::Absent,
        Some(revision) => {
            serde_json::from_value(revision.into()).map_err(|error| words.wrong(error.to_string()))?
        }
    };
    let (place, key) = (place(&mut words)?, words.required("KEY")?);
    let json = match (words.take(), body) {
        (Some(json), None) => json,
        (None, Some(body)) => body.to_owned(),
        _ => return Err(words.wrong("The value is missing: JSON behind the key, or in the lines below.")),
    };
    words.done()?;
    let value = serde_json::from_str(&json).map_err(|error| {
        words.wrong(format!("Not JSON: {error}.")).hint("A text needs its quotes: '\"text\"'")
    })?;
    Ok(Command::Put { place, key, value, ttl_seconds, condition })
}

fn place(words: &mut Words) -> Result<Place> {
    Place::parse(&words.required("SCOPE")?)
}

fn number(text: &str, words: &Words) -> Result<usize> {
    text.parse().ok().filter(|n| *n > 0).ok_or_else(|| words.wrong(format!("Not a number: {}", quoted(text))))
}

pub async fn run(command: Command, context: &Context<'_>) -> Result<String> {
    let durable = &context.runtime.durable;
    let agent = &context.agent.id;
    match command {
        Command::Help => Ok(with_body("Durable state", HELP)),
        Command::Scopes(format) => scopes(format, context).await,
        Command::List { place, prefix, limit, cursor, format } => {
            let page = durable.list(&place.space(agent), &prefix, limit.min(1_000), cursor.as_deref()).await;
            let page = page.map_err(refused)?;
            if format == Format::Json {
                return Ok(format!("{:#}", json!(page.entries)));
            }
            let mut rows: Vec<String> = page.entries.iter().map(row).collect();
            rows.extend(page.next_cursor.map(|cursor| format!("More: --cursor {cursor}")));
            let body = if rows.is_empty() { "No entries.".to_owned() } else { rows.join("\n") };
            Ok(with_body(&format!("State: {place}"), &body))
        }
        Command::Get { place, key, format } => {
            let found = durable.get(&place.space(agent), &key).await.map_err(refused)?;
            let missing = || Error::new(Code::NotFound, format!("No entry {} in {place}.", quoted(&key)));
            let entry = found.ok_or_else(missing)?;
            let value: Value = serde_json::from_str(entry.value.get()).unwrap_or_default();
            match format {
                Format::Json => Ok(format!("{:#}", json!(entry))),
                Format::Text => Ok(with_body(&head(&entry), &format!("{value:#}"))),
            }
        }
        Command::Put { place, key, value, ttl_seconds, condition } => {
            state::check_key(&key).map_err(refused)?;
            state::check_ttl(ttl_seconds).map_err(refused)?;
            let space = place.space(agent);
            let written = durable.write(&space, &key, Write::Put(value), ttl_seconds, &condition).await;
            let written = written.map_err(refused)?;
            match (written.entry, written.conflict_revision) {
                (Some(entry), _) => Ok(format!("Stored in {place}: {}", head(&entry))),
                (None, Some(revision)) => {
                    Err(Error::new(Code::Conflict, format!("It has the revision {revision}.")))
                }
                (None, None) => Err(Error::new(Code::Conflict, "There is no such entry.")),
            }
        }
        Command::Remove { place, key } => {
            let written =
                durable.delete(&place.space(agent), &key, &Condition::Always).await.map_err(refused)?;
            match written.ok {
                true => Ok(format!("Removed from {place}: {}", one_line(&key))),
                false => Err(Error::new(Code::NotFound, format!("No entry {} in {place}.", quoted(&key)))),
            }
        }
        Command::Export { place, path } => transfer::export(place, &path, context).await,
        Command::Import { path } => transfer::import(&path, context).await,
    }
}

const HELP: &str = "/state ls [SCOPE [PREFIX]] [--limit N] [--cursor C] [--json]
/state get SCOPE KEY [--json]
/state put SCOPE KEY JSON [--ttl SECONDS] [--if-revision REVISION|none]
/state rm SCOPE KEY
/state export FILE [SCOPE]
/state import FILE

SCOPE is profile, session:TOPIC, task:ID or shared:ID.";

async fn scopes(format: Format, context: &Context<'_>) -> Result<String> {
    let places = place::all(&context.runtime.durable, &context.agent.id).await?;
    if format == Format::Json {
        return Ok(format!("{:#}", Value::from_iter(places.iter().map(ToString::to_string))));
    }
    let lines: Vec<String> = places.iter().map(ToString::to_string).collect();
    let body = if lines.is_empty() { "Nothing is kept.".to_owned() } else { lines.join("\n") };
    Ok(with_body("Durable state", &body))
}

fn row(entry: &Entry) -> String {
    let value = entry.value.get();
    let cut = value.floor_char_boundary(VALUE_SHOWN);
    let mark = if cut < value.len() { "…" } else { "" };
    one_line(&format!("{}  {}{mark}", head(entry), &value[..cut]))
}

fn head(entry: &Entry) -> String {
    let expiry = entry.expires_at.as_ref().map(|at| format!("  expires {at}")).unwrap_or_default();
    one_line(&format!("{}  {}{expiry}", entry.key, entry.revision))
}

fn refused(error: state::Error) -> Error {
    let code = match error.code {
        state::Code::Unavailable => Code::LoadError,
        _ => Code::InvalidParams,
    };
    Error::new(code, error.message)
}
