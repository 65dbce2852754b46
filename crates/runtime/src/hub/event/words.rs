//! The words of the event hub, and how they are typed.

use crate::command::table::Verb::{Event, Watch};
use crate::command::table::{Place, Spec, commands, row};
use crate::command::{Arguments, Format, Words};
use crate::error::{Result, quoted};
use crate::event::{Clear, Id, Show};
use crate::topic::Hub;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    List,
    Read,
    Ack,
    Clear,
    Webhook,
}

/// Said to who would acknowledge without saying what.
const ACK: &str = "Events are acknowledged by their ids: /events ack ID…. /events lists them, and /events clear --all \
                   removes them all.";

const HERE: Place = Place::Hub(Hub::Event);

/// In the order `/help` shows them.
pub static WORDS: &[Spec] = &[
    row(
        Event(Verb::List),
        "list",
        "/list [--all] [--after ID] [--json]",
        "events that are not acknowledged, or all",
        HERE,
    ),
    row(Event(Verb::Read), "read", "/read ID", "one event, whole", HERE),
    row(Event(Verb::Ack), "ack", "/ack ID…", "acknowledge events", HERE),
    row(Event(Verb::Clear), "clear", "/clear [--all]", "remove acknowledged events, or all", HERE),
    row(
        Event(Verb::Webhook),
        "webhook",
        "/webhook [show|rotate]",
        "the address that takes events, or a new one",
        HERE,
    ),
];

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    List { show: Show, after: Option<Id>, format: Format },
    Read(Id),
    Ack(Vec<Id>),
    Clear(Clear),
    Webhook(Webhook),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Webhook {
    Show,
    Rotate,
}

impl Command {
    pub fn format(&self) -> Format {
        match self {
            Self::List { format, .. } => *format,
            _ => Format::Text,
        }
    }

    /// The command that the words behind `/events` mean.
    pub fn behind_events(mut words: Words) -> Result<Self> {
        let verb = subcommand(&mut words)?;
        Self::parse(verb, words)
    }

    pub fn parse(verb: Verb, mut words: Words) -> Result<Self> {
        let command = match verb {
            Verb::List => {
                let show = if words.switch("--all") { Show::All } else { Show::Unacked };
                let format = Format::asked(&mut words);
                let after = words.value("--after")?.map(|id| Id::parse(&id)).transpose()?;
                Self::List { show, after, format }
            }
            Verb::Read => Self::Read(Id::parse(&words.required("ID")?)?),
            Verb::Ack => {
                let first = words.take().ok_or_else(|| words.wrong("ID is missing.").hint(ACK))?;
                let rest = words.rest()?;
                let ids = std::iter::once(&first).chain(&rest).map(|id| Id::parse(id));
                // One named twice is still one event.
                let ids = ids.collect::<Result<std::collections::BTreeSet<_>>>()?;
                return Ok(Self::Ack(ids.into_iter().collect()));
            }
            Verb::Clear if words.switch("--all") => Self::Clear(Clear::All),
            Verb::Clear => Self::Clear(Clear::Acked),
            Verb::Webhook => match words.take().as_deref() {
                None | Some("show") => Self::Webhook(Webhook::Show),
                Some("rotate") => Self::Webhook(Webhook::Rotate),
                Some(_) => return Err(words.wrong("A webhook can be shown or rotated.")),
            },
        };
        words.done()?;
        Ok(command)
    }
}

/// The arguments of `/watch`, where that is the word behind `/events`: it is a command of its own.
pub fn behind_watch(arguments: Arguments<'_>) -> Option<Arguments<'_>> {
    let text = arguments.text().trim_start();
    let (word, rest) = text.split_at(text.find(char::is_whitespace).unwrap_or(text.len()));
    let watch = commands().find(|spec| spec.verb == Watch)?;
    (word == "watch").then(|| Arguments::new(watch, rest))
}

/// The verb of the word that follows `/events`.
fn subcommand(words: &mut Words) -> Result<Verb> {
    let Some(word) = words.take() else { return Ok(Verb::List) };
    let named = |spec: &Spec| match spec.verb {
        Event(verb) if spec.name == word => Some(verb),
        _ => None,
    };
    WORDS.iter().find_map(named).ok_or_else(|| words.wrong(format!("Unknown word {}.", quoted(&word))))
}
