//! `/watch`: be told by an event instead of asking again and again.

use serde_json::json;

use super::{Arguments, Context, Words};
use crate::audit::format_time;
use crate::bash::first_line;
use crate::command::Format;
use crate::error::{Code, Error, Result, one_line, quoted};
use crate::hub::columns;
use crate::reply::with_body;
use crate::state::{self, Place};
use crate::task;
use crate::topic::{Kind, Topic};
use crate::watch::{TEXT_MAX, Until, Watch, What};
use crate::words;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    List(Format),
    Set(What),
    Remove(Vec<u32>),
    RemoveAll,
}

impl Command {
    pub fn format(&self) -> Format {
        match self {
            Self::List(format) => *format,
            _ => Format::Text,
        }
    }

    pub fn parse(arguments: Arguments<'_>) -> Result<Self> {
        // A text that is looked for may look like a flag, so it is taken before flags are.
        let all = words::split(arguments.text())?;
        if let [topic, word, text @ ..] = &all[..]
            && word == "match"
        {
            let until = Until::Match(looked_for(&text.join(" "), arguments)?);
            return Ok(Self::Set(What::Shell { topic: shell_topic(topic, arguments)?, until }));
        }
        let mut words = arguments.words()?;
        let format = Format::asked(&mut words);
        let command = match words.take().as_deref() {
            None | Some("list") => Self::List(format),
            Some("rm") => return remove(words),
            Some("state") => Self::Set(entry(&mut words)?),
            Some("task") => Self::Set(What::Task(task::Id::parse(&words.required("ID")?)?)),
            Some(topic) => {
                let topic = shell_topic(topic, arguments)?;
                match words.take().as_deref() {
                    Some("exit") => Self::Set(What::Shell { topic, until: Until::Exit }),
                    _ => return Err(words.wrong("A shell is watched for its exit or for a match.")),
                }
            }
        };
        words.done()?;
        Ok(command)
    }
}

fn remove(mut words: Words) -> Result<Command> {
    if words.switch("--all") {
        words.done()?;
        return Ok(Command::RemoveAll);
    }
    let numbers = std::iter::from_fn(|| words.take()).collect::<Vec<_>>();
    words.done()?;
    if numbers.is_empty() {
        return Err(words.wrong("The number of the watch is missing."));
    }
    let number =
        |text: &String| text.parse().map_err(|_| words.wrong(format!("Not a number: {}", quoted(text))));
    numbers.iter().map(number).collect::<Result<_>>().map(Command::Remove)
}

/// `KEY` of the profile, or `SCOPE KEY` as `string system state` has them.
fn entry(words: &mut Words) -> Result<What> {
    let first = words.required("KEY")?;
    let (place, key) = match words.take() {
        Some(key) => (Place::parse(&first)?, key),
        None => (Place::Profile, first),
    };
    state::check_key(&key).map_err(|error| Error::new(Code::InvalidParams, error.message))?;
    Ok(What::State { place, key, revision: None })
}

fn shell_topic(text: &str, arguments: Arguments<'_>) -> Result<Topic> {
    let topic = Topic::parse(text)?;
    if topic.kind() == Kind::Bash {
        return Ok(topic);
    }
    Err(arguments.wrong(format!("{topic} cannot be watched: it has no shell.")))
}

fn looked_for(text: &str, arguments: Arguments<'_>) -> Result<String> {
    if text.trim().is_empty() {
        return Err(arguments.wrong("The text to look for is missing."));
    }
    if text.len() > TEXT_MAX {
        return Err(arguments.wrong(format!("The text has {} bytes; {TEXT_MAX} are allowed.", text.len())));
    }
    Ok(text.to_owned())
}

pub async fn run(command: Command, context: &Context<'_>) -> Result<String> {
    let (watches, agent) = (&context.runtime.watches, &context.agent.id);
    match command {
        Command::List(Format::Text) => Ok(with_body("Watches", &list(&watches.list(agent)))),
        Command::List(Format::Json) => {
            Ok(format!("{:#}", serde_json::Value::from_iter(watches.list(agent).iter().map(row_json))))
        }
        Command::Set(what) => set(what, context).await,
        Command::Remove(numbers) => {
            for number in &numbers {
                if !watches.remove(agent, *number).await? {
                    return Err(Error::new(Code::NotFound, format!("No watch {number}."))
                        .hint("See them all: /watch"));
                }
            }
            Ok(format!("Removed {}", counted(numbers.len())))
        }
        Command::RemoveAll => {
            let all = watches.list(agent);
            for watch in &all {
                watches.remove(agent, watch.number).await?;
            }
            Ok(format!("Removed {}", counted(all.len())))
        }
    }
}

async fn set(what: What, context: &Context<'_>) -> Result<String> {
    let (watches, agent) = (&context.runtime.watches, &context.agent.id);
    let (watch, note) = match &what {
        What::Shell { topic, .. } => {
            let session = context.topics.get(topic);
            let shell = session.and_then(|session| session.shell()).ok_or_else(|| no_shell(topic))?;
            let info = shell.info().await.ok().filter(|info| info.death.is_none());
            let info = info.ok_or_else(|| no_shell(topic))?;
            let note = match (info.running, &what) {
                (Some(running), _) => format!("running there: {}", one_line(&first_line(&running.payload))),
                (None, What::Shell { until: Until::Exit, .. }) => {
                    "nothing runs there now; the next command counts".to_owned()
                }
                (None, _) => "nothing runs there now".to_owned(),
            };
            (watches.set_shell(agent, what, &shell).await?, note)
        }
        What::State { place, key, .. } => {
            let current = async {
                let found = context.runtime.durable.get(&place.space(agent), key).await;
                let found = found.map_err(|error| Error::new(Code::LoadError, error.message))?;
                Ok(found.map(|entry| entry.revision))
            };
            let watch = watches.set_state(agent, what.clone(), current).await?;
            let note = match &watch.what {
                What::State { revision: Some(revision), .. } => format!("it is at {revision}"),
                _ => "it does not exist yet".to_owned(),
            };
            (watch, note)
        }
        What::Task(id) => {
            (watches.set_task(agent, id.clone()).await?, "its next call that ends counts".to_owned())
        }
    };
    let Watch { number, what, .. } = watch;
    Ok(format!("Watch {number}: {} ({note}). One event will come: /events", one_line(&what.to_string())))
}

fn list(watches: &[Watch]) -> String {
    if watches.is_empty() {
        return "Nothing is watched.".to_owned();
    }
    let row = |watch: &Watch| {
        let since = format!("since {}", format_time(watch.since));
        [watch.number.to_string(), one_line(&watch.what.to_string()), since]
    };
    columns(&watches.iter().map(row).collect::<Vec<_>>())
}

fn row_json(watch: &Watch) -> serde_json::Value {
    json!({
        "number": watch.number,
        "watch": watch.what.to_string(),
        "since": format_time(watch.since),
    })
}

fn counted(count: usize) -> String {
    if count == 1 { "1 watch.".to_owned() } else { format!("{count} watches.") }
}

fn no_shell(topic: &Topic) -> Error {
    Error::new(Code::NotFound, format!("No shell runs in {topic}."))
        .hint(format!("Any input starts one: string {topic} 'COMMAND'"))
        .hint("See them all: string bash list")
}
