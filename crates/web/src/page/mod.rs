//! What came back, as something to read: Markdown, and what should be said about it.

pub(crate) mod blocked;
mod charset;
mod feed;
pub mod json;
mod media;

use std::borrow::Cow;

use crate::html::invisible::without_invisible;
use crate::html::{Extent, to_markdown};
use crate::{Answer, Cut};
pub use charset::legacy_text;
use charset::{Meta, decode};
pub use json::whole_characters;
use media::Media;

/// A page as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    /// What to show. Where [`Kind::is_document`] says no, it is plain text and must not be parsed for conventions.
    pub markdown: String,
    pub title: Option<String>,
    pub kind: Kind,
    /// Short remarks for the status line and `/info`: "converted from HTML", "cut at 8 MB", "blocked: …".
    pub notes: Vec<String>,
    /// The text as it was sent, decoded. Empty for binary answers.
    pub source: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Sent as Markdown: a document with conventions of its own.
    Markdown,
    Html {
        /// As in [`crate::html::Converted`].
        heading_ids: Vec<Vec<String>>,
    },
    Json,
    Feed,
    Text,
    Binary {
        media_type: String,
        size: usize,
        /// Width and height of an image.
        dimensions: Option<(usize, usize)>,
    },
}

impl Kind {
    /// Whether [`Rendered::markdown`] is Markdown; JSON and text are shown as they are.
    pub fn is_document(&self) -> bool {
        matches!(self, Kind::Markdown | Kind::Html { .. } | Kind::Feed)
    }
}

/// Renders `answer`; `extent` decides how much of an HTML page is kept.
pub fn render(answer: &Answer, extent: Extent) -> Rendered {
    let mut page = match media::of(answer) {
        Media::Markdown => plain(answer, Kind::Markdown),
        Media::Text => plain(answer, Kind::Text),
        Media::Html => html(answer, extent),
        Media::Json => json(answer),
        Media::Feed => feed(answer, extent),
        Media::Binary(media_type) => binary(answer, media_type),
    };
    if let Cut::At(bytes) = answer.cut {
        page.notes.push(format!("cut at {}", size(bytes)));
    }
    page
}

fn plain(answer: &Answer, kind: Kind) -> Rendered {
    let source = text(answer, Meta::None);
    let markdown = without_invisible(&source).into_owned();
    let notes = if markdown.trim().is_empty() { vec!["empty page".to_owned()] } else { Vec::new() };
    Rendered { markdown, title: None, kind, notes, source }
}

fn html(answer: &Answer, extent: Extent) -> Rendered {
    let source = text(answer, Meta::Html);
    let converted = to_markdown(&source, &answer.url, extent);
    let mut notes = vec!["converted from HTML".to_owned()];
    notes.extend(converted.notes);
    let kind = Kind::Html { heading_ids: converted.heading_ids };
    Rendered { markdown: converted.markdown, title: converted.title, kind, notes, source }
}

fn json(answer: &Answer) -> Rendered {
    let sent = text(answer, Meta::None);
    let (source, indented) = match json::indent(&sent) {
        Some(indented) => (sent, Some(indented)),
        None => {
            let whole = whole_characters(&sent).into_owned();
            let indented = json::indent(&whole);
            (whole, indented)
        }
    };
    match indented {
        Some(markdown) => Rendered { markdown, title: None, kind: Kind::Json, notes: Vec::new(), source },
        None => {
            let mut page = plain(answer, Kind::Text);
            page.notes.push("not valid JSON".to_owned());
            page
        }
    }
}

/// A feed that cannot be read is shown by what it is made of.
fn feed(answer: &Answer, extent: Extent) -> Rendered {
    match feed::list(&answer.body, &answer.url) {
        Some(list) => Rendered {
            markdown: list.markdown,
            title: list.title,
            kind: Kind::Feed,
            notes: list.notes,
            source: text(answer, Meta::None),
        },
        None => match media::without_feeds(answer) {
            Media::Html => html(answer, extent),
            Media::Json => json(answer),
            _ => plain(answer, Kind::Text),
        },
    }
}

fn binary(answer: &Answer, media_type: String) -> Rendered {
    let length = answer.body.len();
    let dimensions = imagesize::blob_size(&answer.body)
        .ok()
        .map(|found| (found.width, found.height))
        .filter(|_| media_type.starts_with("image/"));
    let at_least = if answer.cut == Cut::Whole { "" } else { "more than " };
    let mut markdown = format!("{media_type}, {at_least}{}", size(length));
    if let Some((width, height)) = dimensions {
        markdown.push_str(&format!(", {width} × {height}"));
    }
    let kind = Kind::Binary { media_type, size: length, dimensions };
    Rendered { markdown, title: None, kind, notes: Vec::new(), source: String::new() }
}

fn text(answer: &Answer, meta: Meta) -> String {
    match decode(&answer.body, answer.content_type(), meta) {
        Cow::Owned(text) => text,
        Cow::Borrowed(text) => text.to_owned(),
    }
}

/// `512 B`, `12.3 KB`, `8 MB`.
fn size(bytes: usize) -> String {
    const KB: usize = 1 << 10;
    const MB: usize = 1 << 20;
    let scaled = |unit: usize, name: &str| {
        let tenths = bytes * 10 / unit;
        if tenths.is_multiple_of(10) {
            format!("{} {name}", tenths / 10)
        } else {
            format!("{}.{} {name}", tenths / 10, tenths % 10)
        }
    };
    match bytes {
        ..KB => format!("{bytes} B"),
        KB..MB => scaled(KB, "KB"),
        _ => scaled(MB, "MB"),
    }
}
