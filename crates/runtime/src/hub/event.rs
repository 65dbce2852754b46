//! The event hub: the inbox of an agent, and the address that fills it.

mod words;

use std::path::Path;

use serde_json::json;
use store::Limit;

pub use words::{Command, Verb, WORDS, behind_watch};

use self::words::Webhook;
use crate::audit::format_time;
use crate::command::{Context, Format};
use crate::error::{Code, Error, Result, one_line};
use crate::event::{Event, Id, Show, Token};
use crate::long::shortened;
use crate::reply::{REPLY_MAX, with_body};

/// How much of an event's first line a list shows.
const PREVIEW: usize = 80;
/// How much a list holds: what a reply may, without the lines around the events.
const LIST_BYTES: usize = REPLY_MAX - 256;
/// The same on the hub's page, which has other things to say below.
const PAGE_BYTES: usize = REPLY_MAX - 4096;
/// No list of this size holds more: each id and time alone takes 64 bytes.
const LIST_EVENTS: Limit = Limit::entries(REPLY_MAX / 64);
/// A row of a list but for the event's first line: id, the longest state, source, time, blanks between, the line's end.
const ROW_BYTES: usize = 30 + 9 + 7 + 24 + 4 * 2 + 1;

pub async fn run(command: Command, context: &Context<'_>) -> Result<String> {
    let (inbox, webhooks, agent) = (&context.runtime.events, &context.runtime.webhooks, &context.agent.id);
    match command {
        Command::List { show, after, format } => {
            let listed = Listed::read(context, show, after, format, LIST_BYTES).await?;
            Ok(match format {
                Format::Text => with_body("Events", &listed.text(show)),
                Format::Json => listed.json(show),
            })
        }
        Command::Read(id) => Ok(whole(&inbox.read(agent, id).await?, context.agent.workspace.home()).await),
        Command::Ack(ids) => {
            // All or none: what an agent takes for dealt with, and what it does not, must be known.
            for id in &ids {
                let found = inbox.read(agent, *id).await;
                found.map_err(|error| error.hint("None of them was acknowledged."))?;
            }
            for id in &ids {
                inbox.ack(agent, *id).await?;
            }
            Ok(format!("Acknowledged {}", counted(ids.len())))
        }
        Command::Clear(which) => {
            Ok(format!("Removed {}", counted(context.runtime.clear_events(agent, which).await?)))
        }
        Command::Webhook(Webhook::Show) => address(context, &webhooks.show(agent).await?),
        Command::Webhook(Webhook::Rotate) => {
            let address = address(context, &webhooks.rotate(agent).await?)?;
            tracing::info!(%agent, "the webhook was rotated");
            Ok(format!("{address}\nThe address before this one is dead."))
        }
    }
}

/// What the hub's page shows: how much is new, what, and where it comes from.
pub async fn overview(context: &Context<'_>) -> (String, String) {
    let (count, listed) = match Listed::read(context, Show::Unacked, None, Format::Text, PAGE_BYTES).await {
        Ok(listed) => {
            let more = if listed.has_more { " and more" } else { "" };
            (format!("Events: {}{more} waiting", listed.events.len()), listed.text(Show::Unacked))
        }
        Err(error) => ("Events".to_owned(), error.to_string()),
    };
    let token = context.runtime.webhooks.show(&context.agent.id).await;
    let address = token.and_then(|token| address(context, &token));
    let address = address.unwrap_or_else(|error| error.to_string());
    let watches = context.runtime.watches.list(&context.agent.id).len();
    let body = format!("{listed}\n\nwebhook: {address}\nwatches: {watches}");
    (count, body)
}

/// As many events as a list can show.
struct Listed {
    events: Vec<Event>,
    has_more: bool,
}

impl Listed {
    async fn read(
        context: &Context<'_>,
        show: Show,
        after: Option<Id>,
        format: Format,
        mut room: usize,
    ) -> Result<Self> {
        let inbox = &context.runtime.events;
        let page = inbox.list(&context.agent.id, show, after, LIST_EVENTS).await?;
        let mut events = page.events;
        let fits = events.iter().take_while(|event| {
            room.checked_sub(shown_size(event, format)).is_some_and(|left| {
                room = left;
                true
            })
        });
        let fits = fits.count();
        let has_more = page.has_more || fits < events.len();
        events.truncate(fits);
        Ok(Self { events, has_more })
    }

    fn text(&self, show: Show) -> String {
        let rows: Vec<[String; 5]> = self.events.iter().map(row).collect();
        let mut text = match (rows.is_empty(), show) {
            (true, Show::Unacked) => "No events wait.".to_owned(),
            (true, Show::All) => "No events.".to_owned(),
            _ => super::columns(&rows),
        };
        if let Some(more) = self.more(show, "") {
            text.push_str(&format!("\n… more: {more}"));
        }
        text
    }

    /// The events. If there are more, the last one carries the command for them: the list stays one of events.
    fn json(&self, show: Show) -> String {
        let mut entries: Vec<_> = self.events.iter().map(entry_json).collect();
        if let (Some(more), Some(last)) = (self.more(show, " --json"), entries.last_mut()) {
            last["more"] = more.into();
        }
        format!("{:#}", serde_json::Value::from(entries))
    }

    /// The command that goes on behind what is shown.
    fn more(&self, show: Show, format: &str) -> Option<String> {
        let last = self.events.last().filter(|_| self.has_more)?;
        let all = if show == Show::All { " --all" } else { "" };
        Some(format!("/events list{all}{format} --after {}", last.id))
    }
}

/// How many bytes of a list an event takes.
fn shown_size(event: &Event, format: Format) -> usize {
    match format {
        Format::Text => ROW_BYTES + preview(&event.text).len(),
        Format::Json => {
            let entry = format!("{:#}", entry_json(event));
            // Each line is indented by two, and the last has a comma and an end.
            entry.len() + 2 * entry.lines().count() + 2
        }
    }
}

fn entry_json(event: &Event) -> serde_json::Value {
    json!({
        "id": event.id.to_string(),
        "state": event.state.as_str(),
        "source": event.source.as_str(),
        "received": format_time(event.received),
        "bytes": event.text.len(),
        "preview": preview(&event.text),
    })
}

fn row(event: &Event) -> [String; 5] {
    let Event { id, received, source, state, text } = event;
    [id.to_string(), state.as_str().into(), source.as_str().into(), format_time(*received), preview(text)]
}

/// The first line that says something, cut where it gets long.
fn preview(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("(empty)");
    let cut = line.char_indices().nth(PREVIEW).map_or(line.len(), |(at, _)| at);
    let mark = if cut < line.len() || text.trim().len() > line.len() { " …" } else { "" };
    format!("{}{mark}", one_line(&line[..cut]))
}

/// One event with its text; a very long one is whole in a file. Escape sequences are shown as such: the text came from somebody else.
async fn whole(event: &Event, home: &Path) -> String {
    let lines = event.text.split('\n').map(|line| {
        let parts = line.trim_end_matches('\r').split('\t').map(one_line);
        parts.collect::<Vec<_>>().join("\t")
    });
    let head = format!(
        "state: {} | source: {} | received: {}",
        event.state.as_str(),
        event.source.as_str(),
        format_time(event.received)
    );
    let text = shortened(lines.collect::<Vec<_>>().join("\n"), home).await;
    with_body(&format!("Event {}", event.id), &format!("{head}\n\n{text}"))
}

fn address(context: &Context<'_>, token: &Token) -> Result<String> {
    context.runtime.webhook_url(token).ok_or_else(|| {
        Error::new(Code::LoadError, "The daemon has no port: another program uses it.")
            .hint("Set STRING_PORT to a free one and restart: string --daemon stop")
    })
}

fn counted(count: usize) -> String {
    if count == 1 { "1 event.".to_owned() } else { format!("{count} events.") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preview_is_one_short_line() {
        let table = [
            ("", "(empty)"),
            ("\n \n", "(empty)"),
            ("Run the follow-up now.", "Run the follow-up now."),
            ("\n first\nsecond", "first …"),
            ("a\u{1b}[31mb", "a\\u{1b}[31mb"),
        ];
        for (text, expected) in table {
            assert_eq!(preview(text), expected, "{text:?}");
        }
        assert_eq!(preview(&"é".repeat(100)).chars().count(), PREVIEW + 2);
    }
}
