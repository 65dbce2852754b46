//! Durable state as text for people, and as JSON for programs.

use serde_json::{Value, json};

use super::Place;
use crate::command::Format;
use crate::error::{Code, Error, one_line};
use crate::hub::columns;
use crate::reply::with_body;
use crate::state::{self, Entry, Page, Written};

/// Longer values are cut in lists.
const VALUE_SHOWN: usize = 200;

/// What a command answers, both ways.
pub struct Report {
    pub text: String,
    pub json: Value,
}

impl Report {
    /// For what has no other form.
    pub fn text(text: String) -> Self {
        Self { json: Value::from(text.as_str()), text }
    }

    pub fn shown(self, format: Format) -> String {
        match format {
            Format::Text => self.text,
            Format::Json => format!("{:#}", self.json),
        }
    }
}

pub fn scopes(places: &[Place]) -> Report {
    let lines: Vec<String> = places.iter().map(ToString::to_string).collect();
    let body = if lines.is_empty() { "Nothing is kept.".to_owned() } else { lines.join("\n") };
    let json = Value::from_iter(lines.iter().map(|scope| json!({ "scope": scope })));
    Report { text: with_body("Durable state", &body), json }
}

pub fn page(place: &Place, page: &Page) -> Report {
    let rows: Vec<[String; 4]> = page.entries.iter().map(row).collect();
    let mut body = if rows.is_empty() { "No entries.".to_owned() } else { columns(&rows) };
    if let Some(cursor) = &page.next_cursor {
        body.push_str(&format!("\n\nMore: --cursor {cursor}"));
    }
    let mut json = json!({ "scope": place.to_string(), "entries": page.entries.iter().map(|entry| located(place, entry)).collect::<Vec<_>>() });
    if let Some(cursor) = &page.next_cursor {
        json["next_cursor"] = cursor.as_str().into();
    }
    Report { text: with_body(&format!("State: {place}"), &body), json }
}

pub fn entry(place: &Place, entry: &Entry) -> Report {
    let value: Value = serde_json::from_str(entry.value.get()).unwrap_or_default();
    Report { text: with_body(&head(entry), &format!("{value:#}")), json: located(place, entry) }
}

pub fn stored(place: &Place, written: &Written) -> Report {
    match &written.entry {
        Some(entry) => {
            Report { text: format!("Stored in {place}: {}", head(entry)), json: located(place, entry) }
        }
        None => Report::text(format!("Stored in {place}.")),
    }
}

/// Why a call was refused, as commands say it.
pub fn refused(error: state::Error) -> Error {
    let code = match error.code {
        state::Code::Unavailable => Code::LoadError,
        _ => Code::InvalidParams,
    };
    Error::new(code, error.message)
}

/// The entry with the scope in front.
fn located(place: &Place, entry: &Entry) -> Value {
    let mut located = json!({ "scope": place.to_string() });
    if let (Value::Object(located), Value::Object(entry)) = (&mut located, json!(entry)) {
        located.extend(entry);
    }
    located
}

fn row(entry: &Entry) -> [String; 4] {
    let value = entry.value.get();
    let cut = value.floor_char_boundary(VALUE_SHOWN);
    let mark = if cut < value.len() { "…" } else { "" };
    let value = one_line(&format!("{}{mark}", &value[..cut]));
    [one_line(&entry.key), entry.revision.clone(), expiry(entry), value]
}

fn head(entry: &Entry) -> String {
    one_line(format!("{}  {}  {}", entry.key, entry.revision, expiry(entry)).trim_end())
}

fn expiry(entry: &Entry) -> String {
    entry.expires_at.as_ref().map(|at| format!("expires {at}")).unwrap_or_default()
}
