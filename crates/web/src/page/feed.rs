//! RSS, Atom and JSON feeds as a list of links.

use feed_rs::model::{Entry, Link, Text};
use feed_rs::parser;
use url::Url;

use crate::html::address::{Schemes, absolute};
use crate::html::{escape, words};

/// A feed is to choose from; more than this is an archive.
const MAX_ENTRIES: usize = 100;
/// Characters of an entry's summary.
const SUMMARY: usize = 280;

pub(super) struct List {
    pub(super) markdown: String,
    pub(super) title: Option<String>,
    pub(super) notes: Vec<String>,
}

/// The feed in `body`, or `None` if there is none.
pub(super) fn list(body: &[u8], url: &Url) -> Option<List> {
    let feed = parser::parse(body).ok()?;
    let title = feed.title.as_ref().map(line).filter(|title| !title.is_empty());
    let mut markdown = String::new();
    for (before, text) in [("# ", title.clone()), ("", feed.description.as_ref().map(line))] {
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            markdown.push_str(&format!("{before}{}\n\n", escape(&text)));
        }
    }
    let mut notes = vec!["a feed".to_owned()];
    for entry in feed.entries.iter().take(MAX_ENTRIES) {
        push_entry(entry, url, &mut markdown);
    }
    if feed.entries.len() > MAX_ENTRIES {
        notes.push(format!("the first {MAX_ENTRIES} of {} entries", feed.entries.len()));
    }
    if feed.entries.is_empty() {
        notes.push("no entries".to_owned());
    }
    markdown.truncate(markdown.trim_end().len());
    Some(List { markdown, title, notes })
}

fn push_entry(entry: &Entry, url: &Url, markdown: &mut String) {
    let title = entry.title.as_ref().map(line).filter(|title| !title.is_empty());
    let href = entry
        .links
        .iter()
        .min_by_key(|link| !is_page(link))
        .and_then(|link| absolute(url, &link.href, Schemes::Web));
    let label = escape(&title.unwrap_or_else(|| "Untitled".to_owned()));
    // A label that begins like a name or a directive must not be one.
    let label = if label.starts_with(['@', '!', '^']) { format!("\\{label}") } else { label };
    match href {
        Some(href) => markdown.push_str(&format!("- [{label}]({href})")),
        None => markdown.push_str(&format!("- {label}")),
    }
    if let Some(date) = entry.published.or(entry.updated) {
        markdown.push_str(&format!(" — {}", date.format("%Y-%m-%d")));
    }
    markdown.push('\n');
    let body = || entry.content.as_ref().and_then(|content| content.body.as_deref()).map(words);
    let summary =
        entry.summary.as_ref().map(line).filter(|text| !text.is_empty()).or_else(body).unwrap_or_default();
    if !summary.is_empty() {
        let mut short: String = summary.chars().take(SUMMARY).collect();
        if short.len() < summary.len() {
            short.push('…');
        }
        markdown.push_str(&format!("  {}\n", escape(&short)));
    }
}

fn is_page(link: &Link) -> bool {
    matches!(link.rel.as_deref(), None | Some("alternate"))
}

/// Feeds put HTML even where they call it text.
fn line(text: &Text) -> String {
    words(&text.content)
}
